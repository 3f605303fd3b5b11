import {
  type ConnectorDuplicates,
  type PartitionDuplicates,
  type Replay,
  replayId,
} from "@/lib/observed/duplicates";
import type { MeasuredPartitionRow } from "./measured-partitions";

/** What came again, for tests of the store. Times in milliseconds since 1970. */
export function replayAt(at: number, more: Partial<Replay> = {}): Replay {
  const found = {
    topic: "shop.public.orders",
    topicId: "x1F3bQYhTbm2m3nYQx2K3A",
    partition: 0,
    firstOffset: at % 1_000_000_000,
    lastOffset: (at % 1_000_000_000) + 11,
    count: 10,
    bound: "exact" as const,
    firstPosition: "0/16B3748:18446744073709551615",
    lastPosition: "0/16B3750:1",
    firstCopyOf: 3,
    lastCopyOf: 14,
    runBefore: "01940000-0000-7000-8000-000000000001",
    runAfter: "01940000-0000-7000-8000-000000000002",
    writer: "shop",
    at: new Date(at).toISOString(),
    until: new Date(at + 900).toISOString(),
    evidence: "run-id" as const,
    causeInLog: null,
    cluster: "eu",
    connector: "orders",
    cause: "crash" as const,
    causeWhy: "The worker's process ended and another one took its task.",
    restart: null,
    ...more,
  };
  return { id: replayId(found), ...found };
}

export function duplicatesOf(topic: string, replays: Replay[]): ConnectorDuplicates {
  const duplicates = replays.reduce((sum, { count }) => sum + count, 0);
  return {
    topics: [
      {
        topic,
        topicId: null,
        from: "2026-05-01T00:00:00.000Z",
        to: "2026-05-29T12:00:00.000Z",
        records: 2 ** 52,
        behind: 0,
        duplicates,
        replays: replays.length,
        day: { records: 100, duplicates, replays: replays.length },
        sure: "complete",
        uncommittedCopies: 0,
        notMeasurable: [],
        falls: [],
        scan: null,
      },
    ],
    replays,
  };
}

export function partitionFound(
  topic: string,
  partition: number,
  more: Partial<PartitionDuplicates> = {},
): PartitionDuplicates {
  return {
    topic,
    partition,
    topicId: null,
    from: 0,
    to: 500,
    replays: [],
    falls: [],
    runs: [],
    notMeasurable: [],
    sure: "complete",
    spacing: null,
    uncommittedCopies: null,
    bytesRead: 12_345,
    reads: 7,
    ...more,
  };
}

export function measuredRow(
  connector: string,
  topic: string,
  partition: number,
  more: Partial<MeasuredPartitionRow> = {},
): MeasuredPartitionRow {
  const { replays: _, ...found } = partitionFound(topic, partition);
  return {
    connector,
    topic,
    partition,
    topicId: null,
    from: 0,
    to: 2 ** 53 - 1,
    fromAt: null,
    toAt: new Date(Date.UTC(2026, 4, 29, 12)),
    carried: { marks: [{ writer: "shop", position: "18446744073709551615" }] },
    found,
    ...more,
  };
}
