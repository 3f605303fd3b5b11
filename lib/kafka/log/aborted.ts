import type { TopicPartition } from "./log-reader";
import { readMarker } from "./marker";
import type { RecordBatch } from "./record-batch";

/** As a Fetch answer of a reader that waits for commits lists them, for each partition. */
export interface AbortedTransaction {
  producerId: bigint;
  /** Of its first record in the partition. */
  firstOffset: number;
}

/**
 * Tells the batches of aborted transactions, as Kafka's consumer does (CompletedFetch.java). One for each partition of
 * each Fetch answer: an answer lists every aborted transaction that reaches into it, those begun before it too.
 * Shown every batch of the answer, in order.
 */
export class AbortedTransactions {
  /** By first offset, the last first. */
  private readonly coming: AbortedTransaction[];
  private readonly producers = new Set<bigint>();

  /** `listed` is null or empty when there are none, and when the reader asked for uncommitted records too. */
  constructor(
    listed: readonly AbortedTransaction[] | null,
    private readonly at: TopicPartition,
  ) {
    this.coming = [...(listed ?? [])].sort((a, b) => b.firstOffset - a.firstOffset);
  }

  /** Whether this batch is of an aborted transaction; a marker never is. @throws LogReadError for a marker out of form */
  isAborted(batch: RecordBatch): boolean {
    const { producerId } = batch;
    if (producerId === null) return false;
    for (let last = this.coming.at(-1); last !== undefined; last = this.coming.at(-1)) {
      if (last.firstOffset > batch.lastOffset) break;
      this.producers.add(last.producerId);
      this.coming.pop();
    }
    if (batch.control) {
      if (readMarker(batch, this.at)?.type === "abort") this.producers.delete(producerId);
      return false;
    }
    return batch.transactional && this.producers.has(producerId);
  }
}
