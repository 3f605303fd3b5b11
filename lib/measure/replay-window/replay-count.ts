import type { Order } from "@/lib/debezium/positions/position";

/** A record of a table's topic, as far as it matters to a replay. Positions go back to the kind that made them. */
export type WalkedRecord = { offset: number; runId: string | null } & (
  | { kind: "change"; position: unknown /** Key and op as one text. */; identity: string }
  /** A tombstone, or a row that a snapshot read: no change of its own. */
  | { kind: "none" }
);

/** The highest position that all earlier runs had reached in a partition. */
export interface Mark {
  position: unknown;
  /** Where its record lies. */
  offset: number;
  /** Changes that stand at exactly this position, by identity: how many of each. Several can share one. */
  atMark: ReadonlyMap<string, number>;
}

type OrderOf = (a: unknown, b: unknown) => Order;

/**
 * Counts, along one partition, the changes that a new run produced again: those whose position is not above the mark.
 * Takes each record from the run's first on, in order. Positions rise within a run, so the first change above the mark
 * ends the replay.
 */
export class ReplayCount {
  /** Events produced again; tombstones and rows of snapshots are not among them. */
  count = 0;
  /** Offsets of the first and the last of them; -1 while there is none. */
  firstOffset = -1;
  lastOffset = -1;
  /** Nothing that follows can be part of the replay. */
  over = false;
  /** Why it cannot be counted, one sentence; null while it can. */
  fault: string | null = null;

  readonly #left: Map<string, number>;

  constructor(
    readonly runId: string | null,
    readonly mark: Mark,
    readonly order: OrderOf,
    /** Whether a run began before this one: its records have no place behind this one's. */
    readonly isEarlier: (runId: string) => boolean,
  ) {
    this.#left = new Map(mark.atMark);
  }

  add(record: WalkedRecord): void {
    if (this.over || this.fault !== null || this.#isAnotherRun(record) || record.kind === "none") return;
    const { order, why } = this.order(this.mark.position, record.position);
    if (order === "unordered") this.fault = why;
    else if (order === "before") this.over = true;
    else if (order === "after") this.#take(record.offset);
    else if (this.#wasAtMark(record.identity)) {
      this.#take(record.offset);
      this.over = this.#left.size === 0;
    }
  }

  /** The run died in the middle of its replay and another one began, or two tasks write at the same time. */
  #isAnotherRun({ runId, offset }: WalkedRecord): boolean {
    if (runId === null || this.runId === null || runId === this.runId) return false;
    if (this.isEarlier(runId))
      this.fault = `Record ${offset} of an earlier run lies behind the first record of the new one: two tasks wrote at the same time.`;
    else this.over = true;
    return true;
  }

  /** Takes one of the changes that were seen at the mark's position. */
  #wasAtMark(identity: string): boolean {
    const left = this.#left.get(identity) ?? 0;
    if (left > 1) this.#left.set(identity, left - 1);
    else this.#left.delete(identity);
    return left > 0;
  }

  #take(offset: number): void {
    this.count += 1;
    if (this.firstOffset < 0) this.firstOffset = offset;
    this.lastOffset = offset;
  }
}
