import { compareHexLsn, type HexLsn } from "./lsn-hex";
import { incrementalWhy, ordered, reversed, runningWhy } from "./order-words";
import type { Order } from "./position";

/**
 * Where a connector that reads change tables (SQL Server, Db2) or one of its events stands. Transactions come in the
 * order of their commit LSN, changes within one by their change LSN, and those that share it by number (TxLogPosition).
 */
export interface ChangeTablePosition {
  of: "offset" | "event";
  /** LSN of the transaction's commit; null before the first transaction was read. */
  commit: HexLsn | null;
  /** LSN of the change in it; null when the position is that of a snapshot: of no change yet. */
  change: HexLsn | null;
  /** Rows of the change tables with these two LSNs that are done. Of an offset 0 when absent, as Debezium reads it. */
  serial: bigint | null;
  /** Events only: each database has a log of its own. */
  database: string | null;
  /** Offsets only: the snapshot was completed and no change sent since, so that commit itself is done. */
  afterSnapshot: boolean;
  snapshot: "initial" | "incremental" | null;
}

/** What the two databases do not share. */
export interface ChangeTableRules {
  /** Whether change LSNs can fall within a transaction (SQL Server, DBZ-2329), so that only the commit LSN orders. */
  changesCanFall: boolean;
  /** Whether events carry event_serial_no. */
  eventsAreNumbered: boolean;
}

const fallingWhy =
  "Both are of one transaction, in which change LSNs can fall, and event_serial_no counts only what shares a change LSN.";
const assumedWhy =
  "By change LSN within one transaction, as Debezium compares them; where they fall in it, it sends from there on again.";
const lengthWhy = "The LSNs differ in length, so they come from different platforms.";

function orderSerials(a: bigint | null, b: bigint | null, unknown: Order): Order {
  if (a === null || b === null) return unknown;
  return ordered(a < b ? -1 : a > b ? 1 : 0);
}

function orderOffsets(rules: ChangeTableRules, a: ChangeTablePosition, b: ChangeTablePosition): Order {
  const change = compareHexLsn(a.change, b.change);
  if (change === null) return { order: "unordered", why: lengthWhy };
  if (change === 0) return orderSerials(a.serial ?? 0n, b.serial ?? 0n, { order: "equal" });
  const inside = rules.changesCanFall && a.change !== null && b.change !== null;
  return ordered(change, inside ? assumedWhy : undefined);
}

function orderEvents(rules: ChangeTableRules, a: ChangeTablePosition, b: ChangeTablePosition): Order {
  const change = compareHexLsn(a.change, b.change);
  if (change === null) return { order: "unordered", why: lengthWhy };
  // Without a number they share their place: which came first does not show.
  if (change === 0) return orderSerials(a.serial, b.serial, { order: "equal" });
  const inside = rules.changesCanFall && a.change !== null && b.change !== null;
  return inside ? { order: "unordered", why: fallingWhy } : ordered(change);
}

function orderWithinCommit(
  rules: ChangeTableRules,
  offset: ChangeTablePosition,
  event: ChangeTablePosition,
): Order {
  if (offset.afterSnapshot || event.change === null) return { order: "after" };
  const change = compareHexLsn(offset.change, event.change);
  if (change === null) return { order: "unordered", why: lengthWhy };
  if (change > 0) return { order: "after", ...(rules.changesCanFall ? { why: assumedWhy } : {}) };
  if (change < 0) return { order: "before" };
  return orderSerials(offset.serial ?? 0n, event.serial, {
    order: "unordered",
    why: `The event has the offset's LSNs and no event_serial_no, so it cannot be told whether it is among the ${offset.serial ?? 0n} rows that are done.`,
  });
}

function orderOffsetToEvent(
  rules: ChangeTableRules,
  offset: ChangeTablePosition,
  event: ChangeTablePosition,
): Order {
  if (offset.snapshot === "initial") return { order: "unordered", why: runningWhy };
  const commit = compareHexLsn(offset.commit, event.commit);
  if (commit === null) return { order: "unordered", why: lengthWhy };
  return commit === 0 ? orderWithinCommit(rules, offset, event) : ordered(commit);
}

/** Which of two positions comes first, or why that cannot be said. An offset comes before the events that it would send again. */
export function orderChangeTables(
  rules: ChangeTableRules,
  a: ChangeTablePosition,
  b: ChangeTablePosition,
): Order {
  if (a.snapshot === "incremental" || b.snapshot === "incremental")
    return { order: "unordered", why: incrementalWhy };
  if (a.database !== null && b.database !== null && a.database !== b.database)
    return {
      order: "unordered",
      why: `Databases ${a.database} and ${b.database} have logs of their own, whose LSNs do not compare.`,
    };
  if (a.of === "offset" && b.of === "event") return orderOffsetToEvent(rules, a, b);
  if (a.of === "event" && b.of === "offset") return reversed(orderOffsetToEvent(rules, b, a));
  const commit = compareHexLsn(a.commit, b.commit);
  if (commit === null) return { order: "unordered", why: lengthWhy };
  if (commit !== 0) return ordered(commit);
  return a.of === "offset" ? orderOffsets(rules, a, b) : orderEvents(rules, a, b);
}
