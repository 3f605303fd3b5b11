import type { WindowPoint } from "@/lib/observed/window-series";

/** Seconds between polls where too few were kept to tell: the setting's default. */
const usualIntervalMs = 5_000;

/** Without a known figure for more than this many polls, the time between is unknown; less is a poll missed. */
export const missedPolls = 3;

/** The polls among the points: what was asked for afterwards is none. */
export function pollsOf(points: readonly WindowPoint[]): WindowPoint[] {
  return points.filter((p) => !p.between);
}

/** The time from one poll to the next that is usual among these, in milliseconds. */
export function pollIntervalOf(points: readonly WindowPoint[]): number {
  const times = pollsOf(points).map((p) => p.at);
  const gaps = times.slice(1).map((at, i) => at - (times[i] ?? at));
  const sorted = gaps.filter((ms) => ms > 0).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? usualIntervalMs;
}
