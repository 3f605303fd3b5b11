import type { FoundReplay, Replay, ReplayCause } from "@/lib/observed/duplicates";
import type { Restart } from "@/lib/observed/window-series";
import { causeWhyOf } from "./scene-causes";
import { minute, second } from "./scene-facts";

/** What is known of duplicates in a made-up connector. */
export const duplicatesStates = [
  "none",
  "two",
  "three",
  "many",
  "unknown",
  "flattened",
  "transactional",
  "backwards",
] as const;
export type DuplicatesState = (typeof duplicatesStates)[number];

export const hour = 60 * minute;
export const iso = (ms: number) => new Date(ms).toISOString();

export const duplicatesName = (state: DuplicatesState) => `dup-${state}-cdc`;

/** A UUID of version 7, as Debezium gives one to each run: it begins with its time. */
function runId(at: number, n: number): string {
  const hex = at.toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7abc-8def-${n.toString(16).padStart(12, "0")}`;
}

interface Made {
  state: DuplicatesState;
  topic?: string;
  partition?: number;
  firstOffset: number;
  count: number;
  at: number;
  cause: ReplayCause;
  /** Records between first and last that are no copies. */
  others?: number;
  change?: Partial<FoundReplay>;
}

/** An LSN of PostgreSQL, `n` bytes of WAL after 1A/0. */
function lsn(n: number): string {
  const hex = (part: number) => Math.floor(part).toString(16).toUpperCase();
  return `${hex(0x1a + n / 2 ** 32)}/${hex(n % 2 ** 32).padStart(8, "0")}`;
}

/** One replay, with what its restart would be called. */
function replay(made: Made): Replay {
  const { state, firstOffset, count, at, cause, others = 0 } = made;
  const topic = made.topic ?? "shop.public.orders";
  const partition = made.partition ?? 0;
  const lastOffset = firstOffset + count + others - 1;
  const within = cause === "producer-retry";
  // One run writes to many partitions within a second.
  const began = Math.floor(at / second) * second;
  const before = runId(began - 5 * hour, 1);
  return {
    topic,
    topicId: "q1Hc3mYQRbOCUoqvSgz5yw",
    partition,
    firstOffset,
    lastOffset,
    count,
    bound: "exact",
    firstPosition: lsn(firstOffset * 88),
    lastPosition: lsn(firstOffset * 88 + count * 88),
    firstCopyOf: firstOffset - count - 12,
    lastCopyOf: firstOffset - 13,
    runBefore: before,
    runAfter: within ? before : runId(began - 7 * second, 2),
    writer: "shop",
    at: iso(at),
    until: iso(at + Math.max(40, count / 4)),
    evidence: within ? "leader-epoch" : "run-id",
    causeInLog: within ? "producer-retry" : null,
    ...made.change,
    id: `${topic}/${partition}/${firstOffset}`,
    cluster: "eu-1",
    connector: duplicatesName(state),
    cause,
    causeWhy: causeWhyOf[cause],
    restart: within || cause === "source-retry" ? null : `${duplicatesName(state)} ${began}`,
  };
}

/** The replays of each state, newest first. Offsets and counts fit together; times are before `now`. */
export function replaysOf(state: DuplicatesState, now: Date): Replay[] {
  const ago = (ms: number) => Math.floor((now.getTime() - ms) / second) * second;
  if (state === "two")
    return [
      { firstOffset: 51_902_007, count: 120, at: ago(2 * hour + 10 * minute), cause: "rebalance" as const },
      { firstOffset: 48_120_113, count: 39_812, at: ago(12 * hour + 22 * minute), cause: "crash" as const },
    ].map((made) => replay({ state, ...made }));
  if (state === "three") return threeReplays(ago);
  if (state === "transactional") return [];
  if (state === "backwards")
    return [
      replay({ state, firstOffset: 7_204_551, count: 1_204, at: ago(9 * hour), cause: "config-change" }),
    ];
  return state === "many" ? manyReplays(ago) : [];
}

/** A week with three events, each in one partition. */
function threeReplays(ago: (ms: number) => number): Replay[] {
  return [
    { firstOffset: 3_106_880, count: 640, at: ago(9 * hour + 4 * minute), cause: "rebalance" as const },
    { firstOffset: 2_190_316, count: 18_944, at: ago(51 * hour + 37 * minute), cause: "crash" as const },
    { firstOffset: 702_455, count: 2_310, at: ago(126 * hour + 12 * minute), cause: "source-retry" as const },
  ].map((made) => replay({ state: "three", ...made }));
}

/** A crash that shows in the eight partitions of a table, and a fortnight of others. */
function manyReplays(ago: (ms: number) => number): Replay[] {
  const crash = ago(3 * hour);
  const wide = [8_120, 7_994, 8_003, 8_211, 7_877, 8_090, 8_150, 7_912].map((count, partition) => ({
    partition,
    count,
    firstOffset: 6_104_220 + partition * 1_300,
    at: crash + partition * 40,
    cause: "crash" as const,
    others: partition === 3 ? 5 : 0,
  }));
  const causes: readonly ReplayCause[] = [
    "rebalance",
    "source-retry",
    "graceful-restart",
    "producer-retry",
    "worker-lost",
    "config-change",
    "failover",
    "unknown",
  ];
  const single = Array.from({ length: 40 }, (_, n) => ({
    topic: n % 3 === 0 ? "shop.public.order_lines" : "shop.public.orders",
    firstOffset: 5_900_000 - n * 41_000,
    count: 1 + ((n * n * 137) % 4_400),
    at: ago(11 * hour + n * 8 * hour),
    cause: causes[n % causes.length] ?? "unknown",
    change:
      n === 5 ? { bound: "at-most" as const } : n > 30 ? { firstCopyOf: null, lastCopyOf: null } : undefined,
  }));
  return [...wide, ...single].map((made) => replay({ state: "many", ...made }));
}

/** The restarts that the replays of a state belong to, with what the page had predicted. */
export function duplicatesRestarts(state: DuplicatesState, now: Date): Restart[] {
  const byId = new Map<string, Replay[]>();
  for (const known of replaysOf(state, now))
    if (known.restart !== null) byId.set(known.restart, [...(byId.get(known.restart) ?? []), known]);
  return [...byId].flatMap(([id, [first, ...others]]) => {
    if (!first) return [];
    const replayed = [first, ...others].reduce((sum, r) => sum + r.count, 0);
    return [
      {
        id,
        cluster: first.cluster,
        connector: duplicatesName(state),
        at: first.at,
        noticedAt: first.until,
        runBefore: first.runBefore,
        runAfter: first.runAfter,
        shown: { events: replayed + (replayed % 3), at: first.at, by: "position" },
        recomputed: replayed,
        replayed,
        state: "measured" as const,
        why: null,
        partitions: [],
      },
    ];
  });
}
