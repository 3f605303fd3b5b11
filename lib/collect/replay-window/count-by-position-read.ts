import type { EventScanner } from "@/lib/debezium/events/event-scanner";
import type { RecordReading } from "@/lib/debezium/events/record-reading";
import type { FetchedBatch, LogReader, ReadEnd, ReadRange } from "@/lib/kafka/log/log-reader";
import type { RecordCursor } from "@/lib/kafka/log/record-cursor";
import type { PartitionCount } from "@/lib/measure/replay-window/window-count-partition";
import type { BatchReader, Onlooker } from "./count-by-position-batches";
import type { ReadingFacts } from "./count-by-position-facts";

/** Why nothing of a partition can be placed. */
export interface NotMeasurable {
  /** Of the first such record. */
  offset: number;
  /** A clause without its full stop, and what helps. */
  text: string;
  remedy: string | null;
}

/** How the reading of one partition ended. */
export interface Stretch {
  /** `runs`: it was to be of one run and is not: nothing that was counted holds. */
  why: ReadEnd["why"] | "runs" | "not-measurable";
  /** The first offset that was not counted. */
  next: number;
  deleted: ReadEnd["deleted"];
  notMeasurable: NotMeasurable | null;
}

/** Counts records as they are shown. */
class Counter implements Onlooker {
  notMeasurable: NotMeasurable | null = null;
  /** Batches of two runs, or of none that is told. */
  mixed = false;
  #run: string | null | undefined;

  constructor(
    private readonly count: PartitionCount,
    private readonly facts: ReadingFacts,
    private readonly at: ReadRange,
  ) {}

  get done(): boolean {
    return this.mixed || this.notMeasurable !== null;
  }

  batch(batch: FetchedBatch, run: string | null): void {
    this.facts.take(batch, this.at, run);
    this.count.batch(batch.bytes, batch.count, run);
    if (this.count.by === "one-run") this.mixed ||= run === null || (this.#run ?? run) !== run;
    this.#run = run;
  }

  tombstone(): void {
    this.count.tombstone();
  }

  scanned(scanner: EventScanner, record: RecordCursor): void {
    if (this.count.scanned(scanner, record) === "unplaced") this.#unplaced(record);
  }

  read(reading: RecordReading, record: RecordCursor): void {
    if (reading.kind === "change" || reading.kind === "flattened") {
      if (this.count.read(reading, record) === "unplaced") this.#unplaced(record);
    } else if (reading.kind === "unreadable")
      this.notMeasurable = { offset: record.offset, text: reading.text, remedy: reading.remedy };
    else if (reading.kind === "outbox")
      this.notMeasurable = {
        offset: record.offset,
        text: "events of the outbox pattern, which have no source position — not measurable",
        remedy: null,
      };
    else if (reading.kind === "tombstone") this.count.tombstone();
    else this.count.other();
  }

  #unplaced(record: RecordCursor): void {
    const text = this.count.unplaced ?? "The event has no position.";
    this.notMeasurable = { offset: record.offset, text: text.replace(/\.$/, ""), remedy: null };
  }
}

/** Reads one partition from an offset on and counts, as far as the bytes last. @throws LogReadError */
export async function readStretch(
  log: LogReader,
  range: ReadRange & { to: number },
  reader: BatchReader,
  count: PartitionCount,
  facts: ReadingFacts,
): Promise<Stretch> {
  const counter = new Counter(count, facts, range);
  const read = log.read({ ...range, keepsNothing: true });
  let next = range.from;
  const ended = (why: Stretch["why"], deleted: ReadEnd["deleted"] = []): Stretch => {
    return { why, next, deleted, notMeasurable: counter.notMeasurable };
  };
  try {
    for (;;) {
      if (facts.left <= 0) return ended("budget");
      const step = await read.next();
      if (step.done) {
        next = Math.max(next, step.value.next);
        return ended(step.value.why, step.value.deleted);
      }
      const batch = step.value;
      facts.bytesRead += batch.bytes;
      if (batch.visible && batch.count > 0) await reader.show(batch, counter);
      else facts.take(batch, range, null);
      if (counter.mixed) return ended("runs");
      if (counter.notMeasurable !== null) {
        next = Math.max(next, counter.notMeasurable.offset);
        return ended("not-measurable");
      }
      next = batch.to;
    }
  } finally {
    await read.return?.({ why: "cancelled", next, deleted: [], bytes: 0 });
  }
}
