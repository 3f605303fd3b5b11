import type { Order } from "@/lib/debezium/positions/position";

export type OrderOf = (a: unknown, b: unknown) => Order;

/** The newest change of a row in one lane. */
export interface RowMark {
  lane: string;
  runId: string | null;
  position: unknown;
  offset: number;
}

/** What of a row its order is told from. */
export interface OrderedRow {
  marks: RowMark[];
  violations: number;
}

/** A change of a row that is drawn, which was not delivered before. */
export interface RowChange {
  offset: number;
  lane: string;
  runId: string | null;
  position: unknown;
  positionText: string | null;
}

export interface KeyViolation {
  offset: number;
  /** Offset of the newer change, which came before it. */
  after: number;
  position: string | null;
}

interface Pending<R> {
  row: R;
  violation: KeyViolation;
}

/** What one run has written to one lane; without run ids, what came since positions last fell. */
interface Stretch<R> {
  lane: string;
  runId: string | null;
  changes: number;
  copies: number;
  /** The highest position before it; null: none. */
  mark: unknown;
  highest: unknown;
  pending: Pending<R>[];
}

/** Violations that are kept as examples. */
const mostExamples = 20;
/** Batches that a producer has under way hold fewer changes: what falls for longer has begun anew. */
const reorderedAtMost = 20_000;
/** Runs of which it is remembered what they wrote; those that began first are forgotten. */
const mostStretches = 256;

/**
 * Counts the changes of a row that came after a newer one of it and had not been delivered before, as KeyOrder does for
 * whole topics, here for the rows of a sample. A run that begins at a lower position and repeats nothing is of another
 * history (binary logs reset, another timeline, a new snapshot), whose positions do not compare: no fault.
 */
export class RowOrder<R extends OrderedRow> {
  readonly examples: KeyViolation[] = [];
  /** In the order of their beginning. */
  #stretches: Stretch<R>[] = [];

  /** @param mostPending violations that may wait until it is known whether they are some */
  constructor(private readonly mostPending: number) {}

  /** A change of a row of the sample, in the order of offsets; of no row, where the table has no key. */
  add(row: R | null, change: RowChange, copy: boolean, order: OrderOf): void {
    if (change.position === null) return;
    const stretch = this.#stretch(change, order);
    stretch.changes++;
    if (copy) {
      stretch.copies++;
      this.#commit(stretch);
    } else if (row !== null) this.#look(row, change, stretch, order);
    this.#climb(change, stretch, order);
  }

  #look(row: R, change: RowChange, stretch: Stretch<R>, order: OrderOf): void {
    const { lane, runId, position, offset } = change;
    const at = row.marks.findIndex((mark) => mark.lane === lane);
    const newest = row.marks[at];
    if (!newest) {
      row.marks.push({ lane, runId, position, offset });
      return;
    }
    if (order(position, newest.position).order === "before") {
      const violation = { offset, after: newest.offset, position: change.positionText };
      if (stretch.copies > 0 || (runId !== null && runId === newest.runId)) {
        this.#take(row, violation);
        return;
      }
      if (stretch.pending.length < this.mostPending) stretch.pending.push({ row, violation });
    }
    row.marks[at] = { lane, runId, position, offset };
  }

  #stretch({ lane, runId, position }: RowChange, order: OrderOf): Stretch<R> {
    const known = this.#stretches.findLast((s) => s.lane === lane && s.runId === runId);
    if (known && (runId !== null || !isBefore(position, known.highest, order))) return known;
    const before = known ?? this.#stretches.findLast((s) => s.lane === lane);
    const mark = before?.highest ?? null;
    const stretch = { lane, runId, changes: 0, copies: 0, mark, highest: null, pending: [] };
    this.#stretches.push(stretch);
    if (this.#stretches.length > mostStretches) this.#stretches.shift();
    return stretch;
  }

  #climb({ position }: RowChange, stretch: Stretch<R>, order: OrderOf): void {
    if (!isBefore(position, stretch.highest, order)) stretch.highest = position;
    if (stretch.pending.length === 0 || stretch.runId !== null) return;
    // Without run ids: what fell for a moment only was put out of order on its way.
    if (stretch.changes > reorderedAtMost) stretch.pending = [];
    else if (stretch.mark !== null && order(position, stretch.mark).order === "after") this.#commit(stretch);
  }

  #commit(stretch: Stretch<R>): void {
    for (const { row, violation } of stretch.pending) this.#take(row, violation);
    stretch.pending = [];
  }

  #take(row: R, violation: KeyViolation): void {
    row.violations++;
    if (this.examples.length < mostExamples) this.examples.push(violation);
  }

  /** Forgets what waits of rows that are no longer in the sample. */
  drop(isKept: (row: R) => boolean): void {
    for (const stretch of this.#stretches) stretch.pending = stretch.pending.filter(({ row }) => isKept(row));
  }

  /** Everything, rows by number, for {@link fromState}. */
  toState(numberOf: (row: R) => number): RowOrderState {
    return {
      examples: this.examples,
      stretches: this.#stretches.map((stretch) => ({
        ...stretch,
        pending: stretch.pending.map(({ row, violation }) => ({ row: numberOf(row), violation })),
      })),
    };
  }

  fromState({ examples, stretches }: RowOrderState, rowOf: (number: number) => R): void {
    this.examples.push(...examples);
    this.#stretches = stretches.map((stretch) => ({
      ...stretch,
      pending: stretch.pending.map(({ row, violation }) => ({ row: rowOf(row), violation })),
    }));
  }
}

export interface RowOrderState {
  examples: KeyViolation[];
  stretches: (Omit<Stretch<never>, "pending"> & { pending: Pending<number>[] })[];
}

function isBefore(position: unknown, other: unknown, order: OrderOf): boolean {
  return other !== null && order(position, other).order === "before";
}
