import { type JsonObject, type JsonValue, parseJson } from "../json";
import {
  count,
  fieldProblems,
  knownTime,
  plural,
  quoted,
  textField,
  timeField,
  wholeField,
} from "./field-kinds";
import { lsnText, walBytes } from "./lsn";
import type { ChangeRecord, Distance, Identity, Order, PositionKind, Problem, Reading } from "./position";
import { snapshotState } from "./snapshot-state";

/** Where a PostgreSQL connector or one of its events stands. Events are ordered by commit, then by LSN within it. */
export interface PostgresPosition {
  of: "offset" | "event";
  lsn: bigint;
  /** LSN of the last COMMIT seen before; null before the first commit. */
  lastCommit: bigint | null;
  txId: bigint | null;
  /** Offsets only, 2.2+: the last message, such as INSERT or COMMIT. */
  messageType: string | null;
  /** Offsets only, 3.7+: events already sent at `lsn`. */
  eventsAtLsn: bigint | null;
  /** `initial` and `incremental` records are re-reads: they do not move the position. */
  snapshot: "initial" | "incremental" | null;
  /** False for an event whose block has no `sequence`: then only its LSN is known. */
  sequenced: boolean;
}

const lsnField = (meaning: string) => wholeField(meaning, lsnText, "an LSN as a whole number");

const fields = {
  lsn: lsnField("LSN of the last event sent, or of the COMMIT when that came last."),
  lsn_proc: lsnField("Last LSN that was processed completely; a restart asks the server from here."),
  lsn_commit: lsnField(
    "LSN of the last COMMIT processed; this is what is confirmed to the replication slot.",
  ),
  lsn_events_processed: wholeField(
    "Several events can share one LSN: how many of those at lsn have been sent.",
    (n) => `${plural(n, "row event")} already sent at this LSN`,
  ),
  messageType: textField("Kind of the last message that was processed."),
  txId: wholeField("Number of the transaction (xid)."),
  ts_usec: timeField(
    "When the source committed the last change; during a snapshot, the connector's clock.",
    1n,
  ),
  xmin: wholeField("Oldest transaction that the replication slot still needs (xmin)."),
};

function decodeOffset(offset: JsonObject): Reading<PostgresPosition> {
  const problems = fieldProblems(offset, fields);
  const lsn = count(offset.lsn);
  if (lsn === null) {
    if (offset.lsn == null)
      problems.push({ key: "lsn", text: "lsn is missing; every PostgreSQL offset has one." });
    return { position: null, problems };
  }
  const state = snapshotState(offset);
  return {
    position: {
      of: "offset",
      lsn,
      // PostgresOffsetContext.Loader falls back the same way.
      lastCommit: count(offset.lsn_commit) ?? count(offset.lsn_proc),
      txId: count(offset.txId),
      messageType: typeof offset.messageType === "string" ? offset.messageType : null,
      eventsAtLsn: count(offset.lsn_events_processed),
      snapshot: state === "initial-running" || state === "blocking-running" ? "initial" : null,
      sequenced: true,
    },
    problems,
  };
}

/** The two numbers of `source.sequence`, `["<last commit>","<lsn>"]`; null when it is absent or something else. */
function sequenceOf(value: JsonValue | undefined): { lastCommit: bigint | null; lsn: bigint | null } | null {
  if (typeof value !== "string") return null;
  try {
    const pair = parseJson(value);
    return Array.isArray(pair) && pair.length === 2
      ? { lastCommit: count(pair[0]), lsn: count(pair[1]) }
      : null;
  } catch {
    return null;
  }
}

function snapshotOf(value: JsonValue | undefined): PostgresPosition["snapshot"] {
  if (value === "incremental") return "incremental";
  return value == null || value === "false" || value === false ? null : "initial";
}

function decodeSource(source: JsonObject): Reading<PostgresPosition> {
  const sequence = sequenceOf(source.sequence);
  // The records of an incremental snapshot have a sequence but no lsn.
  const lsn = count(source.lsn) ?? sequence?.lsn ?? null;
  const problems: Problem[] = [];
  if (source.lsn != null && count(source.lsn) === null)
    problems.push({ key: "lsn", text: `lsn is ${quoted(source.lsn)}, not an LSN as a whole number.` });
  if (source.sequence != null && sequence === null)
    problems.push({
      key: "sequence",
      text: `sequence is ${quoted(source.sequence)}, not two LSNs in a list.`,
    });
  if (lsn === null) {
    if (problems.length === 0) problems.push({ key: "lsn", text: "The event has neither lsn nor sequence." });
    return { position: null, problems };
  }
  return {
    position: {
      of: "event",
      lsn,
      lastCommit: sequence?.lastCommit ?? null,
      txId: count(source.txId),
      messageType: null,
      eventsAtLsn: null,
      snapshot: snapshotOf(source.snapshot),
      sequenced: sequence !== null,
    },
    problems,
  };
}

function compare(a: bigint, b: bigint): "before" | "equal" | "after" {
  if (a === b) return "equal";
  return a < b ? "before" : "after";
}

function reversed(order: Order): Order {
  if (order.order === "before") return { ...order, order: "after" };
  if (order.order === "after") return { ...order, order: "before" };
  return order;
}

const incrementalWhy =
  "A record of an incremental snapshot carries the position of the moment, not one of its own.";
const noSequenceWhy =
  "The event has no sequence, and LSNs of transactions that ran side by side do not rise in the order of delivery.";

function orderEvents(a: PostgresPosition, b: PostgresPosition): Order {
  if (a.snapshot === "initial" && b.snapshot === "initial") return { order: compare(a.lsn, b.lsn) };
  // The first change after a snapshot can carry the snapshot's own LSN.
  if (a.snapshot === "initial" && b.lastCommit === null && b.lsn >= a.lsn) return { order: "before" };
  if (b.snapshot === "initial" && a.lastCommit === null && a.lsn >= b.lsn) return { order: "after" };
  if (a.snapshot === "initial" || b.snapshot === "initial")
    return {
      order: compare(
        a.snapshot ? a.lsn : (a.lastCommit ?? a.lsn),
        b.snapshot ? b.lsn : (b.lastCommit ?? b.lsn),
      ),
    };
  if (!a.sequenced || !b.sequenced) {
    if (a.txId !== null && a.txId === b.txId) return { order: compare(a.lsn, b.lsn) };
    return { order: "unordered", why: noSequenceWhy };
  }
  const byCommit = compare(a.lastCommit ?? -1n, b.lastCommit ?? -1n);
  if (byCommit !== "equal") return { order: byCommit };
  if (a.txId !== null && b.txId !== null && a.txId !== b.txId)
    return {
      order: "unordered",
      why: "Two transactions follow the same commit: their LSNs do not tell which came first.",
    };
  return { order: compare(a.lsn, b.lsn) };
}

/** Whether the last message closed or opened a transaction: then no change of the next one is covered yet. */
function atBoundary(offset: PostgresPosition): boolean {
  if (offset.messageType === "COMMIT" || offset.messageType === "BEGIN") return true;
  return offset.messageType === null && offset.lsn === offset.lastCommit;
}

function orderOffsetToEvent(offset: PostgresPosition, event: PostgresPosition): Order {
  if (offset.snapshot === "initial")
    return {
      order: "unordered",
      why: "A snapshot is running in the offset: a restart sends all of it again.",
    };
  if (event.snapshot === "initial")
    return { order: compare(offset.lsn, event.lsn) === "before" ? "before" : "after" };
  if (!event.sequenced) {
    if (event.txId !== null && event.txId === offset.txId) return { order: compare(offset.lsn, event.lsn) };
    return { order: "unordered", why: noSequenceWhy };
  }
  if (offset.lastCommit === null) {
    // Stored at the end of a snapshot: every later change is new, and the first may have the same LSN.
    const later = event.lsn >= offset.lsn || (event.lastCommit ?? 0n) >= offset.lsn;
    return { order: later ? "before" : "after" };
  }
  const byCommit = compare(offset.lastCommit, event.lastCommit ?? -1n);
  if (byCommit !== "equal") return { order: byCommit };
  if (atBoundary(offset)) return { order: "before" };
  const byLsn = compare(offset.lsn, event.lsn);
  if (byLsn === "equal" && offset.eventsAtLsn !== null)
    return {
      order: "unordered",
      why: `Several events share this LSN; the first ${offset.eventsAtLsn} of them were sent.`,
    };
  return { order: byLsn };
}

function order(a: PostgresPosition, b: PostgresPosition): Order {
  if (a.snapshot === "incremental" || b.snapshot === "incremental")
    return { order: "unordered", why: incrementalWhy };
  if (a.of === "event" && b.of === "event") return orderEvents(a, b);
  if (a.of === "offset" && b.of === "event") return orderOffsetToEvent(a, b);
  if (a.of === "event") return reversed(orderOffsetToEvent(b, a));
  const byCommit = compare(a.lastCommit ?? -1n, b.lastCommit ?? -1n);
  if (byCommit !== "equal") return { order: byCommit };
  // After the same commit, a transaction that ran beside it may have lower LSNs.
  if (atBoundary(a) !== atBoundary(b)) return { order: atBoundary(a) ? "before" : "after" };
  const byLsn = compare(a.lsn, b.lsn);
  return { order: byLsn === "equal" ? compare(a.eventsAtLsn ?? 0n, b.eventsAtLsn ?? 0n) : byLsn };
}

/** By LSN: how much WAL lies between, which is not how much is left to send. */
function distance(from: PostgresPosition, to: PostgresPosition): Distance {
  return { amount: walBytes(from.lsn, to.lsn), unit: "bytes of WAL" };
}

function identity({ topic, key, op, source }: ChangeRecord): Identity {
  if (op === "r") return { id: null, why: "A record read by a snapshot is a re-read, not a change." };
  const lsn = count(source.lsn);
  if (lsn === null) return { id: null, why: "The event has no lsn." };
  const txId = count(source.txId);
  return {
    id: JSON.stringify([txId?.toString() ?? null, lsn.toString(), topic, key, op]),
    caveat: key === null ? "The table has no key: rows that share an LSN cannot be told apart." : null,
  };
}

/** Whether a crash now would restart inside a transaction. */
function midTransaction(position: PostgresPosition): boolean {
  if (position.snapshot !== null || position.lastCommit === null) return false;
  const type = position.messageType;
  if (type === "COMMIT" || type === "BEGIN") return false;
  return (
    position.lsn > position.lastCommit || ["INSERT", "UPDATE", "DELETE", "TRUNCATE"].includes(type ?? "")
  );
}

function headlineMeaning(offset: JsonObject): string {
  const state = snapshotState(offset);
  if (state === "initial-running" || state === "blocking-running")
    return "LSN at which the running snapshot was taken; streaming goes on from here.";
  if (offset.messageType === "COMMIT")
    return "LSN of the last COMMIT: every change committed up to here has been sent.";
  if (offset.messageType === "BEGIN")
    return "LSN at which a transaction begins: everything committed before it has been sent.";
  return "LSN of the last event that has been sent.";
}

export const postgresql: PositionKind<PostgresPosition> = {
  fields,
  decodeOffset,
  decodeSource,
  order,
  distance,
  identity,
  headline(offset) {
    const lsn = count(offset.lsn);
    if (lsn === null) return { text: "unknown", meaning: "The offset has no lsn that can be read." };
    return { text: lsnText(lsn), meaning: headlineMeaning(offset) };
  },
  warnings(offset) {
    const { position } = decodeOffset(offset);
    if (!position || !midTransaction(position)) return [];
    const text = "The offset is inside a transaction: a crash now would restart in the middle of it.";
    return [{ slug: "mid-transaction", text }];
  },
  sourceTime(offset) {
    const micros = count(offset.ts_usec);
    return knownTime(micros) === null ? null : micros;
  },
};
