import type { WindowPoint, WindowRollup } from "@/lib/observed/window-series";
import { missedPolls, pollIntervalOf, pollsOf } from "./polls";
import type { Span } from "./produced-curve";

/** One place of the saw-tooth: the lowest and highest figure of its stretch, both null where none was known. */
export interface SawToothPlace {
  at: number;
  least: number | null;
  most: number | null;
}

/** A time with one figure or several; null: not known. */
interface Figure {
  at: number;
  least: number | null;
  most: number | null;
}

/** Where no figure was known for more than three steps, between the first one and `to`. */
function unknownTimes(figures: readonly Figure[], stepMs: number, to: number): Span[] {
  const known = [...figures.filter((f) => f.most !== null).map((f) => f.at)];
  const spans = known.map((at, i) => ({ from: at, to: known[i + 1] ?? to }));
  return spans.filter((s) => s.to - s.from > missedPolls * stepMs);
}

function overlap(stretch: Span, spans: readonly Span[]): { ms: number; from: number } {
  let ms = 0;
  let from = stretch.to;
  for (const span of spans) {
    const part = Math.min(stretch.to, span.to) - Math.max(stretch.from, span.from);
    if (part <= 0) continue;
    ms += part;
    from = Math.min(from, Math.max(stretch.from, span.from));
  }
  return { ms, from };
}

function place(stretch: Span, own: readonly Figure[], unknown: readonly Span[]): SawToothPlace[] {
  const known = own.filter((f) => f.most !== null);
  const gap = overlap(stretch, unknown);
  const isUnknown = gap.ms > (stretch.to - stretch.from) / 2 || (own.length > 0 && known.length === 0);
  const hole: SawToothPlace = {
    at: Math.max(gap.ms > 0 ? gap.from : 0, stretch.from),
    least: null,
    most: null,
  };
  const first = known[0];
  if (first === undefined) return isUnknown ? [hole] : [];
  const seen: SawToothPlace = {
    at: first.at,
    least: known.reduce((a, f) => Math.min(a, f.least ?? a), first.least ?? 0),
    most: known.reduce((a, f) => Math.max(a, f.most ?? a), first.most ?? 0),
  };
  if (!isUnknown) return [seen];
  // The figure at which a gap begins stands before it, else after.
  return hole.at >= seen.at ? [seen, { ...hole, at: Math.max(hole.at, seen.at + 1) }] : [hole, seen];
}

function thin(figures: readonly Figure[], range: Span, stepMs: number, stretches: number): SawToothPlace[] {
  const inside = figures.filter((f) => f.at >= range.from && f.at <= range.to).sort((a, b) => a.at - b.at);
  const length = (range.to - range.from) / stretches;
  const own: Figure[][] = Array.from({ length: stretches }, () => []);
  for (const f of inside) own[Math.min(stretches - 1, Math.floor((f.at - range.from) / length))]?.push(f);
  const unknown = unknownTimes(inside, stepMs, range.to);
  return own.flatMap((figuresOf, i) =>
    place({ from: range.from + i * length, to: range.from + (i + 1) * length }, figuresOf, unknown),
  );
}

/**
 * The polls within `range` in at most `stretches` places of equal time that keep the least and the most, and one more where
 * for half of the stretch or longer nothing was known. Before the first poll there is nothing, not even unknown.
 */
export function thinned(points: readonly WindowPoint[], range: Span, stretches: number): SawToothPlace[] {
  const figures = pollsOf(points).map(({ at, events }) => ({ at, least: events, most: events }));
  return thin(figures, range, pollIntervalOf(points), stretches);
}

/** The same from roll-ups of `unitMs` each. */
export function thinnedRollups(
  rollups: readonly WindowRollup[],
  unitMs: number,
  range: Span,
  stretches: number,
): SawToothPlace[] {
  const figures = rollups.map((r) => (r.known > 0 ? r : { at: r.at, least: null, most: null }));
  return thin(figures, range, unitMs, stretches);
}
