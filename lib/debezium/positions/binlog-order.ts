import { filesBetween } from "./binlog-file";
import type { GtidDialect } from "./gtid";
import type { Order } from "./position";

/**
 * Where a MySQL or MariaDB connector or one of its events stands. Of an offset, file and pos are where a restart
 * begins to read; it then skips `event` events and `row` rows (BinlogOffsetContext).
 */
export interface BinlogPosition<S> {
  of: "offset" | "event";
  file: string;
  pos: bigint;
  /** Events of the transaction that are done. Offsets only. */
  event: bigint;
  /** Of an offset: rows of the next event that are done. Of an event: which row of its binlog event it is. */
  row: bigint;
  /** Offsets: transactions that are complete. */
  gtids: S | null;
  /** Events: the transaction it belongs to. Offsets: the one in progress, where transaction metadata tells. */
  gtid: string | null;
  /** The server that wrote the change; null when not recorded. */
  serverId: bigint | null;
  /** Seconds since 1970; null when not recorded. */
  seconds: bigint | null;
  snapshot: "initial" | "incremental" | null;
}

/** Compares file, position, done events and done rows; null when the files do not belong together. */
export function compareCoordinates<S>(a: BinlogPosition<S>, b: BinlogPosition<S>): bigint | null {
  const files = filesBetween(b.file, a.file);
  if (files === null) return null;
  for (const difference of [files, a.pos - b.pos, a.event - b.event, a.row - b.row])
    if (difference !== 0n) return difference;
  return 0n;
}

function ordered(difference: bigint, why?: string): Order {
  const order = difference < 0n ? "before" : difference > 0n ? "after" : "equal";
  return why === undefined ? { order } : { order, why };
}

const otherServer = (what: string): Order => ({
  order: "unordered",
  why: `${what}: file and position belong to one server, and there is no GTID to compare.`,
});

/** Orders by file and position, which only one server's binlogs allow. */
function orderByCoordinates<S>(a: BinlogPosition<S>, b: BinlogPosition<S>): Order {
  if (a.serverId !== null && b.serverId !== null && a.serverId !== b.serverId)
    return otherServer(`Written by servers ${a.serverId} and ${b.serverId}`);
  const difference = compareCoordinates(a, b);
  if (difference === null) return otherServer(`Binlogs ${a.file} and ${b.file} are of different series`);
  return ordered(difference);
}

function orderOffsets<S>(dialect: GtidDialect<S>, a: BinlogPosition<S>, b: BinlogPosition<S>): Order {
  const assumed = "As Debezium does, the position without GTIDs is taken for the older.";
  if (a.gtids === null && b.gtids === null) return orderByCoordinates(a, b);
  if (a.gtids === null) return ordered(-1n, assumed);
  if (b.gtids === null) return ordered(1n, assumed);
  if (dialect.equal(a.gtids, b.gtids)) {
    const difference = a.event - b.event || a.row - b.row;
    if (difference !== 0n) return ordered(difference);
    // The same transactions: on one server the position still tells, as with a GTID that stands still.
    const coordinates = a.serverId === b.serverId ? compareCoordinates(a, b) : null;
    return ordered(coordinates ?? 0n);
  }
  if (dialect.covers(b.gtids, a.gtids)) return ordered(-1n);
  if (dialect.covers(a.gtids, b.gtids)) return ordered(1n);
  return {
    order: "unordered",
    why: "Each has transactions that the other lacks: the servers' histories have parted.",
  };
}

/** Why an event of the transaction in which an offset stops is unordered. */
export const mustCount =
  "It is in the transaction in which the offset stops: the events and rows to skip have to be counted.";

function orderOffsetToEvent<S>(
  dialect: GtidDialect<S>,
  offset: BinlogPosition<S>,
  event: BinlogPosition<S>,
): Order {
  if (offset.snapshot === "initial")
    return {
      order: "unordered",
      why: "A snapshot is running in the offset: a restart sends all of it again.",
    };
  const stopsInside = offset.event > 0n || offset.row > 0n;
  const covered =
    offset.gtids !== null && event.gtid !== null ? dialect.covered(offset.gtids, event.gtid) : null;
  if (covered !== null && offset.gtids !== null && event.gtid !== null) {
    if (covered) return { order: "after" };
    const inside =
      offset.gtid === null ? dialect.isNext(offset.gtids, event.gtid) : offset.gtid === event.gtid;
    return stopsInside && inside ? { order: "unordered", why: mustCount } : { order: "before" };
  }
  const server = orderByCoordinates({ ...offset, event: 0n, row: 0n }, { ...event, row: 0n });
  if (server.order !== "before" && server.order !== "equal") return server;
  // A transaction never spans two files.
  const sameFile = filesBetween(offset.file, event.file) === 0n;
  return stopsInside && sameFile ? { order: "unordered", why: mustCount } : { order: "before" };
}

function orderEvents<S>(dialect: GtidDialect<S>, a: BinlogPosition<S>, b: BinlogPosition<S>): Order {
  if (a.gtid !== null && b.gtid !== null) {
    const ids = dialect.compareIds(a.gtid, b.gtid);
    if (ids !== null && ids !== 0n) return ordered(ids);
  }
  return orderByCoordinates(a, b);
}

function reversed(order: Order): Order {
  if (order.order === "before") return { ...order, order: "after" };
  if (order.order === "after") return { ...order, order: "before" };
  return order;
}

/**
 * Whether a recorded position is at or before a desired one, exactly as Debezium decides which records of a schema
 * history to apply (BinlogHistoryRecordComparator.isPositionAtOrBefore). It assumes where `order` says "unordered".
 */
export function isPositionAtOrBefore<S>(
  dialect: GtidDialect<S>,
  recorded: BinlogPosition<S>,
  desired: BinlogPosition<S>,
): boolean {
  if (desired.gtids !== null) {
    if (recorded.gtids === null) return true;
    if (!dialect.equal(recorded.gtids, desired.gtids))
      return dialect.coversAsDebezium(desired.gtids, recorded.gtids);
    if (recorded.snapshot === null && desired.snapshot !== null) return false;
    return recorded.event <= desired.event;
  }
  if (recorded.gtids !== null) return false;
  if ((recorded.serverId ?? 0n) !== (desired.serverId ?? 0n))
    return (recorded.seconds ?? 0n) <= (desired.seconds ?? 0n);
  const difference = compareCoordinates(recorded, desired);
  return difference === null ? recorded.file <= desired.file : difference <= 0n;
}

/** Which of two positions comes first, or why that cannot be said. An offset comes before the events that it would send again. */
export function orderBinlog<S>(dialect: GtidDialect<S>, a: BinlogPosition<S>, b: BinlogPosition<S>): Order {
  if (a.snapshot === "incremental" || b.snapshot === "incremental")
    return {
      order: "unordered",
      why: "A record of an incremental snapshot carries the position of the moment, not one of its own.",
    };
  if (a.of === "offset" && b.of === "offset") return orderOffsets(dialect, a, b);
  if (a.of === "offset") return orderOffsetToEvent(dialect, a, b);
  if (b.of === "offset") return reversed(orderOffsetToEvent(dialect, b, a));
  return orderEvents(dialect, a, b);
}
