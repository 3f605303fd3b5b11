import {
  type DialCell,
  dialIntervals,
  type WindowPoint,
  type WindowRollup,
} from "@/lib/observed/window-series";
import { histogramOf, mergeHistograms } from "./histogram";
import { pollsOf } from "./polls";
import { mostGrowth, type ProducedCurve, producedAt, producedCurve, type Span } from "./produced-curve";
import { afterCommit } from "./unacknowledged";

/**
 * The time that a roll-up accounts for: from the last point before it to its last own. What lies between its last point and
 * its end belongs to the next, which knows how it goes on; so roll-ups put together have each moment once.
 */
function accounted(curve: ProducedCurve, from: number, to: number): Span | null {
  const last = curve.at.findLast((at) => at < to);
  if (last === undefined || last < from) return null;
  return { from: curve.at.findLast((at) => at < from) ?? from, to: last };
}

/** Records and milliseconds of the known time within a span whose ends are points of the curve. */
function grownWithin(curve: ProducedCurve, span: Span): { produced: number; producedMs: number } {
  let produced = 0;
  let producedMs = 0;
  for (const known of curve.spans) {
    const from = Math.max(known.from, span.from);
    const to = Math.min(known.to, span.to);
    if (to <= from) continue;
    produced += (producedAt(curve, to) ?? 0) - (producedAt(curve, from) ?? 0);
    producedMs += to - from;
  }
  return { produced: Math.round(produced), producedMs: Math.round(producedMs) };
}

function cells(curve: ProducedCurve, span: Span): DialCell[] {
  return dialIntervals.flatMap((intervalMs) => {
    const most = mostGrowth(curve, intervalMs, span);
    return most === null ? [] : [{ intervalMs, most: Math.round(most) }];
  });
}

/** The largest headline that a flush interval bears on, as the cell of length 0: snapshots are not in it. */
function windowCell(polls: readonly WindowPoint[]): DialCell[] {
  const events = polls.filter(afterCommit).flatMap((p) => p.events ?? []);
  return events.length === 0 ? [] : [{ intervalMs: 0, most: events.reduce((a, b) => Math.max(a, b)) }];
}

/**
 * One minute (or any time `from` to before `to`, milliseconds since 1970) made of its raw points.
 *
 * @param points those of the time and of the five minutes before it, so that the longest interval of the dial is known;
 *   points asked for afterwards among them
 * @param commits how many were written within it
 */
export function rollUp(
  points: readonly WindowPoint[],
  from: number,
  to: number,
  commits: number,
): WindowRollup {
  const polls = pollsOf(points).filter((p) => p.at >= from && p.at < to);
  const known = polls.flatMap((p) => (p.events === null ? [] : [{ at: p.at, events: p.events }]));
  const events = known.map((p) => p.events);
  const most = events.reduce((a, b) => Math.max(a, b), 0);
  const curve = producedCurve(points);
  const span = accounted(curve, from, to);
  return {
    at: from,
    known: known.length,
    polls: polls.length,
    sum: events.reduce((a, b) => a + b, 0),
    most,
    least: events.length === 0 ? 0 : events.reduce((a, b) => Math.min(a, b)),
    mostAt: known.findLast((p) => p.events === most)?.at ?? from,
    histogram: histogramOf(events),
    ...(span === null ? { produced: 0, producedMs: 0 } : grownWithin(curve, span)),
    commits,
    dial: [...windowCell(polls), ...(span === null ? [] : cells(curve, span))],
  };
}

function mergeCells(rollups: readonly WindowRollup[]): DialCell[] {
  const most = new Map<number, number>();
  for (const cell of rollups.flatMap((r) => r.dial))
    most.set(cell.intervalMs, Math.max(most.get(cell.intervalMs) ?? 0, cell.most));
  return [...most].sort(([a], [b]) => a - b).map(([intervalMs, m]) => ({ intervalMs, most: m }));
}

const total = (rollups: readonly WindowRollup[], of: (rollup: WindowRollup) => number) =>
  rollups.reduce((sum, r) => sum + of(r), 0);

const hourMs = 3_600_000;

/** Roll-ups as hours, each merged of what lies in it; an hour that is given stays as it is. */
export function byHour(rollups: readonly WindowRollup[]): WindowRollup[] {
  const hours = new Map<number, WindowRollup[]>();
  for (const rollup of rollups) {
    const hour = Math.floor(rollup.at / hourMs) * hourMs;
    const some = hours.get(hour);
    if (some) some.push(rollup);
    else hours.set(hour, [rollup]);
  }
  return [...hours].map(([hour, some]) => mergeRollups(some, hour));
}

/** Several roll-ups as one that begins at `at`: an hour of minutes, a week of hours. Nothing is lost but the order. */
export function mergeRollups(rollups: readonly WindowRollup[], at: number): WindowRollup {
  const known = rollups.filter((r) => r.known > 0);
  const most = known.reduce((a, r) => Math.max(a, r.most), 0);
  return {
    at,
    known: total(rollups, (r) => r.known),
    polls: total(rollups, (r) => r.polls),
    sum: total(rollups, (r) => r.sum),
    most,
    least: known.reduce((a, r) => Math.min(a, r.least), known[0]?.least ?? 0),
    mostAt: known.filter((r) => r.most === most).reduce((a, r) => Math.max(a, r.mostAt), at),
    histogram: mergeHistograms(rollups.map((r) => r.histogram)),
    produced: total(rollups, (r) => r.produced),
    producedMs: total(rollups, (r) => r.producedMs),
    commits: total(rollups, (r) => r.commits),
    dial: mergeCells(rollups),
  };
}
