import type { OffsetCommit } from "@/lib/observed/commits";
import type { Restart, WindowPoint } from "@/lib/observed/window-series";

/** States in which a replay window is shown in tests. */
export const windowStates = [
  "steady",
  "bursty",
  "several",
  "idle",
  "exactly-once",
  "snapshot",
  "stopped",
  "unknown",
] as const;
export type WindowState = (typeof windowStates)[number];

/** What the store would hold of one connector's window. */
export interface WindowSeries {
  /** Oldest first. */
  points: WindowPoint[];
  commits: Date[];
  restarts: Restart[];
}

const second = 1_000;
const hour = 3_600 * second;
const pollMs = 5 * second;
const flushMs = 60 * second;

/** The same number from 0 to 1 for the same step and salt. */
function chance(step: number, salt: number): number {
  const x = Math.sin(step * 127.1 + salt * 311.7) * 43_758.5453;
  return x - Math.floor(x);
}

/** Events a second, at a step of five seconds since 1970. */
const rates: Readonly<Record<WindowState, (step: number) => number>> = {
  steady: (step) => Math.round(210 + 30 * Math.sin(step / 90) + 24 * chance(step, 1)),
  bursty: (step) => (chance(Math.floor(step / 6), 2) > 0.94 ? 1_900 : 14 + Math.round(9 * chance(step, 3))),
  several: (step) => Math.round(40 + 8 * chance(step, 4)),
  idle: () => 0,
  "exactly-once": (step) => Math.round(120 + 20 * chance(step, 5)),
  snapshot: () => 1_400,
  stopped: (step) => Math.round(180 + 20 * chance(step, 6)),
  unknown: (step) => Math.round(90 + 10 * chance(step, 7)),
};

/** So long before the scene began a state came to be what it is; milliseconds. */
const stoppedMs = 14 * 60 * second;
const unknownMs = 9 * 60 * second;
const snapshotMs = 14 * 60 * second;

interface Walk {
  produced: number;
  covered: number;
  committedAt: number | null;
}

function pointOf(state: WindowState, at: number, walk: Walk, anchor: number): WindowPoint {
  const lost = state === "unknown" && at > anchor - unknownMs;
  // A look that failed for two minutes, so that each chart shows what is not known.
  const gap = state === "steady" && anchor - at > 31 * 60 * second && anchor - at < 33 * 60 * second;
  const events =
    state === "exactly-once" ? 0 : state === "snapshot" ? walk.produced : walk.produced - walk.covered;
  const known = !lost && !gap;
  return {
    at,
    between: false,
    produced: known ? walk.produced : null,
    events: known ? events : null,
    low: known ? Math.round(events * 0.95) : null,
    high: known ? Math.round(events * 1.05) : null,
    by: known ? (state === "exactly-once" || state === "snapshot" ? state : "position") : null,
    committedAt: walk.committedAt,
  };
}

function restart(n: number, at: number, change: Partial<Restart>): Restart {
  return {
    id: `restart-${n}`,
    cluster: "eu-1",
    connector: "steady-cdc",
    at: new Date(at).toISOString(),
    noticedAt: new Date(at + 4 * second).toISOString(),
    runBefore: `run-${n}`,
    runAfter: `run-${n + 1}`,
    shown: null,
    recomputed: null,
    replayed: null,
    state: "measured",
    why: null,
    partitions: [],
    ...change,
  };
}

function restartsOf(state: WindowState, now: number): Restart[] {
  if (state !== "steady" && state !== "bursty") return [];
  const shown = (events: number, at: number) => ({
    events,
    at: new Date(at - 3 * second).toISOString(),
    by: "position",
  });
  const [first, other, third] = [now - 41 * 60 * second, now - 17 * 60 * second, now - 9 * hour];
  return [
    restart(1, first, {
      shown: shown(9_214, first),
      recomputed: 9_812,
      replayed: 9_812,
      partitions: [
        {
          topic: "shop.public.orders",
          partition: 0,
          firstOffset: 51_902_007,
          lastOffset: 51_911_818,
          count: 9_812,
        },
      ],
    }),
    restart(2, other, { shown: shown(0, other), recomputed: 0, replayed: 0 }),
    restart(3, third, {
      shown: shown(4_406, third),
      state: "not-measurable",
      why: "Retention has deleted the records of the run before",
    }),
  ].map((r) => ({ ...r, connector: `${state}-cdc` }));
}

/**
 * A made-up series that begins `forMs` before `began` and goes on to `now`. A later `now` only adds to it.
 * Commits come every 60 s, on the minute.
 */
export function seriesOf(
  state: WindowState,
  now: Date,
  { began = now, forMs = hour }: { began?: Date; forMs?: number } = {},
): WindowSeries {
  const anchor = onPoll(began);
  const begin = anchor - forMs;
  const walk: Walk = { produced: 0, covered: 0, committedAt: null };
  const points: WindowPoint[] = [];
  const commits: Date[] = [];
  for (let at = begin - flushMs; at <= onPoll(now); at += pollMs) {
    const halted = state === "stopped" && at > anchor - stoppedMs;
    const flushes = state !== "snapshot" && state !== "idle" && !halted;
    if (flushes && at % flushMs === 0) {
      walk.covered = walk.produced;
      walk.committedAt = at;
      if (at >= begin) commits.push(new Date(at));
    }
    const begun = state !== "snapshot" || at >= anchor - snapshotMs;
    if (!halted && begun) walk.produced += rates[state](at / pollMs) * (pollMs / second);
    if (at >= begin && begun) points.push(pointOf(state, at, walk, anchor));
  }
  return { points, commits, restarts: restartsOf(state, anchor) };
}

/** The commits of a series as records of one partition of the offset topic, each always at the same place. */
export function offsetCommits(state: WindowState, { commits }: WindowSeries): OffsetCommit[] {
  return commits.map((at) => {
    const n = Math.floor(at.getTime() / flushMs);
    return {
      at: at.toISOString(),
      offset: `{"lsn":${100_000_000_000 + n * 448},"txId":${n}}`,
      topic: "connect-offsets",
      kafkaPartition: windowStates.indexOf(state),
      kafkaOffset: n,
    };
  });
}

function onPoll(date: Date): number {
  return Math.floor(date.getTime() / pollMs) * pollMs;
}
