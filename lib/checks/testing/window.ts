import type { ByTime, ReplayWindow } from "@/lib/observed/replay-window";
import { ago } from "./facts";

export function byTime(more: Partial<ByTime> = {}): ByTime {
  return {
    low: { records: 290, bytes: 60_000 },
    whyNoLow: null,
    high: { records: 340, bytes: 70_000 },
    whyNoHigh: null,
    committedAt: ago(14).toISOString(),
    sourceAt: ago(15).toISOString(),
    firstAt: ago(14).toISOString(),
    notes: [],
    ...more,
  };
}

/** Commits that count, each so many seconds ago; null where REST alone told. */
export function commitsAgo(...secondsAgo: (number | null)[]): ReplayWindow["commits"] {
  return secondsAgo.map((seconds, i) => ({
    partition: JSON.stringify({ server: "inv", n: i }),
    committedAt: seconds === null ? null : ago(seconds).toISOString(),
    position: "0-223344-21",
  }));
}

/** 310 events since a commit of 14 s ago, looked at 2 s ago; flushes every minute. */
export function replayWindow(more: Partial<ReplayWindow> = {}): ReplayWindow {
  return {
    at: ago(2).toISOString(),
    kind: "events",
    why: null,
    standsStill: null,
    events: 310,
    by: "position",
    bound: "about",
    bytes: 65_536,
    spanMs: 12_000,
    byTime: byTime(),
    byPosition: null,
    whyNoPosition: null,
    ownTopics: { records: 1, bytes: 100 },
    commits: commitsAgo(14),
    exactlyOnce: { asked: false, allowed: null, seen: false },
    flushInterval: { ms: 60_000, commits: 34, of: "connector", confidence: "sure", why: null },
    topics: [{ topic: "inv.inventory.products", records: 290, end: 4_000, failure: null }],
    recentWorst: { events: 900, at: ago(120).toISOString() },
    grewAt: ago(3).toISOString(),
    ...more,
  };
}

/** An idle connector: its last record is covered by its last commit, so many seconds ago. */
export function idleWindow(secondsAgo: number, more: Partial<ReplayWindow> = {}): ReplayWindow {
  const nothing = { records: 0, bytes: 0 };
  return replayWindow({
    events: 0,
    bound: "exact",
    bytes: 0,
    spanMs: null,
    commits: commitsAgo(secondsAgo),
    byTime: byTime({
      low: nothing,
      high: nothing,
      committedAt: ago(secondsAgo).toISOString(),
      firstAt: null,
    }),
    recentWorst: { events: 0, at: ago(60).toISOString() },
    topics: [{ topic: "inv.inventory.products", records: 0, end: 4_000, failure: null }],
    grewAt: null,
    ...more,
  });
}
