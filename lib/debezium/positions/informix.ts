import type { JsonObject } from "../json";
import { fieldProblems, quoted } from "./field-kinds";
import { informixGap, informixLsn, informixLsnText } from "./informix-lsn";
import { incrementalWhy, ordered, reversed, runningWhy, snapshotRecord } from "./order-words";
import type { ChangeRecord, FieldKind, Identity, Order, PositionKind, Problem, Reading } from "./position";
import { snapshotState } from "./snapshot-state";

/**
 * Where an Informix connector or one of its events stands. Transactions come in the order of their commit LSN; within
 * one the change LSN never falls, for the connector keeps the highest (TxLogPosition.cloneAndSet).
 */
export interface InformixPosition {
  of: "offset" | "event";
  /** Null before the first transaction was read. */
  commit: bigint | null;
  /** The last change sent, or the commit when the transaction is done; null when only a snapshot was taken. */
  change: bigint | null;
  /** Where a restart begins to read: the begin of the oldest transaction that was open. */
  begin: bigint | null;
  /** Offsets only: the snapshot was completed and no change sent since. */
  afterSnapshot: boolean;
  snapshot: "initial" | "incremental" | null;
}

const lsnField = (meaning: string, none: string): FieldKind => ({
  meaning,
  read(value) {
    const lsn = informixLsn(value);
    if (lsn === undefined) return { problem: `is ${quoted(value)}, not an LSN as a whole number` };
    return { text: lsn === null ? none : informixLsnText(lsn) };
  },
});

const fields = {
  commit_lsn: lsnField(
    "LSN of the commit of the last transaction of which a change was sent: logical log and position in it.",
    "none yet",
  ),
  change_lsn: lsnField("LSN of the last change that was sent, or of the commit that came after it.", "none"),
  begin_lsn: lsnField(
    "Where a restart begins to read: the begin of the oldest transaction that was open then.",
    "none; a restart reads from commit_lsn",
  ),
};

function decodeOffset(offset: JsonObject): Reading<InformixPosition> {
  const problems = fieldProblems(offset, fields);
  if (offset.commit_lsn === undefined) {
    const text = "commit_lsn is missing; every Informix offset has one.";
    return { position: null, problems: [...problems, { key: "commit_lsn", text }] };
  }
  const [commit, change] = [informixLsn(offset.commit_lsn), informixLsn(offset.change_lsn)];
  if (commit === undefined || change === undefined) return { position: null, problems };
  const state = snapshotState(offset);
  return {
    position: {
      of: "offset",
      commit,
      change,
      begin: informixLsn(offset.begin_lsn) ?? null,
      afterSnapshot: state === "done" && change === null,
      snapshot: state === "initial-running" || state === "blocking-running" ? "initial" : null,
    },
    problems,
  };
}

function decodeSource(source: JsonObject): Reading<InformixPosition> {
  const problems: Problem[] = [];
  const [commit, change] = [informixLsn(source.commit_lsn), informixLsn(source.change_lsn)];
  for (const [key, lsn] of [
    ["commit_lsn", commit],
    ["change_lsn", change],
  ] as const)
    if (lsn === undefined)
      problems.push({ key, text: `${key} is ${quoted(source[key])}, not an LSN as a whole number.` });
  if (commit === null) problems.push({ key: "commit_lsn", text: "The event has no commit_lsn." });
  if (commit == null || change === undefined) return { position: null, problems };
  return {
    position: {
      of: "event",
      commit,
      change,
      begin: informixLsn(source.begin_lsn) ?? null,
      afterSnapshot: false,
      snapshot: snapshotRecord(source.snapshot),
    },
    problems,
  };
}

const compare = (a: bigint | null, b: bigint | null) => (a ?? -1n) - (b ?? -1n);

/** As a restart decides (InformixStreamingChangeEventSource): done up to the commit, and within it up to the change. */
function orderOffsetToEvent(offset: InformixPosition, event: InformixPosition): Order {
  if (offset.snapshot === "initial") return { order: "unordered", why: runningWhy };
  const commit = compare(offset.commit, event.commit);
  if (commit !== 0n) return ordered(commit);
  if (offset.afterSnapshot || event.change === null) return { order: "after" };
  return ordered(compare(offset.change, event.change));
}

function order(a: InformixPosition, b: InformixPosition): Order {
  if (a.snapshot === "incremental" || b.snapshot === "incremental")
    return { order: "unordered", why: incrementalWhy };
  if (a.of === "offset" && b.of === "event") return orderOffsetToEvent(a, b);
  if (a.of === "event" && b.of === "offset") return reversed(orderOffsetToEvent(b, a));
  const commit = compare(a.commit, b.commit);
  if (commit !== 0n) return ordered(commit);
  const change = compare(a.change, b.change);
  // Of two offsets after the same change the one that reads from further on is the later.
  if (change !== 0n || a.of === "event") return ordered(change);
  return ordered(compare(a.begin, b.begin));
}

function identity({ topic, key, op, source }: ChangeRecord): Identity {
  if (op === "r") return { id: null, why: "A record read by a snapshot is a re-read, not a change." };
  const [commit, change] = [informixLsn(source.commit_lsn), informixLsn(source.change_lsn)];
  if (commit == null || change == null)
    return { id: null, why: "The event has no commit_lsn and change_lsn that can be read." };
  return {
    id: JSON.stringify([commit.toString(), change.toString(), topic, key, op]),
    caveat:
      key === null
        ? "The table has no key, and changes of transactions that ran side by side can share a change LSN."
        : "Changes of one row in a transaction that ran beside another can share a change LSN.",
  };
}

function meaningOf({ snapshot, change, commit }: InformixPosition): string {
  if (snapshot === "initial")
    return "Commit LSN at which the running snapshot was taken; streaming goes on from there.";
  if (change === null) return "Commit LSN at which the snapshot was taken; no change was sent since.";
  if (change === commit) return "Commit LSN of the last transaction; all of its changes were sent.";
  return `Commit LSN of the transaction of the last change sent (change ${informixLsnText(change)}).`;
}

export const informix: PositionKind<InformixPosition> = {
  fields,
  decodeOffset,
  decodeSource,
  order,
  distance: (from, to) => ({ amount: null, why: informixGap(from.commit, to.commit) }),
  identity,
  headline(offset) {
    const { position } = decodeOffset(offset);
    if (!position) return { text: "unknown", meaning: "The LSNs of the offset cannot all be read." };
    if (position.commit === null) return { text: "none yet", meaning: "No transaction was read yet." };
    return { text: informixLsnText(position.commit), meaning: meaningOf(position) };
  },
  warnings(offset) {
    const { position } = decodeOffset(offset);
    if (!position || position.snapshot !== null || position.change === null) return [];
    if (position.commit === null || position.change >= position.commit) return [];
    const text =
      "The offset is inside a transaction: a restart reads it again from its begin and skips what is done.";
    return [{ slug: "mid-transaction", text }];
  },
  sourceTime: () => null,
};
