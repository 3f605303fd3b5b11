import { AbortedTransactions } from "@/lib/kafka/log/aborted";
import { BatchWalk } from "@/lib/kafka/log/batch-walk";
import { fetchedBatch } from "@/lib/kafka/log/fetched-batch";
import {
  type FetchedBatch,
  LogReadError,
  type LogReader,
  type ReadEnd,
  type ReadRange,
} from "@/lib/kafka/log/log-reader";
import { encodeBatch, type WrittenBatch } from "@/lib/kafka/log/testing/encode-batch";
import type { Failure } from "@/lib/observed/observation";

/** A record to be written; what a test does not speak of is left out. */
export interface EventRecord {
  value: string | Buffer | null;
  key?: string | null;
  run?: string | null;
  timestamp?: number;
}

interface Batch {
  bytes: Buffer;
  first: number;
  last: number;
}

interface Partition {
  batches: Batch[];
  end: number;
  /** First offset that retention left. */
  first: number;
  aborted: { producerId: bigint; firstOffset: number }[];
  /** What every fetch at or after an offset fails with. */
  fails?: { at: number; failure: Failure };
  recreated?: boolean;
}

/** Topics in memory, as real batches: what is read from it has gone through the walk and the cursor of a real read. */
export class EventLog {
  readonly #partitions = new Map<string, Partition>();
  /** Offsets that were read from, as `topic/partition from`. */
  readonly reads: string[] = [];
  batchesRead = 0;

  of(topic: string, partition = 0): Partition {
    const name = `${topic}/${partition}`;
    const known = this.#partitions.get(name) ?? { batches: [], end: 0, first: 0, aborted: [] };
    this.#partitions.set(name, known);
    return known;
  }

  /** A topic that is made again begins empty. */
  forget(topic: string): void {
    for (const name of [...this.#partitions.keys()])
      if (name.startsWith(`${topic}/`)) this.#partitions.delete(name);
  }

  /** Writes one batch and returns the offset of its first record. */
  write(
    topic: string,
    partition: number,
    records: readonly EventRecord[],
    producer: { id: bigint; aborts?: boolean; appendTime?: boolean } | null = null,
  ): number {
    const log = this.of(topic, partition);
    const base = log.end;
    const baseTimestamp = BigInt(records[0]?.timestamp ?? 1_789_367_000_000);
    const last = BigInt(Math.max(...records.map(({ timestamp }) => timestamp ?? Number(baseTimestamp))));
    const transactional = producer !== null && producer.id >= 0n;
    if (producer?.aborts) log.aborted.push({ producerId: producer.id, firstOffset: base });
    this.#append(log, {
      ...batchAt(base, (transactional ? 0x10 : 0) | (producer?.appendTime ? 0x08 : 0)),
      baseTimestamp,
      maxTimestamp: last,
      producerId: producer?.id ?? -1n,
      lastOffsetDelta: records.length - 1,
      records: records.map(({ value, key = null, run = null, timestamp }, i) => ({
        offsetDelta: i,
        timestampDelta: BigInt(timestamp ?? Number(baseTimestamp)) - baseTimestamp,
        key: key === null ? null : Buffer.from(key),
        value: value === null ? null : Buffer.from(value),
        headers: run === null ? [] : [{ name: "__debezium.context.runId", value: Buffer.from(run) }],
      })),
    });
    return base;
  }

  /** The marker that ends a producer's transaction. */
  marker(topic: string, partition: number, type: "commit" | "abort", producerId: bigint): void {
    const log = this.of(topic, partition);
    const key = Buffer.from([0, 0, 0, type === "commit" ? 1 : 0]);
    this.#append(log, {
      ...batchAt(log.end, 0x30),
      producerId,
      producerEpoch: 0,
      records: [
        { offsetDelta: 0, timestampDelta: 0n, key, value: Buffer.from([0, 0, 0, 0, 0, 9]), headers: [] },
      ],
    });
  }

  #append(log: Partition, batch: WrittenBatch): void {
    const last = Number(batch.baseOffset) + batch.lastOffsetDelta;
    log.batches.push({ bytes: encodeBatch(batch), first: Number(batch.baseOffset), last });
    log.end = last + 1;
  }

  reader(): LogReader {
    return {
      describe: async () => ({ value: new Map() }),
      ends: async (partitions) => partitions.map(({ topic, partition }) => this.of(topic, partition).end),
      offsetsForTime: async () => [],
      recordAt: async () => null,
      newest: async () => null,
      read: (range) => this.#read(range),
    };
  }

  async *#read(range: ReadRange): AsyncGenerator<FetchedBatch, ReadEnd> {
    const { topic, partition, isolation } = range;
    const log = this.of(topic, partition);
    this.reads.push(`${topic}/${partition} ${range.from}`);
    const ended = (why: ReadEnd["why"], next: number): ReadEnd => ({ why, next, deleted, bytes });
    const deleted = range.from < log.first ? [{ from: range.from, to: log.first }] : [];
    const to = Math.min(range.to ?? log.end, log.end);
    let next = Math.max(range.from, log.first);
    let bytes = 0;
    if (log.recreated) return ended("recreated", 0);
    for (const { bytes: written, last } of log.batches) {
      if (last < next) continue;
      if (next >= to) break;
      if (range.signal?.aborted) return ended("cancelled", next);
      if (log.fails && next >= log.fails.at)
        throw new LogReadError(log.fails.failure, { topic, partition, offset: next });
      const batch = new BatchWalk(written, range, next).next();
      if (batch === null) throw new Error("a written batch must be whole");
      const transactions =
        isolation === "read_committed" ? new AbortedTransactions(log.aborted, range) : null;
      const fetched = fetchedBatch(batch, range, transactions, { from: next, to });
      next = Math.min(last + 1, to);
      bytes += written.length;
      this.batchesRead += 1;
      yield fetched;
      if (bytes >= (range.maxBytes ?? Number.POSITIVE_INFINITY) && next < to) return ended("budget", next);
    }
    return ended("end", to);
  }
}

function batchAt(offset: number, attributes: number): WrittenBatch {
  return {
    baseOffset: BigInt(offset),
    leaderEpoch: 0,
    attributes,
    lastOffsetDelta: 0,
    baseTimestamp: 1_789_367_000_000n,
    maxTimestamp: 1_789_367_000_000n,
    producerId: -1n,
    producerEpoch: 0,
    baseSequence: -1,
    records: [],
  };
}
