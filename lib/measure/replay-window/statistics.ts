import type { WindowPoint } from "@/lib/observed/window-series";
import { pollsOf } from "./polls";

/** How the window was over some polls, in events. */
export interface WindowStatistics {
  /** Polls with a known figure, and all polls. */
  known: number;
  polls: number;
  /** Nearest rank: a figure that was seen, none between two. Null when nothing is known. */
  median: number | null;
  p95: number | null;
  worst: number | null;
  /** When the worst was seen last, milliseconds since 1970. */
  worstAt: number | null;
  mean: number | null;
}

/** Which of `count` sorted values is the percentile by nearest rank: from 1 to `count`. `share` in (0, 1]. */
export function nearestRank(share: number, count: number): number {
  // 0.95 × 20 is 19.000000000000004 or so in some orders of computing: a hair over a whole number is that number.
  return Math.min(count, Math.max(1, Math.ceil(share * count - 1e-9)));
}

/** Median, 95th percentile, worst and mean over the polls. Points asked for afterwards are no polls. */
export function statisticsOf(points: readonly WindowPoint[]): WindowStatistics {
  const polls = pollsOf(points);
  const known = polls.flatMap((p) => (p.events === null ? [] : [{ at: p.at, events: p.events }]));
  const sorted = known.map((p) => p.events).sort((a, b) => a - b);
  const worst = sorted.at(-1) ?? null;
  return {
    known: known.length,
    polls: polls.length,
    median: sorted[nearestRank(0.5, sorted.length) - 1] ?? null,
    p95: sorted[nearestRank(0.95, sorted.length) - 1] ?? null,
    worst,
    worstAt: known.findLast((p) => p.events === worst)?.at ?? null,
    mean: sorted.length === 0 ? null : sorted.reduce((sum, events) => sum + events, 0) / sorted.length,
  };
}
