import type { DialPoint } from "@/lib/measure/replay-window/dial";
import { formatCount } from "./format";

const nbsp = "\u00a0";
/** Without `offset.flush.interval.ms` in a worker's properties. */
const connectDefaultMs = 60_000;
/** The interval that is spoken of is the longest whose worst case is below this part of today's … */
const wished = 0.1;
/** … else the longest below this one; above it nothing is gained that is worth more writes. */
const worthwhile = 0.5;

/** A flush interval in the unit that people set it in: `5 s`, `90 s`, `2 m`, `500 ms`. */
export function flushIntervalText(ms: number): string {
  if (ms % 60_000 === 0 && ms > 60_000) return `${ms / 60_000}${nbsp}m`;
  return ms >= 1_000 ? `${Math.round(ms / 100) / 10}${nbsp}s` : `${ms}${nbsp}ms`;
}

/** A point of the dial whose worst case is known. */
interface Known extends DialPoint {
  worst: number;
}

const every = (point: DialPoint) => flushIntervalText(point.intervalMs);
const events = (count: number) => `${formatCount(count)}${nbsp}${count === 1 ? "event" : "events"}`;
const writes = (point: DialPoint) => formatCount(Math.round(point.writesPerHour));
const writesText = (point: DialPoint) =>
  `${writes(point)}${nbsp}offset ${writes(point) === "1" ? "write" : "writes"} an hour`;

/** `5 s instead of 60 s: worst case 3,400 instead of 41,000 events; 720 offset writes an hour instead of 60. It never reaches 0.` */
function instead(other: Known, now: Known): string {
  return `${every(other)} instead of ${every(now)}: worst case ${formatCount(other.worst)} instead of ${events(now.worst)}; ${writesText(other)} instead of ${writes(now)}. It never reaches 0.`;
}

/** The longest shorter interval whose worst case is a tenth of it, else half. */
function better(points: readonly Known[], now: Known): Known | null {
  const shorter = points.filter((p) => p.intervalMs < now.intervalMs);
  const below = (part: number) => shorter.findLast((p) => p.worst <= part * now.worst);
  return below(wished) ?? below(worthwhile) ?? null;
}

/** The interval that {@link dialSentence} would change to, in milliseconds; null when it speaks of none. */
export function offeredIntervalMs(points: readonly DialPoint[]): number | null {
  const known = points.filter((p): p is Known => p.worst !== null);
  const now = known.find((p) => p.inForce) ?? known.find((p) => p.intervalMs === connectDefaultMs);
  return (now && better(known, now)?.intervalMs) ?? null;
}

/** The interval in force is short already: what a longer one would cost. */
function shortAlready(points: readonly Known[], now: Known): string {
  const have = `${every(now)} is in force, as short as this dial goes: worst case ${events(now.worst)}, at up to ${writesText(now)}.`;
  const longer = points.find((p) => p.intervalMs >= 5_000 && p.worst > now.worst);
  if (!longer) return `${have} It never reaches 0.`;
  return `${have} ${every(longer)} would make it ${formatCount(longer.worst)}, with ${writes(longer)} writes. It never reaches 0.`;
}

function hardly(shortest: Known, now: Known): string {
  return `A shorter flush interval would help little: worst case ${events(shortest.worst)} at ${every(shortest)}, ${formatCount(now.worst)} at ${every(now)}, since they come in bursts that are shorter still. It never reaches 0.`;
}

/** Nobody knows today's interval: Connect's default beside the one that is better. */
function unknownInForce(points: readonly Known[]): string | null {
  const usual = points.find((p) => p.intervalMs === connectDefaultMs) ?? points.at(-1);
  if (!usual) return null;
  const other = better(points, usual);
  const begun = "Which flush interval is in force is not known.";
  if (!other)
    return `${begun} At ${every(usual)} the worst case is ${events(usual.worst)}, and a shorter one would help little.`;
  return `${begun} At ${every(usual)} the worst case is ${events(usual.worst)}, at ${every(other)} ${formatCount(other.worst)}; ${writesText(usual)} against ${writes(other)}. It never reaches 0.`;
}

/**
 * What the dial says in one sentence or two, about the shorter interval that is worth speaking of. `points`: ascending. Null
 * when no worst case is known.
 */
export function dialSentence(points: readonly DialPoint[]): string | null {
  const known = points.filter((p): p is Known => p.worst !== null);
  const most = known.at(-1);
  if (!most) return null;
  if (most.worst === 0)
    return "Nothing was produced in this time: with any flush interval a crash would have replayed nothing.";
  const now = known.find((p) => p.inForce);
  if (!now) return unknownInForce(known);
  const [shortest] = known;
  if (!shortest || shortest.intervalMs >= now.intervalMs) return shortAlready(known, now);
  const other = better(known, now);
  return other ? instead(other, now) : hardly(shortest, now);
}
