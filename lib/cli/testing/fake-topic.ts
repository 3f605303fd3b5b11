import { encodeBatch } from "@/lib/kafka/log/testing/encode-batch";
import type { FakeTopic } from "@/lib/kafka/testing/fake-broker";

export interface LaidRecord {
  timestamp: number;
  key: Buffer | null;
  value: Buffer | null;
  headers: { name: string; value: Buffer | null }[];
}

/** Records of a batch. */
const size = 10;

/** A topic of the broker's double with these records in each partition, in batches of ten. */
export function fakeTopic(
  partitions: readonly (readonly LaidRecord[])[],
  more: Partial<FakeTopic> = {},
): FakeTopic {
  return {
    topicId: "a".repeat(32),
    partitions: partitions.map((records) => ({
      earliest: 0n,
      latest: BigInt(records.length),
      log: Array.from({ length: Math.ceil(records.length / size) }, (_, i) =>
        batchOf(records.slice(i * size, (i + 1) * size), i * size),
      ),
      times: records.map(({ timestamp }, i) => ({ offset: BigInt(i), timestamp: BigInt(timestamp) })),
    })),
    ...more,
  };
}

function batchOf(records: readonly LaidRecord[], base: number): Buffer {
  const first = records[0]?.timestamp ?? 0;
  return encodeBatch({
    baseOffset: BigInt(base),
    leaderEpoch: 0,
    attributes: 0,
    lastOffsetDelta: records.length - 1,
    baseTimestamp: BigInt(first),
    maxTimestamp: BigInt(Math.max(...records.map(({ timestamp }) => timestamp))),
    producerId: -1n,
    producerEpoch: -1,
    baseSequence: -1,
    records: records.map(({ timestamp, key, value, headers }, i) => ({
      offsetDelta: i,
      timestampDelta: BigInt(timestamp - first),
      key,
      value,
      headers,
    })),
  });
}
