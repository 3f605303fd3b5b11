import type { JudgedConnector } from "@/lib/checks/judged";
import type {
  ConnectorDuplicates,
  FoundReplay,
  Replay,
  ReplayCause,
  ScanResult,
  TopicDuplicates,
} from "@/lib/observed/duplicates";
import type { Restart } from "@/lib/observed/window-series";
import { causeWhyOf } from "./scene-causes";
import {
  end,
  mariadb,
  minute,
  postgres,
  postgresOffset,
  refused,
  report,
  second,
  seen,
  stored,
  withTopics,
} from "./scene-facts";

/** What is known of duplicates in a made-up connector. */
export const duplicatesStates = [
  "none",
  "two",
  "many",
  "unknown",
  "flattened",
  "transactional",
  "backwards",
] as const;
export type DuplicatesState = (typeof duplicatesStates)[number];

const hour = 60 * minute;
const day = 24 * hour;
const iso = (ms: number) => new Date(ms).toISOString();

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
  if (state === "transactional") return [];
  if (state === "backwards")
    return [
      replay({ state, firstOffset: 7_204_551, count: 1_204, at: ago(9 * hour), cause: "config-change" }),
    ];
  return state === "many" ? manyReplays(ago) : [];
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

function topic(
  name: string,
  records: number,
  replays: readonly Replay[],
  now: Date,
  change: Partial<TopicDuplicates> = {},
): TopicDuplicates {
  const own = replays.filter((r) => r.topic === name);
  const today = own.filter((r) => Date.parse(r.at) > now.getTime() - day);
  const sum = (of: readonly Replay[]) => of.reduce((total, r) => total + r.count, 0);
  return {
    topic: name,
    topicId: "q1Hc3mYQRbOCUoqvSgz5yw",
    from: iso(now.getTime() - 7 * day),
    to: now.toISOString(),
    records,
    behind: 0,
    duplicates: sum(own),
    replays: own.length,
    day: { records: Math.round(records / 7), duplicates: sum(today), replays: today.length },
    sure: "complete",
    uncommittedCopies: 0,
    notMeasurable: [],
    falls: [],
    scan: null,
    ...change,
  };
}

/** What a sample over a topic of `events` changes found. */
export function scanOf(
  name: string,
  events: number,
  now: Date,
  change: Partial<ScanResult> = {},
): ScanResult {
  return {
    topic: name,
    from: iso(now.getTime() - 7 * day),
    to: now.toISOString(),
    records: events + 12_640,
    events,
    duplicates: Math.round(events * 0.0081),
    rate: 0.0081,
    interval: [0.0078, 0.0084],
    sampled: Math.round(events / 64),
    share: 1 / 64,
    reReads: 12_400,
    snapshotOverlap: 0,
    keyOrderViolations: 0,
    uncommittedCopies: 0,
    violations: [],
    notMeasurable: [],
    bytesRead: events * 700,
    ...change,
  };
}

const orders = "shop.public.orders";
const lines = "shop.public.order_lines";

/** What is known of a state's topics. Null: nothing was ever seen. */
export function duplicatesOf(state: DuplicatesState, now: Date): ConnectorDuplicates | null {
  const replays = replaysOf(state, now);
  switch (state) {
    case "none":
      return {
        replays,
        topics: [
          topic(orders, 4_912_331, replays, now),
          topic("shop.public.customers", 1_204_880, replays, now, {
            falls: [
              {
                topic: "shop.public.customers",
                partition: 0,
                offset: 1_101_200,
                at: iso(now.getTime() - 2 * day),
                kind: "timeline",
                sentence:
                  "The positions fall there, but no change after it had come before: PostgreSQL was promoted or restored",
              },
            ],
          }),
        ],
      };
    case "two":
      return {
        replays,
        topics: [
          topic(orders, 4_912_331, replays, now, {
            day: { records: 4_912_331, duplicates: 39_932, replays: 2 },
            scan: scanOf(orders, 4_912_331, now),
          }),
          topic("shop.public.customers", 1_204_880, replays, now),
          topic("shop.public.audit_nopk", 88, replays, now, {
            sure: "whole",
            scan: scanOf("shop.public.audit_nopk", 88, now, { duplicates: 0, rate: 0, share: 1, reReads: 0 }),
          }),
        ],
      };
    case "many":
      return {
        replays,
        topics: [
          topic(orders, 6_200_140, replays, now, { uncommittedCopies: 12 }),
          topic(lines, 5_912_000, replays, now, { sure: "known-starts" }),
        ],
      };
    case "unknown":
      return null;
    case "flattened":
      return { replays, topics: flattened(now) };
    case "transactional":
      return {
        replays,
        topics: [topic(orders, 2_204_120, replays, now, { uncommittedCopies: 1_449 })],
      };
    case "backwards":
      return {
        replays,
        topics: [
          topic(orders, 1_204_551, replays, now, {
            from: iso(now.getTime() - 11 * hour),
            behind: 6_000_000,
            day: { records: 1_204_551, duplicates: 1_204, replays: 1 },
          }),
          topic(lines, 0, replays, now, {
            from: null,
            to: null,
            records: null,
            behind: 9_120_440,
            day: { records: null, duplicates: 0, replays: 0 },
            sure: null,
          }),
        ],
      };
  }
}

function flattened(now: Date): TopicDuplicates[] {
  return [
    topic(orders, 4_912_331, [], now, {
      notMeasurable: [
        {
          slug: "flattened",
          reason: "The events are flattened (ExtractNewRecordState) and carry no source position",
          count: null,
          remedy:
            "Set transforms.unwrap.add.fields=source.lsn,source.txId,source.sequence, or transforms.unwrap.add.headers of the same fields.",
        },
      ],
    }),
    topic("shop.public.customers", 1_204_880, [], now, {
      notMeasurable: [
        {
          slug: "unreadable",
          reason: "12 records are larger than the limit of 1 MiB and were not read",
          count: 12,
          remedy: null,
        },
      ],
    }),
    topic("shop.public.payments", 220_140, [], now, {
      notMeasurable: [
        {
          slug: "registry",
          reason:
            "The schema registry at http://registry.eu:8081 does not answer, so Avro records cannot be read",
          count: null,
          remedy: "Start it, or correct kafka.schemaRegistry of this cluster.",
        },
      ],
    }),
  ];
}

const refusedTopics = {
  kind: "forbidden" as const,
  sentence: "The brokers refuse to show topic shop.public.orders: READ is not granted",
  remedy: "Grant User:tidemark Read on topic shop.public.orders.",
};

/** One connector in each state, named for it, on the cluster `eu-1`. */
export function duplicatesConnectors(now: Date): JudgedConnector[] {
  return duplicatesStates.map((state) => {
    const value = report(duplicatesName(state), state === "none" ? mariadb : postgres, "3.6.1.Final", {
      "topic.prefix": "shop",
    });
    const known = duplicatesOf(state, now);
    const topics = [
      end(orders, "table", 8, "51902126", now, 102.4),
      end(lines, "table", 8, "91204400", now, 240),
    ];
    return {
      ...withTopics(stored("eu-1", value, now), topics, now),
      offsets: seen(postgresOffset("shop", 113_000_000_000n, now), now, 3 * second),
      duplicates: known ? seen(known, now, 4 * second) : refused(refusedTopics, now),
    };
  });
}
