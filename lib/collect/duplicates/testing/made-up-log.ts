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
import type { LogRecord } from "@/lib/kafka/log/record";
import { encodeBatch } from "@/lib/kafka/log/testing/encode-batch";
import type { Failure } from "@/lib/observed/observation";

type Made = Omit<LogRecord, "offset" | "timestamp">;

/** Batches are not encoded twice. */
const MOST_KEPT = 10_000;

/** One partition whose records are made up as they are read, so that it can have millions of them. */
export class MadeUpLog {
  earliest = 0;
  recreated = false;
  /** What a read of this offset fails with. */
  failure: { at: number; of: Failure } | null = null;
  bytes = 0;
  fetches = 0;
  readonly #batches = new Map<number, Buffer>();

  /**
   * @param make the record at an offset; null: a marker, or compacted away
   * @param batchSize records of one batch
   */
  constructor(
    readonly end: number,
    readonly make: (offset: number) => Made | null,
    readonly time: (offset: number) => number,
    readonly batchSize = 16,
    /** Offsets of aborted records: whole batches of a producer 7. */
    readonly aborted: (offset: number) => boolean = () => false,
    readonly epoch: (offset: number) => number = () => 0,
  ) {}

  reader(): LogReader {
    const unasked = () => {
      throw new Error("not asked for by duplicates");
    };
    return {
      describe: unasked,
      recordAt: unasked,
      newest: unasked,
      ends: async (asked, end) => asked.map(() => (end === "earliest" ? this.earliest : this.end)),
      offsetsForTime: async (asked) =>
        asked.map(({ timestamp }) => {
          let [low, high] = [this.earliest, this.end];
          while (low < high) {
            const middle = Math.floor((low + high) / 2);
            if (this.time(middle) >= timestamp) high = middle;
            else low = middle + 1;
          }
          return low < this.end ? { offset: low, timestamp: this.time(low) } : null;
        }),
      read: (range) => this.#read(range),
    };
  }

  async *#read(range: ReadRange): AsyncGenerator<FetchedBatch, ReadEnd> {
    const { from, maxBytes = Number.POSITIVE_INFINITY } = range;
    const to = Math.min(range.to ?? this.end, this.end);
    const deleted = from < this.earliest ? [{ from, to: Math.min(to, this.earliest) }] : [];
    let next = Math.max(from, this.earliest);
    let bytes = 0;
    const ended = (why: ReadEnd["why"], at: number): ReadEnd => ({ why, next: at, deleted, bytes });
    this.fetches += 1;
    range.signal?.throwIfAborted();
    if (this.recreated) return ended("recreated", 0);
    for (const gap of deleted) range.onDeleted?.(gap);
    if (this.failure && from <= this.failure.at && this.failure.at < to)
      throw new LogReadError(this.failure.of, {
        topic: range.topic,
        partition: range.partition,
        offset: from,
      });
    while (next < to) {
      const base = next - (next % this.batchSize);
      const { batch, last } = this.#batch(base, Math.min(this.end, base + this.batchSize));
      bytes += batch.length;
      this.bytes += batch.length;
      const walked = new BatchWalk(batch, range, next).next();
      const aborts = this.aborted(base) ? [{ producerId: 7n, firstOffset: base }] : [];
      const transactions =
        range.isolation === "read_committed" ? new AbortedTransactions(aborts, range) : null;
      const wanted = { from: next, to };
      next = Math.min(to, last + 1);
      if (walked) yield fetchedBatch(walked, range, transactions, wanted);
      if (bytes >= maxBytes && next < to) return ended("budget", next);
    }
    return ended("end", to);
  }

  #batch(base: number, stop: number): { batch: Buffer; last: number } {
    const known = this.#batches.get(base);
    if (known) return { batch: known, last: stop - 1 };
    const batch = this.#encoded(base, stop);
    if (this.#batches.size < MOST_KEPT) this.#batches.set(base, batch);
    return { batch, last: stop - 1 };
  }

  #encoded(base: number, stop: number): Buffer {
    const records = [];
    const first = this.time(base);
    for (let offset = base; offset < stop; offset++) {
      const made = this.make(offset);
      if (made === null) continue;
      records.push({
        ...made,
        offsetDelta: offset - base,
        timestampDelta: BigInt(this.time(offset) - first),
      });
    }
    const aborted = this.aborted(base);
    return encodeBatch({
      baseOffset: BigInt(base),
      leaderEpoch: this.epoch(base),
      attributes: aborted ? 0x10 : 0,
      lastOffsetDelta: stop - base - 1,
      baseTimestamp: BigInt(first),
      maxTimestamp: BigInt(this.time(stop - 1)),
      producerId: aborted ? 7n : -1n,
      producerEpoch: aborted ? 0 : -1,
      baseSequence: aborted ? 0 : -1,
      records,
    });
  }
}
