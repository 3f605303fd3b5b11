import type { PositionKind } from "@/lib/debezium/positions/position";
import { type PartitionLog, RecordsGone } from "./partition-log";
import type { RecordFacts } from "./record-facts";

/**
 * Without run ids (Debezium before 3.4): finds where positions fall along a partition, which within one run they never
 * do. There a new run began to produce again what was there.
 */
export class FallSearch {
  /** The record with the highest position so far; null while there is none. */
  top: RecordFacts | null = null;
  #next: number | null = null;

  constructor(
    private readonly log: PartitionLog,
    private readonly kind: PositionKind<unknown>,
    /** The run before had written at least up to here. */
    private readonly from: number,
  ) {}

  /** Reads on to the end; the first record that was produced again, or null. @throws LogReadError, RecordsGone */
  async look(to: number, maxBytes: number): Promise<RecordFacts | null> {
    if (this.#next === null) {
      const last = await this.log.lastBefore(0, this.from, ({ kind }) => kind === "change");
      this.top = last?.found ?? null;
      this.#next = this.from;
    }
    let found: RecordFacts | null = null;
    this.#next = await this.log.walk(this.#next, to, maxBytes, (facts) => {
      if (facts.kind === "unreadable")
        throw new RecordsGone(
          `Record ${facts.offset} of ${this.log.name} cannot be measured: ${facts.why ?? "it is no event."}`,
        );
      if (facts.kind !== "change") return true;
      if (!this.#falls(facts)) return true;
      found = facts;
      return false;
    });
    return found;
  }

  #falls(facts: RecordFacts): boolean {
    const { top } = this;
    const { order, why } = top ? this.kind.order(top.position, facts.position) : { order: "before", why: "" };
    if (order === "unordered")
      throw new RecordsGone(`Records before and after the restart cannot be compared: ${why}`);
    if (order === "before") this.top = facts;
    // Several changes can share a position, but not of one row.
    return order === "after" || (order === "equal" && facts.identity === top?.identity && hasKey(facts));
  }
}

/** The identity is a list of key and op. */
const hasKey = ({ identity }: RecordFacts) => !identity.startsWith("[null,");
