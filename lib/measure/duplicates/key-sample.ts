import { HashTable } from "./hash-table";
import { isDrawn } from "./identity-sample";
import type { Hash } from "./keyed-hash";
import { fromState, type PositionState, toState } from "./position-state";
import {
  type KeyViolation,
  type OrderedRow,
  type OrderOf,
  type RowChange,
  type RowMark,
  RowOrder,
  type RowOrderState,
} from "./row-order";
import type { StateReader, StateWriter } from "./state-bytes";

/** One row: what came of it. */
interface Row extends OrderedRow {
  high: number;
  low: number;
  /** A snapshot read it, and no change came since. */
  read: boolean;
  /** It has more different changes than are remembered of one row: nothing is said of it any more. */
  hot: boolean;
  overlaps: number;
  changes: number;
  marks: RowMark[];
}

/** What a sample says of the rows that a level draws. */
export interface KeyCounts {
  overlaps: number;
  violations: number;
  /** Rows that changed too often to be followed. */
  hot: number;
}

/** By what a change is known again: hashes that begin with the same half. */
export interface KnownBy {
  high: number;
  low: number;
  /** Of its number in a transaction; null without one. */
  number: number | null;
}

/**
 * Every record of a share of all rows: those whose hash of table and key begins with enough zeros. Shows what only a
 * row's own history shows: an older change after a newer one, and inserts of rows that a snapshot had read already. Both
 * the rows and their changes are bounded; when there are too many the share is halved.
 */
export class KeySample {
  level = 0;
  #rows: Row[] = [];
  /** Number of the row, from 1, by its hash; and by the hash of a change of it. */
  readonly #numbers = new HashTable();
  readonly #changes = new HashTable();
  readonly #order: RowOrder<Row>;
  readonly #mostChanges: number;
  readonly #mostOfOne: number;

  /** @param limit most rows, 1 at least; of their changes eight times as many are remembered */
  constructor(readonly limit: number) {
    this.#mostChanges = 8 * limit;
    this.#mostOfOne = Math.max(64, limit);
    this.#order = new RowOrder(limit);
  }

  get examples(): readonly KeyViolation[] {
    return this.#order.examples;
  }

  isDrawn(high: number): boolean {
    return isDrawn(high, this.level);
  }

  /** A record that a snapshot made of a row that is drawn. */
  snapshot(high: number, low: number): void {
    this.#row(high, low).read = true;
    this.#bound();
  }

  /** TRUNCATE: none of the rows is left. */
  truncate(): void {
    for (const row of this.#rows) row.read = false;
  }

  /** A change of a row that is drawn. `by`: null where it has no identity. `order` is that of its connector. */
  change(row: Hash, change: RowChange & { op: string }, by: KnownBy | null, order: OrderOf): void {
    this.#change(this.#row(row.high, row.low), change, by, order);
  }

  #change(row: Row, change: RowChange & { op: string }, by: KnownBy | null, order: OrderOf): void {
    if (row.hot) return;
    const copy = by !== null && this.#isCopy(row, by);
    if (row.hot) return;
    if (!copy) {
      if (change.op === "c" && row.read) row.overlaps++;
      row.read = false;
    }
    this.#order.add(row, change, copy, order);
    this.#bound();
  }

  /** A change without a key: of no row, but it tells how far its run is. */
  pass(change: RowChange, copy: boolean, order: OrderOf): void {
    this.#order.add(null, change, copy, order);
  }

  /** Whether a change of a row that is drawn came before. */
  knows(high: number, low: number): boolean {
    return this.#changes.get(high, low) !== 0;
  }

  #isCopy(row: Row, { high, low, number }: KnownBy): boolean {
    if (this.knows(high, low)) return true;
    const of = this.#numbers.get(row.high, row.low);
    const copy = number !== null && this.knows(high, number);
    if (!copy && row.changes++ >= this.#mostOfOne) {
      this.#forget(row);
      return false;
    }
    this.#changes.set(high, low, of);
    if (number !== null) this.#changes.set(high, number, of);
    return copy;
  }

  #forget(hot: Row): void {
    const number = this.#numbers.get(hot.high, hot.low);
    hot.hot = true;
    hot.marks = [];
    this.#changes.keep((_high, _low, of) => (of === number ? 0 : of));
    this.#order.drop((row) => row !== hot);
  }

  /** At a level not below its own. */
  counts(level: number): KeyCounts {
    const found = { overlaps: 0, violations: 0, hot: 0 };
    for (const row of this.#rows) {
      if (!isDrawn(row.high, level)) continue;
      found.overlaps += row.overlaps;
      found.violations += row.violations;
      if (row.hot) found.hot++;
    }
    return found;
  }

  #row(high: number, low: number): Row {
    const known = this.#numbers.get(high, low);
    if (known !== 0) return this.#rows[known - 1] as Row;
    const row: Row = {
      high,
      low,
      read: false,
      hot: false,
      overlaps: 0,
      violations: 0,
      changes: 0,
      marks: [],
    };
    this.#rows.push(row);
    this.#numbers.set(high, low, this.#rows.length);
    return row;
  }

  #bound(): void {
    while ((this.#rows.length > this.limit || this.#changes.size > this.#mostChanges) && this.level < 32) {
      this.level++;
      this.#drop();
    }
  }

  /** Lets go of the rows that are no longer drawn, and of their changes. */
  #drop(): void {
    const renumbered = new Uint32Array(this.#rows.length + 1);
    const kept: Row[] = [];
    this.#rows.forEach((row, i) => {
      if (isDrawn(row.high, this.level)) renumbered[i + 1] = kept.push(row);
    });
    this.#rows = kept;
    const renumber = (_high: number, _low: number, number: number) => renumbered[number] as number;
    this.#numbers.keep(renumber);
    this.#changes.keep(renumber);
    this.#order.drop((row) => isDrawn(row.high, this.level));
  }

  write(to: StateWriter): void {
    to.whole(this.level);
    to.whole(this.#rows.length);
    for (const row of this.#rows) writeRow(row, to);
    to.whole(this.#changes.size);
    this.#changes.forEach((high, low, number) => {
      to.word(high);
      to.word(low);
      to.whole(number);
    });
    const order = this.#order.toState((row) => this.#numbers.get(row.high, row.low));
    to.text(JSON.stringify(toState(order)));
  }

  /** Takes what was written in place of what it has. A smaller limit than it was written with halves the share. */
  read(from: StateReader): void {
    this.level = from.whole();
    for (let left = from.whole(); left > 0; left--) {
      const row = readRow(from);
      this.#rows.push(row);
      this.#numbers.set(row.high, row.low, this.#rows.length);
    }
    for (let left = from.whole(); left > 0; left--) this.#changes.set(from.word(), from.word(), from.whole());
    const order = fromState(JSON.parse(from.text()) as PositionState) as RowOrderState;
    this.#order.fromState(order, (number) => this.#rows[number - 1] as Row);
    this.#bound();
  }
}

function writeRow(row: Row, to: StateWriter): void {
  to.word(row.high);
  to.word(row.low);
  to.whole(Number(row.read) + 2 * Number(row.hot));
  for (const count of [row.overlaps, row.violations, row.changes]) to.whole(count);
  to.text(JSON.stringify(toState(row.marks)));
}

function readRow(from: StateReader): Row {
  const [high, low, flags] = [from.word(), from.word(), from.whole()];
  const [overlaps, violations, changes] = [from.whole(), from.whole(), from.whole()];
  const marks = fromState(JSON.parse(from.text()) as PositionState) as RowMark[];
  return {
    ...{ high, low, read: (flags & 1) !== 0, hot: (flags & 2) !== 0 },
    ...{ overlaps, violations, changes, marks },
  };
}
