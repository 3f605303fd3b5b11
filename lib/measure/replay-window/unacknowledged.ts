import type { WindowPoint } from "@/lib/observed/window-series";
import { pollsOf } from "./polls";
import { leftOut, type ProducedCurve, producedAt, rateBefore } from "./produced-curve";

/**
 * What a commit leaves out of what was produced before it: sent, and not acknowledged when the offsets were flushed. It is
 * a time rather than a number: the offset is that of a moment `delayMs` before the flush, whatever was going on.
 */
export interface Unacknowledged {
  delayMs: number;
  /** Events that stay uncovered while nothing is produced, such as a last transaction: mean over the polls, and most. */
  restMean: number;
  restMost: number;
}

/** A longer delay is none of acknowledgements: then the events are added as the number they are. */
const longestDelayMs = 10_000;

interface Carried {
  /** Events of the window that were there before the commit. */
  events: number;
  /** Records a millisecond before the commit; 0: nothing was being produced. */
  rate: number;
  committedAt: number;
}

/** Whether a poll's headline is a matter of the flush interval: something is committed, and what counts is after it. */
export function afterCommit(point: WindowPoint): boolean {
  // Where nothing was ever committed, all records of its topics are the headline, by time.
  return point.events !== null && !leftOut(point) && !(point.by === "time" && point.committedAt === null);
}

function carriedBy(point: WindowPoint, curve: ProducedCurve): Carried[] {
  const { events, low, committedAt, at } = point;
  if (events === null || committedAt === null || !afterCommit(point)) return [];
  const rate = rateBefore(curve, committedAt);
  if (rate === null) return [];
  // `low` counts those later than the commit to the record; the curve knows no more than its points.
  const before = producedAt(curve, committedAt);
  const now = producedAt(curve, at);
  const after = low ?? (before === null || now === null ? null : now - before);
  return after === null ? [] : [{ events: events - after, rate, committedAt }];
}

function middle(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
}

/** The first poll after each commit: the same commit says the same thing at each poll. */
function onceEach(carried: readonly Carried[]): Carried[] {
  const commits = new Map<number, Carried>();
  for (const one of carried) if (!commits.has(one.committedAt)) commits.set(one.committedAt, one);
  return [...commits.values()];
}

function addition(values: readonly number[]): Pick<Unacknowledged, "restMean" | "restMost"> {
  if (values.length === 0) return { restMean: 0, restMost: 0 };
  const mean = values.reduce((sum, v) => sum + v, 0) / values.length;
  return { restMean: Math.max(0, mean), restMost: Math.max(0, ...values) };
}

/**
 * From the polls that know their headline and commit. The delay is the median over the commits, since one that fell into a
 * burst between two polls says little: the curve does not know how steep it was there.
 */
export function unacknowledged(points: readonly WindowPoint[], curve: ProducedCurve): Unacknowledged {
  const carried = pollsOf(points).flatMap((p) => carriedBy(p, curve));
  const moving = onceEach(carried).filter((c) => c.rate > 0);
  const delayMs = Math.max(0, middle(moving.map((c) => c.events / c.rate)));
  if (delayMs > longestDelayMs) return { delayMs: 0, ...addition(carried.map((c) => c.events)) };
  return { delayMs, ...addition(carried.map((c) => (c.rate === 0 ? c.events : 0))) };
}
