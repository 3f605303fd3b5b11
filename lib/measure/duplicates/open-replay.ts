import type { DeliveredRecord } from "@/lib/debezium/events/delivered-record";
import { runStart } from "@/lib/debezium/events/run-context";
import type { FoundReplay, ReplayCause } from "@/lib/observed/duplicates";
import { recordTime } from "@/lib/observed/record-time";
import type { FirstCopy } from "./seen-identities";

/** A replay found by identity; which topic it lies in and how it was found is for the caller to say. */
export type WalkedReplay = Omit<FoundReplay, "topic" | "topicId" | "evidence">;

/** What was known when a replay began. */
export interface ReplayStart {
  /** The run that wrote before its own one: for what a producer doubled its own one; null: none, or without a run id. */
  runBefore: string | null;
  /** Its run had produced the first copy itself. */
  ofItsRun: boolean;
}

/** The first copy of a record, and whether it is not certain that it is one. */
export interface Copy extends FirstCopy {
  unsure: boolean;
}

/** One replay as far as it has been seen. */
export class OpenReplay {
  count = 0;
  lastOffset = 0;
  #last: { record: DeliveredRecord; copyOf: number | null };
  /** Place of the last copy's first copy, which the next one's must lie behind. */
  #lastCopy: FirstCopy;
  #bound: FoundReplay["bound"] = "exact";

  constructor(
    private readonly first: DeliveredRecord,
    private readonly firstCopy: Copy,
    private readonly start: ReplayStart,
    /** The writer's last row of a snapshot before it, -1 for none. */
    private readonly snapshotAt: number,
  ) {
    this.#last = { record: first, copyOf: null };
    this.#lastCopy = firstCopy;
    this.take(first, firstCopy);
  }

  /**
   * Whether a copy goes on with it. Copies come in the order of their first copies: one whose first copy is not behind
   * that of the copy before was produced by another replay.
   */
  goesOn({ partition, offset }: FirstCopy): boolean {
    return partition !== this.#lastCopy.partition || offset > this.#lastCopy.offset;
  }

  take(record: DeliveredRecord, copy: Copy): void {
    this.count += 1;
    this.lastOffset = record.offset;
    this.#lastCopy = copy;
    this.#last = { record, copyOf: copy.partition === record.partition ? copy.offset : null };
    if ((copy.unsure || record.caveat !== null) && this.#bound === "exact") this.#bound = "at-most";
  }

  /** Some of its changes could not be told to be copies. */
  lacks(): void {
    this.#bound = "at-least";
  }

  told(): WalkedReplay {
    const { first, firstCopy, start } = this;
    const { record: last, copyOf } = this.#last;
    return {
      partition: first.partition,
      firstOffset: first.offset,
      lastOffset: last.offset,
      count: this.count,
      bound: this.#bound,
      firstPosition: first.positionText,
      lastPosition: last.positionText,
      firstCopyOf: firstCopy.partition === first.partition ? firstCopy.offset : null,
      lastCopyOf: copyOf,
      runBefore: start.runBefore,
      runAfter: first.runId,
      writer: first.writer,
      at: recordTime(first.timestamp),
      until: recordTime(last.timestamp),
      causeInLog: this.#cause(),
    };
  }

  /** Only the producer doubles what its own run wrote; after a later run's, a run that was taken for dead still writes. */
  #cause(): ReplayCause | null {
    const { runId } = this.first;
    if (runId === null || this.start.runBefore === null) return null;
    // A blocking snapshot interrupts streaming, which then may go on from an older place within the same run.
    if (this.start.ofItsRun) return this.snapshotAt > this.firstCopy.offset ? null : "producer-retry";
    const [own, before] = [runStart(runId), runStart(this.start.runBefore)];
    return own !== null && before !== null && own < before ? "worker-lost" : null;
  }
}
