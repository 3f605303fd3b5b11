import type { ConnectorType } from "@/lib/debezium/connector-type";
import { deliveredOrder } from "@/lib/debezium/events/delivered-record";

/** A position that was reached, and the record that reached it. */
export interface Reached {
  type: ConnectorType;
  position: unknown;
  offset: number;
}

/**
 * How a position stands to all that were reached before: `above` each of them, `below` (or at) one of them, or `unsure`,
 * where with some it has no order and it is below none.
 */
export type Standing = "above" | "below" | "unsure";

/** Of those that have no order among each other, so many are kept, the newest. */
const MOST = 4;

/**
 * The highest positions that were reached, all of one lane: one, or a few that have no order among each other (a source
 * that moved to another server without GTIDs). Never changed: each addition gives another.
 */
export class Marks {
  constructor(readonly reached: readonly Reached[] = []) {}

  with(one: Reached): Marks {
    const order = deliveredOrder(one.type);
    const orders = this.reached.map((other) => order(one.position, other.position).order);
    if (orders.some((o) => o === "before" || o === "equal")) {
      // Of two at one place the first stays.
      return this;
    }
    const left = this.reached.filter((_, i) => orders[i] !== "after");
    return new Marks([...left, one].slice(-MOST));
  }

  standing(one: Pick<Reached, "type" | "position">): Standing {
    const order = deliveredOrder(one.type);
    let unsure = false;
    for (const other of this.reached) {
      const stands = order(one.position, other.position).order;
      if (stands === "before" || stands === "equal") return "below";
      if (stands === "unordered") unsure = true;
    }
    return unsure ? "unsure" : "above";
  }

  /** Whether a position stands before one that was reached, and not only at it. */
  isUnder(one: Pick<Reached, "type" | "position">): boolean {
    const order = deliveredOrder(one.type);
    return this.reached.some((other) => order(one.position, other.position).order === "before");
  }
}
