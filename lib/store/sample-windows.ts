import type { ReplayWindow } from "@/lib/observed/replay-window";
import type { Restart, WindowPoint, WindowRollup } from "@/lib/observed/window-series";

/** Rows of replay windows' series for tests of the store. Times in milliseconds since 1970. */
export function pointAt(at: number, more: Partial<WindowPoint> = {}): WindowPoint {
  return {
    at,
    between: false,
    produced: Number.MAX_SAFE_INTEGER,
    events: 41_000,
    low: 40_100,
    high: null,
    by: "position",
    committedAt: at - 44_321,
    ...more,
  };
}

export function betweenAt(at: number, produced: number): WindowPoint {
  const unknown = { events: null, low: null, high: null, by: null, committedAt: null };
  return { at, between: true, produced, ...unknown };
}

export function rollupAt(at: number, more: Partial<WindowRollup> = {}): WindowRollup {
  return {
    at,
    known: 11,
    polls: 12,
    sum: 2 ** 52,
    most: 41_000,
    least: 0,
    mostAt: at + 4_321,
    histogram: [0, 2, 31, 9],
    produced: 1_200,
    producedMs: 59_999,
    commits: 3,
    dial: [
      { intervalMs: 0, most: 41_000 },
      { intervalMs: 1_000, most: 37 },
      { intervalMs: 300_000, most: 9_007_199_254 },
    ],
    ...more,
  };
}

export function restartAt(at: number, more: Partial<Restart> = {}): Restart {
  const time = new Date(at).toISOString();
  return {
    id: `01940000-0000-7000-8000-${String(at).padStart(14, "0")}`,
    cluster: "eu",
    connector: "orders",
    at: time,
    noticedAt: time,
    runBefore: null,
    runAfter: "01940000-0000-7000-8000-000000000001",
    shown: { events: 41_000, at: time, by: "position" },
    recomputed: 41_250,
    replayed: 41_250,
    state: "measured",
    why: null,
    partitions: [{ topic: "tm.orders", partition: 0, firstOffset: 7, lastOffset: 2 ** 40, count: 41_250 }],
    ...more,
  };
}

export const replayWindow: ReplayWindow = {
  at: "2026-11-29T12:00:00.123Z",
  kind: "events",
  why: null,
  standsStill: null,
  events: 41_000,
  by: "position",
  bound: "exact",
  bytes: 28_000_000,
  spanMs: 44_321,
  byTime: {
    low: { records: 40_100, bytes: null },
    whyNoLow: null,
    high: { records: 44_200, bytes: 30_000_000 },
    whyNoHigh: null,
    committedAt: "2026-11-29T11:59:15.802Z",
    sourceAt: "2026-11-29T11:59:10.000Z",
    firstAt: "2026-11-29T11:59:15.900Z",
    notes: [],
  },
  byPosition: null,
  whyNoPosition: "Not counted yet.",
  ownTopics: { records: 5, bytes: null },
  commits: [{ partition: '{"server":"shop"}', committedAt: "2026-11-29T11:59:15.802Z", position: "0/1A2B" }],
  exactlyOnce: { asked: false, allowed: null, seen: false },
  flushInterval: { ms: 60_000, commits: 34, of: "connector", confidence: "sure", why: null },
  topics: [{ topic: "tm.orders", records: 40_100, end: 2 ** 52, failure: null }],
  recentWorst: { events: 43_000, at: "2026-11-29T11:55:00.000Z" },
  grewAt: "2026-11-29T12:00:00.000Z",
};
