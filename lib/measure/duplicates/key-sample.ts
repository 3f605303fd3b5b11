import type { Order } from "@/lib/debezium/positions/position";
import { HashTable } from "./hash-table";
import { isDrawn } from "./identity-sample";
import { positionIn, positionJson } from "./position-json";
import type { StateReader, StateWriter } from "./state-bytes";

/** The newest change of a row, by position. */
interface Mark {
  lane: string;
  position: unknown;
  offset: number;
}

/** One row: what came of it. */
interface Row {
  high: number;
  low: number;
  /** A snapshot read it, and neither its insert nor a delete came since. */
  read: boolean;
  /** It has more different changes than are remembered of one row: nothing is said of it any more. */
  hot: boolean;
  reReads: number;
  overlaps: number;
  violations: number;
  changes: number;
  mark: Mark | null;
}

/** What a sample says of the rows that a level draws. */
export interface KeyCounts {
  reReads: number;
  overlaps: number;
  violations: number;
  /** Rows that changed too often to be followed. */
  hot: number;
}

export interface KeyViolation {
  offset: number;
  /** Offset of the newer change, which came before it. */
  after: number;
  position: string | null;
}

/** A change as {@link KeySample.change} takes it. */
export interface KeyChange {
  offset: number;
  op: string;
  lane: string;
  /** Null: it tells none. */
  position: unknown;
  positionText: string | null;
  /** Hash of the identity; null where it has none. */
  identity: { high: number; low: number } | null;
}

/** Violations that are kept as examples. */
const mostExamples = 20;

/**
 * Every record of a share of all rows: those whose hash of table and key begins with enough zeros. Shows what only a
 * row's own history shows: an older change after a newer one, rows that snapshots read again, inserts of rows that a
 * snapshot had read already. Both the rows and their changes are bounded; when there are too many the share is halved.
 */
export class KeySample {
  level = 0;
  readonly examples: KeyViolation[] = [];
  #rows: Row[] = [];
  /** Number of the row, from 1, by its hash; and by the hash of a change of it. */
  readonly #numbers = new HashTable();
  readonly #changes = new HashTable();
  readonly #mostChanges: number;
  readonly #mostOfOne: number;

  /** @param limit most rows, 1 at least; of their changes eight times as many are remembered */
  constructor(readonly limit: number) {
    this.#mostChanges = 8 * limit;
    this.#mostOfOne = Math.max(64, limit);
  }

  get size(): number {
    return this.#rows.length;
  }

  isDrawn(high: number): boolean {
    return isDrawn(high, this.level);
  }

  /** A record that a snapshot made of a row that is drawn. */
  snapshot(high: number, low: number): void {
    const number = this.#numbers.get(high, low);
    const row = number === 0 ? this.#newRow(high, low) : this.#row(number);
    if (number !== 0) row.reReads++;
    row.read = true;
    this.#bound();
  }

  /** A change of a row that is drawn. `order` is that of its connector. */
  change(high: number, low: number, change: KeyChange, order: (a: unknown, b: unknown) => Order): void {
    const known = this.#numbers.get(high, low);
    const row = known === 0 ? this.#newRow(high, low) : this.#row(known);
    if (row.hot || this.#isCopy(row, known || this.#rows.length, change)) return;
    if (change.op === "c" && row.read) row.overlaps++;
    if (change.op === "c" || change.op === "d") row.read = false;
    this.#order(row, change, order);
    this.#bound();
  }

  #isCopy(row: Row, number: number, { identity }: KeyChange): boolean {
    if (identity === null) return false;
    if (this.#changes.get(identity.high, identity.low) !== 0) return true;
    if (row.changes >= this.#mostOfOne) {
      row.hot = true;
      row.mark = null;
      this.#forgetHot();
      return true;
    }
    row.changes++;
    this.#changes.set(identity.high, identity.low, number);
    return false;
  }

  #order(row: Row, change: KeyChange, order: (a: unknown, b: unknown) => Order): void {
    const { lane, position, offset } = change;
    if (position === null) return;
    if (row.mark === null) {
      row.mark = { lane, position, offset };
      return;
    }
    // Positions of two lanes do not compare: of two writers, or two redo threads.
    if (row.mark.lane !== lane) return;
    const stands = order(position, row.mark.position).order;
    if (stands === "after") row.mark = { lane, position, offset };
    if (stands !== "before") return;
    row.violations++;
    if (this.examples.length < mostExamples)
      this.examples.push({ offset, after: row.mark.offset, position: change.positionText });
  }

  /** At a level not below its own. */
  counts(level: number): KeyCounts {
    const found = { reReads: 0, overlaps: 0, violations: 0, hot: 0 };
    for (const row of this.#rows) {
      if (!isDrawn(row.high, level)) continue;
      found.reReads += row.reReads;
      found.overlaps += row.overlaps;
      found.violations += row.violations;
      if (row.hot) found.hot++;
    }
    return found;
  }

  #row(number: number): Row {
    return this.#rows[number - 1] as Row;
  }

  #newRow(high: number, low: number): Row {
    const row = {
      ...{ high, low, read: false, hot: false },
      ...{ reReads: 0, overlaps: 0, violations: 0, changes: 0, mark: null },
    };
    this.#rows.push(row);
    this.#numbers.set(high, low, this.#rows.length);
    return row;
  }

  #forgetHot(): void {
    this.#changes.keep((_high, _low, number) => (this.#row(number).hot ? 0 : number));
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
    to.text(JSON.stringify(this.examples));
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
    this.examples.push(...(JSON.parse(from.text()) as KeyViolation[]));
    this.#bound();
  }
}

function writeRow(row: Row, to: StateWriter): void {
  to.word(row.high);
  to.word(row.low);
  to.whole(Number(row.read) + 2 * Number(row.hot) + 4 * Number(row.mark !== null));
  for (const count of [row.reReads, row.overlaps, row.violations, row.changes]) to.whole(count);
  if (!row.mark) return;
  to.text(row.mark.lane);
  to.text(positionJson(row.mark.position));
  to.whole(row.mark.offset);
}

function readRow(from: StateReader): Row {
  const [high, low, flags] = [from.word(), from.word(), from.whole()];
  const [reReads, overlaps, violations, changes] = [from.whole(), from.whole(), from.whole(), from.whole()];
  const mark =
    (flags & 4) === 0 ? null : { lane: from.text(), position: positionIn(from.text()), offset: from.whole() };
  return {
    ...{ high, low, read: (flags & 1) !== 0, hot: (flags & 2) !== 0 },
    ...{ reReads, overlaps, violations, changes, mark },
  };
}
