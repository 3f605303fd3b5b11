import type { WindowPoint } from "@/lib/observed/window-series";
import { missedPolls, pollIntervalOf } from "./polls";

/** A time in milliseconds since 1970, both ends belonging to it. */
export interface Span {
  from: number;
  to: number;
}

/**
 * Records produced over time, from one point to the next by a straight line. Between two spans it is unknown how they
 * came, though not how many: the count goes on over the gap.
 */
export interface ProducedCurve {
  /** Times and counts of the points, each later than the one before and none lower. */
  at: number[];
  count: number[];
  /** Where it is known. */
  spans: Span[];
  /** For each point, the integral of the count over the known time before it, in records × milliseconds. */
  integral: number[];
}

/** What is not a matter of flush intervals: a snapshot begins again whatever was committed, transactions replay nothing. */
export function leftOut(point: WindowPoint): boolean {
  return point.by === "exactly-once" || point.by === "snapshot";
}

/** Points with a known count that the flush interval bears on, oldest first; `breaks`: the time before it is left out. */
function knots(points: readonly WindowPoint[]): { at: number; produced: number; breaks: boolean }[] {
  const found: { at: number; produced: number; breaks: boolean }[] = [];
  let out = false;
  let breaks = false;
  for (const point of [...points].sort((a, b) => a.at - b.at)) {
    if (!point.between) out = leftOut(point);
    if (out) breaks = true;
    if (out || point.produced === null) continue;
    const last = found.at(-1);
    if (last?.at === point.at) {
      last.produced = Math.max(last.produced, point.produced);
      continue;
    }
    found.push({ at: point.at, produced: point.produced, breaks });
    breaks = false;
  }
  return found;
}

/** The curve through all points with a known count, polls or not. `points` in any order. */
export function producedCurve(points: readonly WindowPoint[]): ProducedCurve {
  const curve: ProducedCurve = { at: [], count: [], spans: [], integral: [] };
  const longest = missedPolls * pollIntervalOf(points);
  let base = 0;
  let before = 0;
  for (const knot of knots(points)) {
    const last = curve.at.length - 1;
    const lastAt = curve.at[last];
    const lastCount = curve.count[last] ?? 0;
    if (lastAt === undefined) base = knot.produced;
    // A count that falls was begun anew: it goes on from where it was.
    else if (knot.produced < before) base -= before - knot.produced;
    before = knot.produced;
    const count = knot.produced - base;
    const span = curve.spans.at(-1);
    const joined = span !== undefined && lastAt !== undefined && !knot.breaks && knot.at - lastAt <= longest;
    const area = joined ? ((lastCount + count) / 2) * (knot.at - lastAt) : 0;
    curve.at.push(knot.at);
    curve.count.push(count);
    curve.integral.push((curve.integral[last] ?? 0) + area);
    if (joined) span.to = knot.at;
    else curve.spans.push({ from: knot.at, to: knot.at });
  }
  return curve;
}

/** The last point that is not later than `at`; -1 before the first. */
function indexAt(curve: ProducedCurve, at: number): number {
  let low = 0;
  let high = curve.at.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((curve.at[middle] ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The known span that a time lies in. */
function spanAt(curve: ProducedCurve, at: number): Span | null {
  let low = 0;
  let high = curve.spans.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((curve.spans[middle]?.to ?? 0) < at) low = middle + 1;
    else high = middle;
  }
  const span = curve.spans[low];
  return span && span.from <= at ? span : null;
}

/** The points around a time within a span, and records a millisecond between them. */
function pieceAt(curve: ProducedCurve, at: number): { index: number; rate: number } {
  const index = Math.max(0, indexAt(curve, at));
  const from = curve.at[index] ?? 0;
  const length = (curve.at[index + 1] ?? from) - from;
  const grown = (curve.count[index + 1] ?? 0) - (curve.count[index] ?? 0);
  return { index, rate: length > 0 ? grown / length : 0 };
}

/** Records produced up to a time; null where that is unknown. */
export function producedAt(curve: ProducedCurve, at: number): number | null {
  if (spanAt(curve, at) === null) return null;
  const { index, rate } = pieceAt(curve, at);
  const after = at - (curve.at[index] ?? 0);
  // At a point there is nothing to add, and after a span's last point the rate would be that of the gap.
  return (curve.count[index] ?? 0) + (after > 0 ? rate * after : 0);
}

/** The straight line that a time lies on, the one before it where two meet. */
export interface Line extends Span {
  /** Records a millisecond. */
  rate: number;
  /** Those of the lines before and after it; null: unknown there. */
  around: [before: number | null, after: number | null];
}

/** Null where it is unknown what was produced just before `at`. */
export function lineBefore(curve: ProducedCurve, at: number): Line | null {
  const span = spanAt(curve, at);
  if (span === null || span.from === at) return null;
  const index = indexAt(curve, at);
  const first = curve.at[index] === at ? index - 1 : index;
  const rateOf = (i: number) => {
    const from = curve.at[i] ?? Number.NEGATIVE_INFINITY;
    const to = curve.at[i + 1] ?? Number.POSITIVE_INFINITY;
    return from < span.from || to > span.to ? null : pieceAt(curve, from).rate;
  };
  return {
    from: curve.at[first] ?? at,
    to: curve.at[first + 1] ?? at,
    rate: rateOf(first) ?? 0,
    around: [rateOf(first - 1), rateOf(first + 1)],
  };
}

/** The integral of the count over the known time before `at`, which must lie in a span. */
function integralAt(curve: ProducedCurve, at: number): number {
  const { index, rate } = pieceAt(curve, at);
  const after = at - (curve.at[index] ?? 0);
  if (after <= 0) return curve.integral[index] ?? 0;
  return (curve.integral[index] ?? 0) + after * ((curve.count[index] ?? 0) + (rate * after) / 2);
}

/** {@link producedAt} for times that are asked in ascending order: it goes along the points with them. */
function walk(curve: ProducedCurve): (at: number) => number | null {
  let index = 0;
  let span = 0;
  return (at) => {
    while ((curve.at[index + 1] ?? Number.POSITIVE_INFINITY) <= at) index += 1;
    while ((curve.spans[span]?.to ?? Number.POSITIVE_INFINITY) < at) span += 1;
    const from = curve.spans[span]?.from;
    if (from === undefined || from > at) return null;
    const after = at - (curve.at[index] ?? 0);
    const count = curve.count[index] ?? 0;
    if (after <= 0) return count;
    const length = (curve.at[index + 1] ?? 0) - (curve.at[index] ?? 0);
    return count + (((curve.count[index + 1] ?? 0) - count) / length) * after;
  };
}

/**
 * Most records produced within any stretch of `lengthMs`, over the stretches that end in `ends` and whose two ends are
 * known. Exact on the curve: the growth bends only where a point enters or leaves the stretch. Null: no such stretch.
 */
export function mostGrowth(curve: ProducedCurve, lengthMs: number, ends?: Span): number | null {
  let most: number | null = null;
  // A stretch that is worst begins or ends at a point.
  for (const shift of [0, lengthMs]) {
    const [to, from] = [walk(curve), walk(curve)];
    for (const knot of curve.at) {
      const end = knot + shift;
      if (ends && (end < ends.from || end > ends.to)) continue;
      const now = to(end);
      const then = now === null ? null : from(end - lengthMs);
      if (now !== null && then !== null && (most === null || now - then > most)) most = now - then;
    }
  }
  return most;
}

/** For how much time both it and the time `ageMs` before it are known, and the records produced between, summed over it. */
function overAge(curve: ProducedCurve, ageMs: number, ends: Span): { ms: number; sum: number } {
  let ms = 0;
  let sum = 0;
  let i = 0;
  let j = 0;
  while (i < curve.spans.length && j < curve.spans.length) {
    const now = curve.spans[i] as Span;
    const then = curve.spans[j] as Span;
    const from = Math.max(now.from, then.from + ageMs, ends.from);
    const to = Math.min(now.to, then.to + ageMs, ends.to);
    if (to > from) {
      ms += to - from;
      sum += integralAt(curve, to) - integralAt(curve, from);
      sum -= integralAt(curve, to - ageMs) - integralAt(curve, from - ageMs);
    }
    if (now.to < then.to + ageMs) i += 1;
    else j += 1;
  }
  return { ms, sum };
}

/** Steps by which the ages are gone through. The mean is nearly a straight line over the age: few are exact enough. */
const ageSteps = 40;

/** Ages from `youngest` to `oldest`, milliseconds, each as likely as another. */
export interface Ages {
  youngest: number;
  oldest: number;
}

/**
 * Mean growth since a moment some age ago, each age as likely and each moment in `ends` too, as far as both are known. Null
 * where less time than the oldest age is known so.
 */
export function meanGrowth(curve: ProducedCurve, { youngest, oldest }: Ages, ends: Span): number | null {
  if (overAge(curve, oldest, ends).ms < oldest) return null;
  let total = 0;
  for (let step = 0; step < ageSteps; step++) {
    const age = youngest + ((step + 0.5) / ageSteps) * (oldest - youngest);
    const { ms, sum } = overAge(curve, age, ends);
    if (ms === 0) return null;
    total += sum / ms;
  }
  return total / ageSteps;
}
