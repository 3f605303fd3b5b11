import type { CommitHistory } from "@/lib/observed/commits";
import type { ReplayWindow } from "@/lib/observed/replay-window";
import { duration } from "../duration";

/** Flushes are a fixed delay apart, and one can be slow or time out once: three in a row are no chance. */
const INTERVALS = 3;
/** Connect's own default of offset.flush.interval.ms, milliseconds. */
const DEFAULT_FLUSH_MS = 60_000;
/** A worker restarts and flushes first an interval of 60 s later: so long nothing is late, however short the interval was. */
const LEAST_MS = 90_000;
/** So many of its newest gaps are looked at, and none of them allows for more than this, milliseconds: idle hours are no interval. */
const NEWEST_GAPS = 3;
const LONGEST_GAP_MS = 300_000;
/** A gap that ended this long before the look tells how it is now, milliseconds. */
const RECENT_MS = 300_000;

export interface AllowedWait {
  /** The interval that is allowed for, milliseconds. */
  flushMs: number;
  /** Why it is another than what was inferred; null: it is that. */
  why: "default" | "longest-gap" | null;
}

/** The newest gaps between commits of each source partition that counts, newest last, milliseconds. */
function newestGaps({ commits }: ReplayWindow, history: CommitHistory | null): { to: number; ms: number }[] {
  const counts = new Set(commits.map((c) => c.partition));
  return (history?.partitions ?? []).flatMap((p) => {
    if (!counts.has(p.partition)) return [];
    const times = p.commits.slice(-NEWEST_GAPS - 1).map((c) => Date.parse(c.at));
    return times.slice(1).map((to, i) => ({ to, ms: to - (times[i] ?? to) }));
  });
}

/** How long a commit may be due, milliseconds. */
export const allowedMs = ({ flushMs }: AllowedWait) => Math.max(LEAST_MS, INTERVALS * flushMs);

/** `3 flush intervals of 1 min`. */
export function allowedWords(allowed: AllowedWait): string {
  const intervals = `${INTERVALS} flush intervals of ${duration(allowed.flushMs)}`;
  return allowedMs(allowed) > INTERVALS * allowed.flushMs
    ? `${duration(LEAST_MS)}, for ${intervals} are less than a restart takes`
    : intervals;
}

/**
 * How long a flush interval a connector is allowed. Workers are restarted with a longer one, and the commits from before do not
 * know: an interval is held against a connector only where it is sure and its newest gap fits it. Else it is allowed its longest
 * gap among the newest, and Connect's default.
 */
export function allowedWait(window: ReplayWindow, history: CommitHistory | null): AllowedWait {
  const { ms, confidence } = window.flushInterval;
  const gaps = newestGaps(window, history);
  const newest = gaps.reduce<(typeof gaps)[number] | null>((a, g) => (a && a.to >= g.to ? a : g), null);
  const recent = newest !== null && newest.to >= Date.parse(window.at) - RECENT_MS;
  if (ms !== null && confidence === "sure" && recent && newest.ms < 1.5 * ms)
    return { flushMs: ms, why: null };
  const longest = gaps.reduce((most, g) => Math.max(most, Math.min(g.ms, LONGEST_GAP_MS)), 0);
  const inferred = ms ?? 0;
  if (longest > Math.max(inferred, DEFAULT_FLUSH_MS) * 1.05) return { flushMs: longest, why: "longest-gap" };
  return inferred >= DEFAULT_FLUSH_MS
    ? { flushMs: inferred, why: null }
    : { flushMs: DEFAULT_FLUSH_MS, why: "default" };
}
