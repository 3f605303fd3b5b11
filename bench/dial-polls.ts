// The recorded hour as the collector would have seen it: a poll every five seconds, and what it asked for afterwards.
import { whereToRefine } from "@/lib/measure/replay-window/refine";
import type { WindowPoint } from "@/lib/observed/window-series";
import { dice, hourMs, leadMs } from "./dial-recording";
import { countUntil, flushes, type Recorded } from "./dial-simulation";

const pollMs = 5_000;
/** What `whereToRefine` is given at each poll. */
const recentMs = 600_000;

export interface Seen {
  points: WindowPoint[];
  /** Times asked for between polls: in all, and most at one poll. */
  asked: number;
  mostAsked: number;
}

/** A poll: the window is counted by position, against the newest commit that covers something new. */
function poll(hour: Recorded, at: number, times: readonly number[]): WindowPoint {
  const produced = countUntil(hour.produced, at);
  const before = times.filter((t) => t <= at);
  const covered = countUntil(hour.acks, before.at(-1) ?? 0);
  // A flush with nothing new writes nothing: the commit in force is the first that covered as much.
  const committedAt = before.find((t) => countUntil(hour.acks, t) === covered) ?? null;
  const low = committedAt === null ? null : produced - countUntil(hour.produced, committedAt);
  return {
    at,
    between: false,
    produced,
    events: produced - covered,
    low,
    high: null,
    by: "position",
    committedAt,
  };
}

function between(hour: Recorded, at: number): WindowPoint {
  const produced = countUntil(hour.produced, at);
  return { at, between: true, produced, events: null, low: null, high: null, by: null, committedAt: null };
}

/** The points of the hour at a flush interval. `refine`: stretches are halved as `whereToRefine` says, one round a poll. */
export function watched(hour: Recorded, intervalMs: number, refine: boolean): Seen {
  const random = dice(5);
  const times = flushes(intervalMs, 0.37, 99);
  const seen: Seen = { points: [], asked: 0, mostAsked: 0 };
  for (let due = 0; due <= leadMs + hourMs; due += pollMs) {
    const at = Math.round(due + 40 * random());
    const recent = times.filter((t) => t > at - 2 * intervalMs - recentMs);
    seen.points.push(poll(hour, at, recent));
    if (!refine) continue;
    const newest = seen.points.filter((p) => p.at >= at - recentMs);
    const stretches = whereToRefine(newest);
    seen.asked += stretches.length;
    seen.mostAsked = Math.max(seen.mostAsked, stretches.length);
    for (const { from, to } of stretches) seen.points.push(between(hour, Math.round((from + to) / 2)));
    seen.points.sort((a, b) => a.at - b.at);
  }
  return seen;
}

/** Those of the hour itself, without the five minutes before it. */
export function pollsWithin(points: readonly WindowPoint[]): WindowPoint[] {
  return points.filter((p) => !p.between && p.at >= leadMs);
}
