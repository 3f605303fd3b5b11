import { type CommitScn, compareLcr, highestCommit, type ThreadCommit } from "./oracle-scn";
import { incrementalWhy, ordered, reversed, runningWhy } from "./order-words";
import type { Order } from "./position";

/**
 * Where an Oracle connector or one of its events stands. Transactions are sent when they commit, so their commit SCN
 * orders them, in each redo thread by itself (CommitScn); XStream has positions of its own instead (LcrPosition).
 */
export interface OraclePosition {
  of: "offset" | "event";
  /** XStream only. */
  lcr: string | null;
  /** Of an offset: where a restart begins to mine, before the oldest open transaction. Of an event: the change's own. */
  scn: bigint | null;
  /** Offsets of OpenLogReplicator: how many events at `scn` are done. */
  scnIndex: bigint | null;
  /** Offsets: the last commit sent, of each redo thread. */
  commits: CommitScn;
  /** Events: SCN of the commit of their transaction, before 3.2 of the commit before it. */
  commit: bigint | null;
  /** Events: the redo thread of their transaction; null where it is not told. */
  thread: bigint | null;
  /** The transaction of the last event sent, or of the event, in lower case. */
  txId: string | null;
  /** 3.2+: the number of that event in its transaction. */
  txSeq: bigint | null;
  /** Offsets: what was committed up to this SCN is in the snapshot. */
  snapshotScn: bigint | null;
  snapshot: "initial" | "incremental" | null;
}

const lcrWhy = "One has an XStream position and the other an SCN: they do not compare.";

const compareScn = (a: bigint | null, b: bigint | null) => (a ?? -1n) - (b ?? -1n);

/** Negative when `b` has more of the same, positive when `a` has; null when each has what the other lacks. */
function compareSets(a: ReadonlySet<string>, b: ReadonlySet<string>): number | null {
  const missing = (x: ReadonlySet<string>, y: ReadonlySet<string>) => [...x].some((id) => !y.has(id));
  const [aHasMore, bHasMore] = [missing(a, b), missing(b, a)];
  if (aHasMore && bHasMore) return null;
  return Number(aHasMore) - Number(bHasMore);
}

function compareThread(a: ThreadCommit | undefined, b: ThreadCommit | undefined): number | null {
  const scn = compareScn(a?.scn ?? null, b?.scn ?? null);
  if (scn !== 0n) return scn < 0n ? -1 : 1;
  return compareSets(a?.transactions ?? new Set(), b?.transactions ?? new Set());
}

/** Compares thread by thread; a sentence when one thread went forward and another back. */
function compareCommits(a: CommitScn, b: CommitScn): number | string {
  let result = 0;
  for (const thread of new Set([...a.keys(), ...b.keys()])) {
    const step = compareThread(a.get(thread), b.get(thread));
    if (step === null) return `Each has transactions of redo thread ${thread} that the other lacks.`;
    if (step !== 0 && result !== 0 && step !== result)
      return "In one redo thread the first is ahead and in another the second.";
    result = step || result;
  }
  return result;
}

/** Whether two offsets record the same commits of the same transactions. */
export function sameCommits(a: CommitScn, b: CommitScn): boolean {
  return compareCommits(a, b) === 0;
}

/** Why two offsets after the same commits may have no order. */
export const otherTransactionWhy =
  "After the same commits each names another transaction: it may have been sent in part, or before them.";

/** The last transaction, unless its commit is recorded: then what of it was sent is told by that. */
function unrecorded({ txId, commits }: OraclePosition): string | null {
  const recorded = [...commits.values()].some(({ transactions }) => txId !== null && transactions.has(txId));
  return recorded ? null : txId;
}

function orderOffsets(a: OraclePosition, b: OraclePosition): Order {
  const commits = compareCommits(a.commits, b.commits);
  if (typeof commits === "string") return { order: "unordered", why: commits };
  for (const difference of [BigInt(commits), compareScn(a.scn, b.scn), compareScn(a.scnIndex, b.scnIndex)])
    if (difference !== 0n) return ordered(difference);
  const [last, other] = [unrecorded(a), unrecorded(b)];
  if (last === null || other === null) return ordered(Number(last !== null) - Number(other !== null));
  return last === other
    ? ordered(compareScn(a.txSeq, b.txSeq))
    : { order: "unordered", why: otherTransactionWhy };
}

/** An event of the transaction in which the offset stops, by its number there. */
function orderInTransaction(offset: OraclePosition, event: OraclePosition): Order {
  if (offset.txSeq === null) return { order: "before" };
  if (event.txSeq === null)
    return {
      order: "unordered",
      why: "It is in the transaction in which the offset stops, and has no txSeq: which events are done cannot be told.",
    };
  return ordered(offset.txSeq - event.txSeq);
}

/** The commit of the event's redo thread; a sentence when it cannot be told which that is. */
function threadCommit(offset: OraclePosition, event: OraclePosition): ThreadCommit | null | string {
  if (event.thread !== null) return offset.commits.get(event.thread) ?? null;
  const [only = null, ...more] = offset.commits.values();
  return more.length === 0
    ? only
    : "The event does not tell its redo thread, and the offset has a commit SCN for each.";
}

/** As a restart decides (CommitScn.hasBeenHandled), and by txSeq within the transaction in which the offset stops. */
function orderOffsetToChange(offset: OraclePosition, event: OraclePosition): Order {
  const inside = event.txId !== null && event.txId === offset.txId;
  if (event.commit === null) {
    if (inside) return orderInTransaction(offset, event);
    return { order: "unordered", why: "The event has no commit_scn: its place is not told." };
  }
  const done = threadCommit(offset, event);
  if (typeof done === "string") return { order: "unordered", why: done };
  if (done?.scn == null) {
    // Nothing was sent from this thread: the snapshot has all that was committed before, and nothing below scn is mined.
    const covered = [offset.snapshotScn, offset.scn].some((scn) => compareScn(scn, event.commit) >= 0n);
    if (covered) return { order: "after" };
  } else {
    const commit = done.scn - event.commit;
    if (commit > 0n) return { order: "after" };
    if (commit === 0n && event.txId !== null && done.transactions.has(event.txId)) return { order: "after" };
    if (commit === 0n && !(done.namesTransactions && event.txId !== null))
      return {
        order: "unordered",
        why: "Several transactions can commit at one SCN, and which of them were sent is not told.",
      };
  }
  return inside ? orderInTransaction(offset, event) : { order: "before" };
}

function orderOffsetToEvent(offset: OraclePosition, event: OraclePosition): Order {
  if (offset.snapshot === "initial") return { order: "unordered", why: runningWhy };
  if (event.snapshot === "initial") {
    if (offset.lcr !== null) return { order: "after" };
    const known = [highestCommit(offset.commits), offset.snapshotScn, offset.scn];
    return { order: known.some((scn) => compareScn(scn, event.scn) >= 0n) ? "after" : "before" };
  }
  if (offset.lcr !== null && event.lcr !== null) return ordered(compareLcr(offset.lcr, event.lcr));
  if (offset.lcr !== null || event.lcr !== null) return { order: "unordered", why: lcrWhy };
  return orderOffsetToChange(offset, event);
}

/** Two events of one transaction: by txSeq, before 3.2 by the SCN of the change. */
function orderChanges(a: OraclePosition, b: OraclePosition): Order {
  if (a.txSeq !== null && b.txSeq !== null) return ordered(a.txSeq - b.txSeq);
  return ordered(compareScn(a.scn, b.scn));
}

function orderEvents(a: OraclePosition, b: OraclePosition): Order {
  if (a.snapshot === "initial" && b.snapshot === "initial") return ordered(compareScn(a.scn, b.scn));
  // What was committed up to the snapshot's SCN can only have been sent before it.
  if (a.snapshot === "initial") return ordered(compareScn(a.scn, b.commit ?? b.scn) >= 0n ? 1 : -1);
  if (b.snapshot === "initial") return reversed(orderEvents(b, a));
  if (a.lcr !== null && b.lcr !== null) return ordered(compareLcr(a.lcr, b.lcr));
  if (a.lcr !== null || b.lcr !== null) return { order: "unordered", why: lcrWhy };
  if (a.thread !== b.thread)
    return {
      order: "unordered",
      why: `Of redo threads ${a.thread ?? "not told"} and ${b.thread ?? "not told"}, whose commits are sent side by side.`,
    };
  if (a.commit !== null && b.commit !== null && a.commit !== b.commit) return ordered(a.commit - b.commit);
  if (a.txId !== null && a.txId === b.txId) return orderChanges(a, b);
  if (a.commit === null || b.commit === null)
    return {
      order: "unordered",
      why: "Without commit_scn only events of one transaction are ordered: the SCN of a change does not rise in the order of delivery.",
    };
  return {
    order: "unordered",
    why: "Two transactions committed at one SCN: which was sent first is not told.",
  };
}

/** Which of two positions comes first, or why that cannot be said. An offset comes before the events that it would send again. */
export function orderOracle(a: OraclePosition, b: OraclePosition): Order {
  if (a.snapshot === "incremental" || b.snapshot === "incremental")
    return { order: "unordered", why: incrementalWhy };
  if (a.of === "offset" && b.of === "event") return orderOffsetToEvent(a, b);
  if (a.of === "event" && b.of === "offset") return reversed(orderOffsetToEvent(b, a));
  if (a.of === "event") return orderEvents(a, b);
  if (a.lcr !== null && b.lcr !== null) return ordered(compareLcr(a.lcr, b.lcr));
  if (a.lcr !== null || b.lcr !== null) return { order: "unordered", why: lcrWhy };
  return orderOffsets(a, b);
}
