import type { JsonObject } from "../json";
import { count, fieldProblems, plural, quoted } from "./field-kinds";
import { oracleFields as fields } from "./oracle-fields";
import { type OraclePosition, orderOracle, sameCommits } from "./oracle-order";
import { highestCommit, lcrOf, lowestScn, parseCommitScn, pendingTransactions, scnOf } from "./oracle-scn";
import { snapshotRecord } from "./order-words";
import type { ChangeRecord, Distance, Identity, PositionKind, Problem, Reading } from "./position";
import { snapshotState } from "./snapshot-state";

const text = (value: unknown) => (typeof value === "string" && value.trim() !== "" ? value.trim() : null);
const transaction = (value: unknown) => text(value)?.toLowerCase() ?? null;

function decodeOffset(offset: JsonObject): Reading<OraclePosition> {
  const problems = fieldProblems(offset, fields);
  const lcr = lcrOf(offset.lcr_position);
  const scn = scnOf(offset.scn);
  const { commits } = parseCommitScn(offset.commit_scn);
  if (offset.scn === undefined && offset.lcr_position === undefined)
    problems.push({ key: "scn", text: "scn is missing; every Oracle offset has one, or an lcr_position." });
  const unread = scn === undefined || (offset.lcr_position != null && lcr === null);
  if (commits === undefined || unread || (offset.scn === undefined && lcr === null))
    return { position: null, problems };
  const state = snapshotState(offset);
  return {
    position: {
      of: "offset",
      lcr,
      scn,
      scnIndex: count(offset.scn_idx),
      commits,
      commit: null,
      thread: null,
      txId: transaction(offset.txId),
      txSeq: count(offset.txSeq),
      snapshotScn: scnOf(offset.snapshot_commit_scn) ?? scnOf(offset.snapshot_scn) ?? null,
      snapshot: state === "initial-running" || state === "blocking-running" ? "initial" : null,
    },
    problems,
  };
}

function decodeSource(source: JsonObject): Reading<OraclePosition> {
  const problems: Problem[] = [];
  const [scn, commit, lcr] = [scnOf(source.scn), scnOf(source.commit_scn), lcrOf(source.lcr_position)];
  for (const [key, read] of [
    ["scn", scn],
    ["commit_scn", commit],
  ] as const)
    if (read === undefined)
      problems.push({ key, text: `${key} is ${quoted(source[key])}, not an SCN as a whole number.` });
  if (scn == null && commit == null && lcr === null && problems.length === 0)
    problems.push({ key: "scn", text: "The event has neither scn, commit_scn nor lcr_position." });
  if (problems.length > 0) return { position: null, problems };
  return {
    position: {
      of: "event",
      lcr,
      scn: scn ?? null,
      scnIndex: null,
      commits: new Map(),
      commit: commit ?? null,
      thread: count(source.redo_thread),
      txId: transaction(source.txId),
      txSeq: count(source.txSeq),
      snapshotScn: null,
      snapshot: snapshotRecord(source.snapshot),
    },
    problems,
  };
}

/** The SCN up to which an event or the changes of an offset are committed. */
function reached(position: OraclePosition): bigint | null {
  if (position.of === "event") return position.commit ?? position.scn;
  return highestCommit(position.commits) ?? position.snapshotScn ?? position.scn;
}

/** By the newest commit of all redo threads, whose SCNs RAC keeps in step; within a transaction by its events. */
function distance(from: OraclePosition, to: OraclePosition): Distance {
  const order = orderOracle(from, to);
  if (order.order === "unordered") return { amount: null, why: order.why };
  if (from.lcr !== null || to.lcr !== null)
    return { amount: null, why: "An XStream position tells which came first, not how much lies in between." };
  const [a, b] = [reached(from), reached(to)];
  if (a === null || b === null) return { amount: null, why: "One of the two has no SCN." };
  if (a !== b || order.order === "equal") return { amount: b - a, unit: "SCNs" };
  if (from.txId !== null && from.txId === to.txId && from.txSeq !== null && to.txSeq !== null)
    return { amount: to.txSeq - from.txSeq, unit: "events of one transaction" };
  if (from.of === "offset" && to.of === "offset" && from.scn !== null && to.scn !== null)
    if (sameCommits(from.commits, to.commits) && from.scn !== to.scn)
      return { amount: to.scn - from.scn, unit: "SCNs of the resume SCN" };
  return { amount: null, why: "The newest commit SCN is the same; what moved has no count." };
}

function identity({ topic, key, op, source }: ChangeRecord): Identity {
  if (op === "r") return { id: null, why: "A record read by a snapshot is a re-read, not a change." };
  const [lcr, txId, txSeq] = [lcrOf(source.lcr_position), transaction(source.txId), count(source.txSeq)];
  const named = (parts: (string | null)[], caveat: string | null): Identity => ({
    id: JSON.stringify([...parts, topic, key, op]),
    caveat,
  });
  if (lcr !== null) return named(["lcr", lcr], null);
  if (txId !== null && txSeq !== null) return named(["tx", txId, txSeq.toString()], null);
  const scn = scnOf(source.scn);
  if (scn == null) return { id: null, why: "The event has neither txId with txSeq, nor an scn." };
  return named(
    ["scn", txId, scn.toString(), text(source.rs_id), text(source.row_id)],
    "The event has no txSeq, and an SCN can hold thousands of changes: two changes of one row can look the same.",
  );
}

function headlineMeaning(offset: JsonObject, position: OraclePosition): string {
  if (position.lcr !== null)
    return "Position of the last change that XStream delivered; an SCN does not apply.";
  if (position.snapshot === "initial")
    return "SCN from which streaming will read when the running snapshot is complete.";
  const commits = fields.commit_scn.read(offset.commit_scn ?? null).text ?? "none yet";
  return `Resume SCN: a restart mines the redo log from here and skips what was sent. Commits sent: ${commits}.`;
}

/** The transactions for which a restart goes back to before the snapshot. */
function pendingWarning(offset: JsonObject) {
  const stored = offset.snapshot_pending_tx;
  const pending = typeof stored === "string" ? (pendingTransactions(stored) ?? []) : [];
  const oldest = lowestScn(pending.map(({ scn }) => scn));
  if (oldest === null) return [];
  const were = pending.length === 1 ? "1 transaction was" : `${plural(pending.length, "transaction")} were`;
  return [
    {
      slug: "snapshot-transactions-pending",
      text: `${were} open when the snapshot was taken: streaming first mines the redo log from SCN ${oldest}, so it must still be kept.`,
    },
  ];
}

export const oracle: PositionKind<OraclePosition> = {
  fields,
  decodeOffset,
  decodeSource,
  order: orderOracle,
  distance,
  identity,
  headline(offset) {
    const { position } = decodeOffset(offset);
    if (!position)
      return { text: "unknown", meaning: "The offset has no scn or lcr_position that can be read." };
    const place =
      position.lcr === null ? (position.scn?.toString() ?? "none yet") : `XStream LCR ${position.lcr}`;
    return { text: place, meaning: headlineMeaning(offset, position) };
  },
  // A transaction that is not in commit_scn may be sent in part, or done before the commits there: no ground for a warning.
  warnings: pendingWarning,
  // Only the database can turn an SCN into a time.
  sourceTime: () => null,
};
