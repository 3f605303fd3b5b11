import type { FakePartition, FakeTopic } from "../../testing/fake-broker";
import { encodeBatch } from "./encode-batch";

export interface FakeBatch {
  /** Offsets of its records, rising. */
  offsets: number[];
  /** Where compaction removed the last record: the last offset it was written with. */
  lastOffset?: number;
  value?: (offset: number) => string;
  producerId?: number;
  transactional?: boolean;
  /** A transaction marker instead of records. */
  marker?: "commit" | "abort";
  leaderEpoch?: number;
}

/** All batches of ten records have one size. */
const digits = (offset: number) => String(offset).padStart(4, "0");

/** A batch as it lies in the log; the value of a record is `v` and its offset unless told otherwise. */
export function batchOf(batch: FakeBatch): Buffer {
  const {
    offsets,
    producerId = -1,
    marker,
    leaderEpoch = 0,
    value = (offset) => `v${digits(offset)}`,
  } = batch;
  const base = offsets[0] ?? 0;
  const last = batch.lastOffset ?? offsets.at(-1) ?? base;
  const transactional = batch.transactional ?? marker !== undefined;
  return encodeBatch({
    baseOffset: BigInt(base),
    leaderEpoch,
    attributes: (transactional ? 0x10 : 0) | (marker ? 0x20 : 0),
    lastOffsetDelta: last - base,
    baseTimestamp: 1_789_367_000_000n,
    maxTimestamp: 1_789_367_000_000n,
    producerId: BigInt(producerId),
    producerEpoch: producerId < 0 ? -1 : 0,
    baseSequence: producerId < 0 ? -1 : 0,
    records: offsets.map((offset) => ({
      offsetDelta: offset - base,
      timestampDelta: BigInt(offset - base),
      key: marker ? Buffer.from([0, 0, 0, marker === "commit" ? 1 : 0]) : Buffer.from(`k${digits(offset)}`),
      value: marker ? Buffer.from([0, 0, 0, 0, 0, 0]) : Buffer.from(value(offset)),
      headers: [],
    })),
  });
}

/** Whole numbers from the first to before the last. */
export function offsets(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i);
}

/** A log of batches of `size` records each, from one offset to before another. */
export function logOf(from: number, to: number, size: number, leaderEpoch = 0): Buffer[] {
  const batches: Buffer[] = [];
  for (let at = from; at < to; at += size)
    batches.push(batchOf({ offsets: offsets(at, Math.min(at + size, to)), leaderEpoch }));
  return batches;
}

export function partitionOf(from: number, to: number, log: Buffer[], more: Partial<FakePartition> = {}) {
  return { earliest: BigInt(from), latest: BigInt(to), log, ...more };
}

export const id = (digit: string) => digit.repeat(32);

export function topicOf(partition: FakePartition, topicId: string | undefined = id("a")): FakeTopic {
  return topicId === undefined ? { partitions: [partition] } : { topicId, partitions: [partition] };
}
