import { type DeliveredRecord, deliveredOrder } from "@/lib/debezium/events/delivered-record";
import type { ScanResult } from "@/lib/observed/duplicates";
import type { Sighting } from "./identity-walk";

type Violation = ScanResult["violations"][number];

/** Violations that are kept as examples. */
const mostExamples = 20;
/** Batches that a producer has under way hold fewer changes: what falls for longer has begun anew. */
const reorderedAtMost = 20_000;

/** The newest change of a row. */
interface RowMark {
  position: unknown;
  offset: number;
  runId: string | null;
}

/** What one run has written to one lane of a partition; without run ids, what came since positions last fell. */
interface Stretch {
  runId: string | null;
  changes: number;
  copies: number;
  /** The highest position before it; null: none. */
  mark: unknown;
  highest: unknown;
  /** Older changes after newer ones, while it is not known whether all of the stretch is of another history. */
  pending: Violation[];
}

/**
 * Finds changes of a row that came after a newer one of it and had not been delivered before: a real fault, unlike the
 * older states that a replay brings again. A new run that begins at a lower position and repeats nothing (binary logs reset,
 * another timeline, a new snapshot) is of another history, whose positions do not compare: no fault.
 *
 * A change of the primary key is a delete of one row and an insert of another at the same position, and neither is older.
 * TRUNCATE has no key and takes no part.
 */
export class KeyOrder {
  violations = 0;
  readonly examples: Violation[] = [];
  readonly #rows = new Map<string, RowMark>();
  readonly #stretches = new Map<string, Stretch>();

  /** Takes the changes of a partition in order of offset. @param sighting what the walk by identity said of it */
  add(record: DeliveredRecord, sighting: Sighting): void {
    if (record.kind !== "change" || record.position === null) return;
    const stretch = this.#stretch(record);
    stretch.changes += 1;
    if (sighting === "copy") {
      stretch.copies += 1;
      this.#commit(stretch);
    } else if (record.rowKey !== null) this.#look(record, record.rowKey, stretch);
    this.#climb(record, stretch);
  }

  #look(record: DeliveredRecord, rowKey: string, stretch: Stretch): void {
    const { position, offset, runId, partition } = record;
    const name = `${partition} ${record.lane} ${rowKey}`;
    const newest = this.#rows.get(name);
    const older = newest !== undefined && isBefore(record, newest.position);
    if (older) {
      const violation = { partition, offset, after: newest.offset, position: record.positionText };
      const sure = stretch.copies > 0 || (runId !== null && runId === newest.runId);
      if (sure) {
        this.#take(violation);
        return;
      }
      stretch.pending.push(violation);
    }
    this.#rows.set(name, { position, offset, runId });
  }

  #stretch(record: DeliveredRecord): Stretch {
    const { partition, lane, runId } = record;
    const before = `${partition} ${lane}`;
    const name = `${before} ${runId ?? "none"}`;
    const known = this.#stretches.get(name);
    if (known && (runId !== null || !isBefore(record, known.highest))) return known;
    const mark = known?.highest ?? this.#stretches.get(before)?.highest ?? null;
    const stretch = { runId, changes: 0, copies: 0, mark, highest: null, pending: [] };
    this.#stretches.set(name, stretch);
    this.#stretches.set(before, stretch);
    return stretch;
  }

  #climb(record: DeliveredRecord, stretch: Stretch): void {
    if (stretch.highest === null || !isBefore(record, stretch.highest)) stretch.highest = record.position;
    if (stretch.pending.length === 0 || stretch.runId !== null) return;
    // Without run ids: what fell for a moment only was put out of order on its way.
    if (stretch.changes > reorderedAtMost) stretch.pending = [];
    else if (isBehind(record, stretch.mark)) this.#commit(stretch);
  }

  #commit(stretch: Stretch): void {
    for (const violation of stretch.pending) this.#take(violation);
    stretch.pending = [];
  }

  #take(violation: Violation): void {
    this.violations += 1;
    if (this.examples.length < mostExamples) this.examples.push(violation);
  }
}

function isBefore({ type, position }: DeliveredRecord, other: unknown): boolean {
  return other !== null && deliveredOrder(type)(position, other).order === "before";
}

function isBehind({ type, position }: DeliveredRecord, other: unknown): boolean {
  return other !== null && deliveredOrder(type)(position, other).order === "after";
}
