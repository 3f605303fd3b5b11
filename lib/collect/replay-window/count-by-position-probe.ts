import type { EventScanner } from "@/lib/debezium/events/event-scanner";
import type { RecordReading } from "@/lib/debezium/events/record-reading";
import type { FetchedBatch, ReadRange } from "@/lib/kafka/log/log-reader";
import type { RecordCursor } from "@/lib/kafka/log/record-cursor";
import type { Coverage, Covering } from "@/lib/measure/replay-window/coverage";
import type { Probed } from "@/lib/measure/replay-window/place-search";
import type { BatchReader, Onlooker } from "./count-by-position-batches";

/** Looks whether the first and last change of a batch are covered, counting nothing. */
class ProbeLook implements Onlooker {
  readonly done = false;
  begins: boolean | null = null;
  ends: boolean | null = null;
  run: string | null = null;
  placed = false;
  at = -1;
  made: number | null = null;

  constructor(private readonly coverage: Coverage) {}

  batch(_batch: FetchedBatch, run: string | null): void {
    this.run = run;
  }

  tombstone(): void {}

  scanned(scanner: EventScanner, { timestamp }: RecordCursor): void {
    this.#take(this.coverage.judge(scanner, null), timestamp, this.coverage.madeAt(scanner));
  }

  read(reading: RecordReading, { timestamp }: RecordCursor): void {
    if (reading.kind !== "change" && reading.kind !== "flattened") return;
    const made = this.coverage.madeAtOfReading(reading);
    this.#take(this.coverage.judgeReading(reading, null), timestamp, made);
  }

  /** What cannot be told is taken as not covered: so the search goes further back, and more is read. */
  #take(covering: Covering, timestamp: number, made: number | null): void {
    if (covering === "foreign" || covering === "re-read" || covering === "snapshot-row") return;
    if (this.begins === null) this.at = timestamp;
    this.made = made;
    if (covering !== "unplaced") this.placed = true;
    const covered = covering === "covered";
    this.begins ??= covered;
    this.ends = covered;
  }
}

/**
 * What a probe tells of the batch that was read for it; null when it holds nothing that a reader gets. `placed`: a change in
 * it could be compared with the offset. @throws LogReadError
 */
export async function lookAtBatch(
  batch: FetchedBatch,
  reader: BatchReader,
  coverage: Coverage,
): Promise<{ probed: Probed | null; placed: boolean }> {
  if (!batch.visible || batch.count === 0) return { probed: null, placed: false };
  const look = new ProbeLook(coverage);
  await reader.show(batch, look);
  const { begins, ends, run, at, made, placed } = look;
  return { probed: { first: batch.from, next: batch.to, begins, ends, run, at, made }, placed };
}

/** One batch and no more. */
export function probeRange(range: Omit<ReadRange, "maxBytes" | "fetchBytes">): ReadRange {
  return { ...range, maxBytes: 1, fetchBytes: 16 * 1024 };
}
