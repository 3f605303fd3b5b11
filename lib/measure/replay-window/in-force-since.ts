import type { WindowPoint } from "@/lib/observed/window-series";
import { pollsOf } from "./polls";

/** A commit as the polls saw it. */
interface SeenCommit {
  at: number;
  /** The oldest that it was at a poll at which events came after it, in milliseconds. */
  oldest: number;
  /** Until the next; null for the newest. */
  gap: number | null;
}

/** So many commits at another even distance were flushed by another interval; commits that fail are not even. */
const enough = 3;
/** How much gaps of one interval differ, as a part of them. */
const even = 0.05;
/** Another interval: so much longer, and what a flush may take, milliseconds. */
const longer = 1.3;
const slackMs = 1_000;

function commitsIn(points: readonly WindowPoint[]): SeenCommit[] {
  const commits: SeenCommit[] = [];
  for (const { at, committedAt, low, events } of pollsOf(points)) {
    if (committedAt === null) continue;
    let last = commits.at(-1);
    if (last === undefined || committedAt > last.at) {
      if (last) last.gap = committedAt - last.at;
      last = { at: committedAt, oldest: 0, gap: null };
      commits.push(last);
    }
    if ((low ?? events ?? 0) > 0) last.oldest = Math.max(last.oldest, at - committedAt);
  }
  return commits;
}

/**
 * The points since the interval in force is in force. Where offsets were flushed at another one before, its windows say nothing
 * of this one: after a change from a minute to five seconds the largest window of the hour is still that of the minute.
 *
 * @param points of one connector, oldest first
 */
export function sinceInForce(points: readonly WindowPoint[], inForceMs: number): WindowPoint[] {
  const commits = commitsIn(points);
  const isOther = ({ oldest, gap }: SeenCommit) =>
    gap !== null && (oldest > longer * inForceMs + slackMs || gap < inForceMs / longer);
  let run: number[] = [];
  let since: number | null = null;
  for (const commit of commits) {
    const gap = commit.gap ?? 0;
    const like = run[0] === undefined || Math.abs(gap - run[0]) <= even * run[0] + 50;
    if (!isOther(commit)) run = [];
    else run = like ? [...run, gap] : [gap];
    if (run.length >= enough) since = commit.at + gap;
  }
  if (since === null) return [...points];
  const after = since;
  // Too few since then: it is not sure that it was a change.
  return commits.filter((c) => c.at >= after).length < enough
    ? [...points]
    : points.filter((p) => p.at >= after);
}
