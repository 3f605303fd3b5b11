import type { JudgedConnector } from "@/lib/checks/judged";
import type { ConnectorDuplicates, Replay, ScanResult, TopicDuplicates } from "@/lib/observed/duplicates";
import {
  end,
  mariadb,
  postgres,
  postgresOffset,
  refused,
  report,
  second,
  seen,
  stored,
  withTopics,
} from "./scene-facts";
import {
  type DuplicatesState,
  duplicatesName,
  duplicatesStates,
  hour,
  iso,
  replaysOf,
} from "./scene-replays";

const day = 24 * hour;

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
export function duplicatesOf(state: DuplicatesState, now: Date, began = now): ConnectorDuplicates | null {
  const replays = replaysOf(state, began);
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
    case "three":
      return {
        replays,
        topics: [
          topic(orders, 3_120_448, replays, now),
          topic("shop.public.customers", 204_880, replays, now),
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
          remedy: "Start the registry, or correct kafka.schemaRegistry of this cluster.",
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

/**
 * One connector in each state, named for it, on the cluster `eu-1`.
 * @param began when the scene began: its replays do not move with the time
 */
export function duplicatesConnectors(now: Date, began = now): JudgedConnector[] {
  return duplicatesStates.map((state) => {
    const value = report(duplicatesName(state), state === "none" ? mariadb : postgres, "3.6.1.Final", {
      "topic.prefix": "shop",
    });
    const known = duplicatesOf(state, now, began);
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
