import { type JsonValue, wholeNumber } from "../json";
import { plural, quoted } from "./field-kinds";

/**
 * An SCN as Oracle offsets and events hold it: a decimal text of any length, to 1.4 a number
 * (io.debezium.connector.oracle.Scn, a BigInteger). Null for none (`null`), undefined for what is neither.
 */
export function scnOf(value: JsonValue | undefined): bigint | null | undefined {
  if (value == null) return null;
  if (typeof value === "string" && ["", "null"].includes(value.trim().toLowerCase())) return null;
  const number = wholeNumber(typeof value === "string" ? value.trim() : value);
  return number !== null && number >= 0n ? number : undefined;
}

/** The last commit of a redo thread. */
export interface ThreadCommit {
  scn: bigint | null;
  /** Transactions that committed at that SCN and were sent, in lower case. */
  transactions: ReadonlySet<string>;
  /** Whether the entry names transactions at all: from 1.9.6 on (three parts). */
  namesTransactions: boolean;
}

/** The last commit of each redo thread: an instance has one, RAC one for each node. */
export type CommitScn = ReadonlyMap<bigint, ThreadCommit>;

/** One entry: `scn`, `scn:thread:tx-tx` or (1.9.5) `scn:rollback segment:ssn:thread`; null when it is none of them. */
function parseEntry(text: string): [thread: bigint, commit: ThreadCommit] | null {
  const parts = text.trim().split(":");
  const scn = scnOf(parts[0]);
  const thread = parts.length === 1 ? 1n : wholeNumber(parts.length === 3 ? parts[1] : parts[3]);
  if (scn === undefined || thread === null || thread < 0n || parts.length === 2 || parts.length > 4)
    return null;
  const named = parts.length === 3;
  const transactions = (named ? (parts[2] ?? "") : "").split("-").filter((id) => id !== "");
  const names = new Set(transactions.map((id) => id.toLowerCase()));
  return [thread, { scn, transactions: names, namesTransactions: named }];
}

/** Parses what an offset stores as commit_scn (CommitScn.load): a list of entries, or a number for redo thread 1. */
export function parseCommitScn(
  value: JsonValue | undefined,
): { commits: CommitScn; problem?: undefined } | { commits?: undefined; problem: string } {
  if (typeof value !== "string" || scnOf(value) === null) {
    const scn = scnOf(value);
    if (scn === undefined) return { problem: `is ${quoted(value)}, not a list of commit SCNs` };
    const commit = { scn, transactions: new Set<string>(), namesTransactions: false };
    return { commits: new Map(scn === null ? [] : [[1n, commit]]) };
  }
  const commits = new Map<bigint, ThreadCommit>();
  for (const text of value.split(",")) {
    const entry = parseEntry(text);
    if (entry === null) return { problem: `has ${quoted(text)}, which is not a commit SCN of a redo thread` };
    commits.set(...entry);
  }
  return { commits: new Map([...commits].sort(([a], [b]) => (a < b ? -1 : 1))) };
}

/** The lowest of some SCNs; null when there is none. */
export function lowestScn(scns: Iterable<bigint | null>): bigint | null {
  let lowest: bigint | null = null;
  for (const scn of scns) if (scn !== null && (lowest === null || scn < lowest)) lowest = scn;
  return lowest;
}

const scns = (commits: CommitScn) => [...commits.values()].map(({ scn }) => scn);

/** The lowest commit SCN of all redo threads (CommitScn.getMinCommittedScn); null when there is none. */
export function lowestCommit(commits: CommitScn): bigint | null {
  return lowestScn(scns(commits));
}

/** The highest commit SCN of all redo threads; null when there is none. */
export function highestCommit(commits: CommitScn): bigint | null {
  let highest: bigint | null = null;
  for (const scn of scns(commits)) if (scn !== null && (highest === null || scn > highest)) highest = scn;
  return highest;
}

/** `redo thread 1: SCN 7766120 (2 transactions sent at it); lowest …`. */
export function commitScnText(commits: CommitScn): string {
  const texts = [...commits].map(([thread, { scn, transactions, namesTransactions }]) => {
    const sent = namesTransactions ? `${plural(transactions.size, "transaction")} sent at it` : null;
    return `redo thread ${thread}: SCN ${scn ?? "none"}${sent === null ? "" : ` (${sent})`}`;
  });
  if (texts.length === 0) return "none yet";
  return texts.length === 1 ? texts.join() : `${texts.join(", ")}; the lowest is ${lowestCommit(commits)}`;
}

/** A transaction that was open when the snapshot was taken, and where it began. */
export interface PendingTransaction {
  id: string;
  scn: bigint;
}

/** Parses snapshot_pending_tx, `txid:scn,…` (OracleOffsetContext.loadSnapshotPendingTransactions); null when it is not that. */
export function pendingTransactions(text: string): PendingTransaction[] | null {
  const found: PendingTransaction[] = [];
  for (const entry of text.split(",").map((part) => part.trim())) {
    if (entry === "") continue;
    const [, id, start] = /^([^:]+):(.+)$/.exec(entry) ?? [];
    const scn = scnOf(start);
    if (id === undefined || scn == null) return null;
    found.push({ id, scn });
  }
  return found;
}

const maxLcrDigits = 1_000;

/** An XStream position as its raw bytes in hexadecimal (LcrPosition); null when it is not that. */
export function lcrOf(value: JsonValue | undefined): string | null {
  if (typeof value !== "string") return null;
  const digits = value.trim().toLowerCase();
  return digits.length <= maxLcrDigits && /^([0-9a-f]{2})+$/.test(digits) ? digits : null;
}

/** Negative, 0 or positive: the shorter first, then byte by byte, as LcrPosition.compareTo. */
export function compareLcr(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}
