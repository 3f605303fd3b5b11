import { incrementalWhy, ordered, reversed, runningWhy } from "./order-words";
import type { Order } from "./position";
import type { ResumeToken } from "./resume-token";

/** Where a MongoDB connector or one of its events stands: a cluster time, finer with a resume token. */
export interface MongoPosition {
  of: "offset" | "event";
  /** Cluster time in seconds since 1970. Of an event by wall clock: the second of that clock. */
  seconds: bigint;
  increment: bigint;
  token: ResumeToken | null;
  /**
   * Events: milliseconds of the server's wall clock where the block tells nothing better. Servers since 6.0 give it,
   * and Debezium puts it into `ts_ms`, where older ones have the seconds of the cluster time.
   */
  wallMillis: bigint | null;
  /** Session and number of the transaction; null outside of one. */
  transaction: string | null;
  snapshot: "initial" | "incremental" | null;
}

/** Seconds by which the cluster time may differ from a member's wall clock. */
const clockTolerance = 10n;
const wallWhy = "By the server's wall clock: the event does not hold the seconds of its cluster time.";
const nearWhy = `The event holds its wall clock, not its cluster time, and the two lie within ${clockTolerance} seconds.`;
const sharedWhy = "Changes of one transaction share a cluster time; only a resume token tells them apart.";

/** By cluster time; 0 for the same. */
function compareTimes(a: MongoPosition, b: MongoPosition): bigint {
  return a.seconds - b.seconds || a.increment - b.increment;
}

const compareTexts = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** Of one clock: the milliseconds and, within a second, the counter; they can disagree by what ran side by side. */
function orderByWall(a: MongoPosition, b: MongoPosition): Order {
  const millis = (a.wallMillis ?? 0n) - (b.wallMillis ?? 0n);
  if (a.seconds !== b.seconds) return ordered(millis, wallWhy);
  const counter = a.increment - b.increment;
  if (millis !== 0n && counter !== 0n && millis > 0n !== counter > 0n)
    return { order: "unordered", why: "Within one second their wall clocks and their counters disagree." };
  return ordered(millis || counter, wallWhy);
}

/** A cluster time against a wall clock: only what lies well apart is told. */
function orderApart(a: MongoPosition, b: MongoPosition): Order {
  const apart = a.seconds - b.seconds;
  if (apart <= clockTolerance && apart >= -clockTolerance) return { order: "unordered", why: nearWhy };
  return ordered(apart, wallWhy);
}

function orderEvents(a: MongoPosition, b: MongoPosition): Order {
  if (a.token && b.token) return ordered(compareTexts(a.token.data, b.token.data));
  if (a.wallMillis !== null && b.wallMillis !== null) return orderByWall(a, b);
  if (a.wallMillis !== null || b.wallMillis !== null) return orderApart(a, b);
  const times = compareTimes(a, b);
  if (times !== 0n) return ordered(times);
  // A snapshot is read at a cluster time; what is streamed from that time on comes later.
  const reads = Number(a.snapshot === null) - Number(b.snapshot === null);
  return reads === 0 && a.transaction !== null ? ordered(0, sharedWhy) : ordered(reads);
}

function orderOffsets(a: MongoPosition, b: MongoPosition): Order {
  if (a.token && b.token) return ordered(compareTexts(a.token.data, b.token.data));
  const times = compareTimes(a, b);
  if (times !== 0n || (!a.token && !b.token)) return ordered(times);
  // Without a token a restart reads from the cluster time on, itself included.
  return ordered(a.token ? 1 : -1);
}

function orderOffsetToEvent(offset: MongoPosition, event: MongoPosition): Order {
  if (offset.snapshot === "initial") return { order: "unordered", why: runningWhy };
  if (offset.token && event.token) return ordered(compareTexts(offset.token.data, event.token.data));
  if (event.wallMillis !== null) return orderApart(offset, event);
  const times = compareTimes(offset, event);
  if (event.snapshot !== null) return { order: times < 0n ? "before" : "after" };
  if (times !== 0n) return ordered(times);
  if (!offset.token || offset.token.kind === "mark") return { order: "before" };
  return event.transaction === null ? { order: "equal" } : { order: "unordered", why: sharedWhy };
}

/** Which of two positions comes first, or why that cannot be said. An offset comes before the events that it would send again. */
export function orderMongo(a: MongoPosition, b: MongoPosition): Order {
  if (a.snapshot === "incremental" || b.snapshot === "incremental")
    return { order: "unordered", why: incrementalWhy };
  if (a.of === "offset" && b.of === "offset") return orderOffsets(a, b);
  if (a.of === "offset") return orderOffsetToEvent(a, b);
  if (b.of === "offset") return reversed(orderOffsetToEvent(b, a));
  return orderEvents(a, b);
}
