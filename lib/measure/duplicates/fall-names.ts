import type { DeliveredRecord } from "@/lib/debezium/events/delivered-record";
import { type JsonValue, parseJson } from "@/lib/debezium/json";
import type { Fall } from "@/lib/observed/duplicates";
import { recordTime } from "@/lib/observed/record-time";

/** What counts of the record before. */
type Before = Pick<DeliveredRecord, "writer" | "lane" | "position" | "positionText">;

/** Where positions fall and nothing that follows had been delivered before. */
export interface FallInput {
  topic: string;
  /** The first record whose position is lower. */
  record: DeliveredRecord;
  /** The one with the higher position: it lies before. */
  before: Before;
  /** Rows of a snapshot by the same writer lie between the two. */
  snapshotBetween: boolean;
  /** What was seen of the connector between the two: offsets put back or deleted, a set-binlog-position signal. */
  seen?: "offsets-edited" | "binlog-position-set" | null;
}

type Named = Pick<Fall, "kind" | "sentence">;

/**
 * Names a fall of positions that is no replay. Within one run only SQL Server's change LSNs fall; between writers and
 * redo threads positions do not compare at all; else the source's history, or the place where it is read, was changed.
 */
export function nameFall(input: FallInput): Fall {
  const { topic, record } = input;
  return {
    topic,
    partition: record.partition,
    offset: record.offset,
    at: recordTime(record.timestamp),
    ...(notComparable(input) ?? placeChanged(input) ?? historyChanged(input)),
  };
}

/** Of two orders: the fall says nothing. */
function notComparable({ record, before }: FallInput): Named | null {
  if (record.writer !== before.writer)
    return {
      kind: "other-connector",
      sentence: `Written by ${nameOf(record)}, and the one before by ${nameOf(before)}: several connectors write this partition, and their positions do not compare.`,
    };
  if (record.type === "oracle" && record.lane !== before.lane)
    return {
      kind: "redo-thread",
      sentence: `Of redo thread ${partOf(record)}, and the one before of ${partOf(before)}: each thread has an order of its own.`,
    };
  if (record.type === "sqlserver" && sameCommit(record.position, before.position))
    return {
      kind: "within-transaction",
      sentence:
        "Both are of one transaction, in which SQL Server's change LSNs can fall: only its commit LSN orders it.",
    };
  return null;
}

const nameOf = ({ writer }: Before) => (writer === null ? "an unnamed connector" : `“${writer}”`);

/** The redo thread: the last part of the lane. */
function partOf({ lane }: Before): string {
  const parts: JsonValue = lane === "" ? null : parseJson(lane);
  const part = Array.isArray(parts) ? parts.at(-1) : null;
  return typeof part === "string" ? part : "unknown";
}

function sameCommit(a: unknown, b: unknown): boolean {
  const [one, other] = [fieldOf(a, "commit"), fieldOf(b, "commit")];
  return typeof one === "string" && one === other;
}

/** Positions are their kind's own; what is looked at here is checked first. */
function fieldOf(position: unknown, name: string): unknown {
  return typeof position === "object" && position !== null
    ? (position as Record<string, unknown>)[name]
    : undefined;
}

/** The source is as it was, and is read from another place. */
function placeChanged(input: FallInput): Named | null {
  const { record, before, snapshotBetween, seen } = input;
  const from = placeText(input);
  if (seen === "binlog-position-set")
    return {
      kind: "binlog-position-set",
      sentence: `A set-binlog-position signal sent the connector back ${from}; what it reads from there had not been delivered before.`,
    };
  if (seen === "offsets-edited")
    return {
      kind: "offsets-edited",
      sentence: `The connector's offsets were changed or deleted, and it went on from an older place (${from}); what it read there had not been delivered before.`,
    };
  if (snapshotBetween)
    return {
      kind: "re-snapshot",
      sentence: `A snapshot was taken again, and streaming goes on from where it began (${from}).`,
    };
  if (isOlder(record, before))
    return {
      kind: "offsets-edited",
      sentence: `The changes are older than the one before (${from}) and had not been delivered: the connector was put back to an older place, or captures what it left out before.`,
    };
  return null;
}

const placeText = ({ record, before }: FallInput) =>
  `from ${before.positionText ?? "an unknown place"} to ${record.positionText ?? "an unknown place"}`;

/** By the source's own clock, which MySQL and MariaDB write beside the position, to the second. */
function isOlder(record: DeliveredRecord, before: Before): boolean {
  if (!isBinlog(record)) return false;
  const [own, other] = [fieldOf(record.position, "seconds"), fieldOf(before.position, "seconds")];
  return typeof own === "bigint" && typeof other === "bigint" && own < other;
}

const isBinlog = ({ type }: DeliveredRecord) => type === "mysql" || type === "mariadb";

/** Positions count anew: they are of another history. */
function historyChanged(input: FallInput): Named {
  const { record, before } = input;
  const from = placeText(input);
  if (record.type === "postgresql")
    return {
      kind: "timeline",
      sentence: `LSNs fell ${from}, and nothing after that had been delivered before: the server was promoted, restored or upgraded, and its WAL is another timeline's.`,
    };
  if (isBinlog(record)) return { kind: "reset", sentence: binlogReset(record, before, from) };
  const sentence = resets[record.type];
  if (sentence !== undefined) return { kind: "reset", sentence: `Positions fell ${from}: ${sentence}.` };
  return {
    kind: "unknown",
    sentence: `Positions fell ${from}, and nothing after that had been delivered before. Why is not known.`,
  };
}

function binlogReset(record: DeliveredRecord, before: Before, from: string): string {
  const [own, other] = [fieldOf(record.position, "serverId"), fieldOf(before.position, "serverId")];
  const moved = typeof own === "bigint" && typeof other === "bigint" && own !== other;
  return moved
    ? `Binary logs are those of server ${own}, before of server ${other} (${from}): each numbers its own.`
    : `Binary logs are numbered anew ${from}: they were reset, or the server was replaced.`;
}

const resets: Partial<Record<DeliveredRecord["type"], string>> = {
  sqlserver: "the database was restored, or change data capture was disabled and enabled again",
  db2: "the database was restored, or capture was set up again",
  informix: "the server was restored, or its logical logs were initialized again",
  oracle: "the database was opened with RESETLOGS, or restored",
  mongodb: "the cluster was replaced, or restored to an earlier time",
};
