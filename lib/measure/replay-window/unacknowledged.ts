import type { WindowPoint } from "@/lib/observed/window-series";
import { pollsOf } from "./polls";
import { type Line, leftOut, lineBefore, type ProducedCurve, producedAt } from "./produced-curve";

/**
 * What a commit leaves out of what was produced before it: sent, and not acknowledged when the offsets were flushed. It is
 * a time rather than a number: the offset is that of a moment `delayMs` before the flush, whatever was going on.
 */
export interface Unacknowledged {
  /** As a rule: a longer one now and then makes the worst case worse only if it falls on the worst moment. */
  delayMs: number;
  /** Events that stay uncovered while nothing is produced, such as a last transaction: mean over the polls, and most. */
  restMean: number;
  restMost: number;
}

/** A longer delay is none of acknowledgements: then the events are added as the number they are. */
const mostDelayMs = 10_000;

interface Carried {
  /** Events of the window that were there before the commit. */
  events: number;
  /** What was being produced at the commit. */
  line: Line;
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
  const line = lineBefore(curve, committedAt);
  if (line === null) return [];
  // `low` counts those later than the commit to the record; the curve knows no more than its points.
  const before = producedAt(curve, committedAt);
  const now = producedAt(curve, at);
  const after = low ?? (before === null || now === null ? null : now - before);
  return after === null ? [] : [{ events: events - after, line, committedAt }];
}

/** A line this short is steep enough where a burst was, milliseconds. */
const shortMs = 1_000;
/** The lines around a line that is to be believed are as steep as it is, within this part. */
const even = 0.5;

/** Whether the rate at the commit is known: a burst somewhere on a long line says nothing of the moment of the flush. */
function isTelling({ line }: Carried): boolean {
  if (line.to - line.from <= shortMs) return true;
  return line.around.every((rate) => rate !== null && Math.abs(rate - line.rate) <= even * line.rate);
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
 * From the polls that know their headline and commit. The delay: all that was left out by the commits, by the rate at which it
 * was coming, since a single commit may leave out one event or none.
 */
export function unacknowledged(points: readonly WindowPoint[], curve: ProducedCurve): Unacknowledged {
  const carried = pollsOf(points).flatMap((p) => carriedBy(p, curve));
  const telling = onceEach(carried).filter(isTelling);
  const rates = telling.reduce((sum, c) => sum + c.line.rate, 0);
  const events = telling.reduce((sum, c) => sum + (c.line.rate > 0 ? c.events : 0), 0);
  const delayMs = rates > 0 ? Math.max(0, events / rates) : 0;
  if (delayMs > mostDelayMs) return { delayMs: 0, ...addition(carried.map((c) => c.events)) };
  return { delayMs, ...addition(carried.map((c) => (c.line.rate === 0 ? c.events : 0))) };
}
