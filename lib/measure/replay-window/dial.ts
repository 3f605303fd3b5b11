import {
  type DialCell,
  dialIntervals,
  type WindowPoint,
  type WindowRollup,
} from "@/lib/observed/window-series";
import { sinceInForce } from "./in-force-since";
import { pollIntervalOf, pollsOf } from "./polls";
import { leftOut, meanGrowth, mostGrowth, producedCurve } from "./produced-curve";
import { mergeRollups } from "./roll-up";
import { statisticsOf } from "./statistics";
import { afterCommit, type Unacknowledged, unacknowledged } from "./unacknowledged";

/** What a crash would replay if offsets were flushed at this interval, in events. */
export interface DialPoint {
  intervalMs: number;
  /** Mean over all moments and all phases of the flush. Null: too little is known for so long an interval. */
  expected: number | null;
  /** Most, were the flush to fall at the worst moment. */
  worst: number | null;
  /** Writes of source offsets an hour while events come; a flush with nothing new writes nothing. */
  writesPerHour: number;
  /** The interval in force, as inferred. */
  inForce: boolean;
}

export interface Dial {
  points: DialPoint[];
  /** Why there is none, one sentence. */
  whyNone: string | null;
}

/** Polls over less time than this say nothing of what comes. */
const shortestMs = 60_000;

const transactional =
  "Offsets are written together with the events, in one transaction: no flush interval changes what a crash replays.";
const tooShort =
  "The window has been watched for less than a minute: too little to say what another interval would do.";
const notCounted =
  "It is not known how many records were produced: the ends of its topics could not be read.";
const snapshotOnly = "Only a snapshot has been seen, and it begins again whatever the flush interval.";

/** Intervals of the dial with the one in force among them, ascending. */
function intervals(inForceMs: number | null): number[] {
  const all = new Set<number>(inForceMs === null ? dialIntervals : [...dialIntervals, inForceMs]);
  return [...all].sort((a, b) => a - b);
}

/** What was seen at the interval in force: of one interval the truth is known. */
interface Seen {
  mean: number | null;
  most: number | null;
}

interface Model {
  expected(intervalMs: number): number | null;
  worst(intervalMs: number): number | null;
  seen: Seen;
}

function dialPoints(model: Model, inForceMs: number | null, partitions: number): DialPoint[] {
  let below = 0;
  return intervals(inForceMs).map((intervalMs) => {
    const inForce = intervalMs === inForceMs;
    const expected = model.expected(intervalMs);
    let worst = model.worst(intervalMs);
    if (inForce && model.seen.most !== null) worst = Math.max(worst ?? 0, model.seen.most);
    // A longer interval holds every shorter one: a gap in what is known does not make it smaller.
    if (worst !== null) below = worst = Math.max(below, Math.round(worst));
    return {
      intervalMs,
      expected: (inForce ? model.seen.mean : null) ?? expected,
      worst,
      writesPerHour: (3_600_000 / intervalMs) * partitions,
      inForce,
    };
  });
}

function whyNoDial(points: readonly WindowPoint[]): string | null {
  const polls = pollsOf(points);
  const counting = polls.filter((p) => !leftOut(p));
  if (polls.length > 0 && counting.length === 0)
    return polls.some((p) => p.by === "exactly-once") ? transactional : snapshotOnly;
  const known = counting.filter((p) => p.produced !== null);
  if (counting.length > 0 && known.length === 0) return notCounted;
  return (known.at(-1)?.at ?? 0) - (known[0]?.at ?? 0) < shortestMs ? tooShort : null;
}

/** The mean over the polls stands for the time only if most of them know their figure … */
const mostPolls = 0.6;
/** … and if there are so many to an interval: else they meet the flushes at the same phase for minutes on end. */
const pollsAnInterval = 5;

/**
 * The headlines at the interval in force. There the flushes were when they were, and each poll's age of the commit is
 * known, so that the mean over all phases gives way to what was seen.
 */
function seenAmong(points: readonly WindowPoint[], inForceMs: number): Seen {
  const polls = pollsOf(sinceInForce(points, inForceMs)).filter((p) => !leftOut(p));
  const { mean, worst, known } = statisticsOf(polls.filter(afterCommit));
  const dense = inForceMs >= pollsAnInterval * pollIntervalOf(polls);
  return { mean: dense && known >= mostPolls * polls.length ? mean : null, most: worst };
}

export interface DialOptions {
  /** Source partitions that are written at each flush. */
  partitions?: number;
  /**
   * Moments before this, milliseconds since 1970, are only what a window that ends later begins with. Given with five minutes of
   * points before it, the longest interval is known from the first moment on.
   */
  from?: number;
}

/**
 * The dial from raw points of one connector, polls and what was asked for between them, in any order: exact on the
 * straight lines between the points, so as true as these are dense (`whereToRefine`). Transactional and snapshot polls are
 * left out. `inForceMs`: the flush interval as inferred.
 *
 * What was unacknowledged at a flush is taken as time: each window begins a little before its flush. So a burst counts once,
 * whether it was cut by the flush or not.
 */
export function dialOf(
  points: readonly WindowPoint[],
  inForceMs: number | null,
  { partitions = 1, from = Number.NEGATIVE_INFINITY }: DialOptions = {},
): Dial {
  const within = points.filter((p) => p.at >= from);
  const whyNone = whyNoDial(within);
  if (whyNone !== null) return { points: [], whyNone };
  const curve = producedCurve(points);
  const ends = { from, to: Number.POSITIVE_INFINITY };
  const { delayMs, restMean, restMost } = unacknowledged(points, curve);
  const model: Model = {
    expected(intervalMs) {
      const mean = meanGrowth(curve, { youngest: delayMs, oldest: intervalMs + delayMs }, ends);
      return mean === null ? null : mean + restMean;
    },
    worst(intervalMs) {
      const most = mostGrowth(curve, intervalMs + delayMs, ends);
      return most === null ? null : most + restMost;
    },
    seen: inForceMs === null ? { mean: null, most: null } : seenAmong(within, inForceMs),
  };
  return { points: dialPoints(model, inForceMs, partitions), whyNone: null };
}

/** The most grown within a time, from the cells: straight between the two intervals around it. */
function mostByCells(cells: readonly DialCell[], ms: number): number | null {
  let below: DialCell = { intervalMs: 0, most: 0 };
  for (const cell of cells) {
    if (cell.intervalMs === 0) continue;
    if (cell.intervalMs >= ms) {
      const part = (ms - below.intervalMs) / (cell.intervalMs - below.intervalMs);
      return below.most + part * Math.max(0, cell.most - below.most);
    }
    below = cell;
  }
  // A little longer than the longest, by the delay of acknowledgements.
  return below.intervalMs > 0 && ms < below.intervalMs * 1.2 ? below.most * (ms / below.intervalMs) : null;
}

function whyNoRollup(rollups: readonly WindowRollup[]): string | null {
  const ms = rollups.reduce((sum, r) => sum + r.producedMs, 0);
  if (ms >= shortestMs) return null;
  if (ms > 0 || rollups.every((r) => r.polls === 0)) return tooShort;
  const known = rollups.filter((r) => r.known > 0);
  if (known.length === 0 || known.some((r) => r.dial.length > 0)) return notCounted;
  return known.every((r) => r.most === 0) ? transactional : snapshotOnly;
}

/**
 * The dial from roll-ups of minutes or hours, over all of their time. Those in which nothing is known to have been produced
 * (snapshots, transactions) are left out. `delay`: from the raw points at hand, since acknowledgements take as long today as
 * they did yesterday.
 */
export function dialOfRollups(
  rollups: readonly WindowRollup[],
  inForceMs: number | null,
  delay: Unacknowledged,
  { partitions = 1 }: Pick<DialOptions, "partitions"> = {},
): Dial {
  const whyNone = whyNoRollup(rollups);
  if (whyNone !== null) return { points: [], whyNone };
  const all = mergeRollups(
    rollups.filter((r) => r.producedMs > 0),
    0,
  );
  const rate = all.produced / all.producedMs;
  const dense =
    inForceMs !== null && all.known > 0 && inForceMs >= (pollsAnInterval * all.producedMs) / all.polls;
  const model: Model = {
    expected: (intervalMs) => rate * (intervalMs / 2 + delay.delayMs) + delay.restMean,
    worst(intervalMs) {
      const most = mostByCells(all.dial, intervalMs + delay.delayMs);
      return most === null ? null : most + delay.restMost;
    },
    seen: {
      mean: dense && all.known >= mostPolls * all.polls ? all.sum / all.known : null,
      most: all.dial.find((c) => c.intervalMs === 0)?.most ?? null,
    },
  };
  return { points: dialPoints(model, inForceMs, partitions), whyNone: null };
}
