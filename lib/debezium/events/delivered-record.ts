import { type ConnectorConfig, topicPrefix } from "../config";
import { type ConnectorType, isConnectorType } from "../connector-type";
import { type JsonObject, plainText } from "../json";
import { positionKinds } from "../positions/kinds";
import type { Order } from "../positions/position";
import { eventPosition, tableOf } from "../records/event-position";
import { changePosition } from "./change-position";
import { addFieldsHint } from "./flattening";
import { readRecord } from "./read-record";
import { recordKey } from "./record-key";
import type { ChangeReading, DebeziumRecord, FlattenedReading, RecordReading } from "./record-reading";
import { type RunContext, runContext } from "./run-context";
import { scannedChange } from "./scanned-change";

/** What one delivered record tells of duplicates: where it lies, who wrote it, which change it is. Never the row. */
export interface DeliveredRecord {
  offset: number;
  /** Milliseconds since 1970, -1 for none. */
  timestamp: number;
  partition: number;
  /** Null without Debezium 3.4's headers; tombstones have none either. */
  runId: string | null;
  taskId: string | null;
  /** `source.name`, which is topic.prefix; null where the record does not tell. */
  writer: string | null;
  /**
   * Whose positions compare with its own, as one text: writer, connector, and where these have logs of their own the
   * database (SQL Server), the redo thread (Oracle) or the shard (Vitess). Empty unless it is a change.
   */
  lane: string;
  /**
   * `change`: streamed, with an identity or a position. `snapshot`: read by a snapshot. `other`: no event of a table, or
   * of another connector than the one asked for. `unreadable`: `why` and `remedy`.
   */
  kind: "change" | "snapshot" | "tombstone" | "other" | "unreadable";
  /** c, u, d, r, t, m; empty where there is none. */
  op: string;
  snapshot: "initial" | "incremental" | null;
  /** Of changes: equal for copies of one change. Null where none can be had. */
  identity: string | null;
  /** Why two different changes may share the identity; null when none should. */
  caveat: string | null;
  /** Table and key, for what belongs to one row; null without a key. */
  rowKey: string | null;
  /** Goes back to `positionKinds[type]` only, or to {@link deliveredOrder}. Null: it tells none. */
  position: unknown;
  /** In the short form of its connector. Of a snapshot's row: where the source stood, the same in all rows of one snapshot. */
  positionText: string | null;
  /** By its source block, else the one given. */
  type: ConnectorType;
  /** Of unreadable ones: `registry`, `flattened`, `no-position`, …, why, and what to change. */
  slug: string | null;
  why: string | null;
  remedy: string | null;
}

/** A record as it is read here: as the log reader gives it, or its value decoded by a schema registry. */
export type LoggedRecord = DebeziumRecord & { offset: number; timestamp: number };

type Facts = Omit<DeliveredRecord, "offset" | "timestamp" | "partition" | "runId" | "taskId">;

/**
 * Reads what a record tells of duplicates. Never throws for what a record holds.
 * @param config of the connector whose records count, by its topic.prefix; null: those of every writer
 * @param type of that connector; null: taken from each event's `source.connector`
 */
export function deliveredRecord(
  record: LoggedRecord,
  at: { topic: string; partition: number },
  config: ConnectorConfig | null,
  type: ConnectorType | null,
): DeliveredRecord {
  const run = runContext(record.headers);
  return {
    offset: record.offset,
    timestamp: record.timestamp,
    partition: at.partition,
    runId: run?.runId ?? null,
    taskId: run?.taskId ?? null,
    ...factsOf(record, at.topic, config, type, run),
  };
}

/** A record whose value could not be decoded: the registry's own words, and what to change. */
export function undecodedRecord(
  record: LoggedRecord,
  at: { topic: string; partition: number },
  { why, remedy }: { why: string; remedy: string | null },
): DeliveredRecord {
  const run = runContext(record.headers);
  return {
    offset: record.offset,
    timestamp: record.timestamp,
    partition: at.partition,
    runId: run?.runId ?? null,
    taskId: run?.taskId ?? null,
    ...bare("unreadable", run, { slug: "registry", why, remedy }),
  };
}

/** Orders positions of one lane; a missing one has no order. */
export function deliveredOrder(type: ConnectorType): (a: unknown, b: unknown) => Order {
  const { order } = positionKinds[type];
  return (a, b) =>
    a === null || b === null ? { order: "unordered", why: "A record tells no position." } : order(a, b);
}

function factsOf(
  record: LoggedRecord,
  topic: string,
  config: ConnectorConfig | null,
  type: ConnectorType | null,
  run: RunContext | null,
): Facts {
  if (record.value === null) return bare("tombstone", run);
  const prefix = config && topicPrefix(config);
  const change = scannedChange(record.value);
  const reading = change ?? readRecord(record, { topic, config });
  if (reading.kind === "change" || reading.kind === "flattened") {
    const facts = ofChange(record, reading, topic, config, type, run);
    const foreign = prefix !== null && facts.writer !== null && facts.writer !== prefix;
    return foreign ? { ...bare("other", run), writer: facts.writer } : facts;
  }
  return ofOther(reading, run);
}

function ofChange(
  record: DebeziumRecord,
  reading: ChangeReading | FlattenedReading,
  topic: string,
  config: ConnectorConfig | null,
  asked: ConnectorType | null,
  run: RunContext | null,
): Facts {
  const { source, snapshot } = reading;
  const type = typeOf(source) ?? asked ?? "unknown";
  const writer = text(source.name) ?? run?.logicalName ?? null;
  const op = reading.op ?? (reading.kind === "flattened" && reading.deleted ? "d" : "c");
  const key = recordKey(record.key);
  const rowKey = key === null ? null : JSON.stringify([tableOf(source), key]);
  const facts = { ...bare("snapshot", run), op, type, writer, rowKey };
  if (op === "r" || snapshot !== null) {
    const positionText = eventPosition(type, source)?.text ?? null;
    return { ...facts, snapshot: snapshot ?? "initial", positionText };
  }
  const { position, problems, identity } = changePosition(type, { ...reading, op }, topic, key);
  if (position === null)
    return { ...facts, ...noPosition(reading, config, type, problems[0]?.text), kind: "unreadable" };
  const lane = laneOf(type, writer, source);
  return {
    ...facts,
    kind: "change",
    lane,
    // Two connectors may read one database: each delivers its own.
    identity: identity.id === null ? null : JSON.stringify([writer, identity.id]),
    caveat: identity.id === null ? identity.why : (noOp(reading) ?? identity.caveat),
    position,
    positionText: eventPosition(type, source)?.text ?? null,
  };
}

function noOp({ op }: ChangeReading | FlattenedReading): string | null {
  return op === null
    ? "The flattened event has no op: rows that a snapshot read look like changes. Add op to add.fields."
    : null;
}

function noPosition(
  reading: ChangeReading | FlattenedReading,
  config: ConnectorConfig | null,
  type: ConnectorType,
  problem: string | undefined,
): Pick<Facts, "slug" | "why" | "remedy"> {
  if (reading.kind === "flattened")
    return {
      slug: "flattened",
      why: `Flattened events without source position${problem === undefined ? "." : `: ${problem}`}`,
      remedy: `Set ${addFieldsHint(config)} on the transform ExtractNewRecordState.`,
    };
  if (type === "unknown")
    return {
      slug: "no-position",
      why: "The positions of this kind of connector are not known here.",
      remedy: null,
    };
  return { slug: "no-position", why: problem ?? "The event tells no position.", remedy: null };
}

function ofOther(reading: RecordReading, run: RunContext | null): Facts {
  if (reading.kind === "tombstone") return bare("tombstone", run);
  // The outbox router leaves no position, but each event has an id of its own.
  if (reading.kind === "outbox")
    return {
      ...bare("change", run),
      lane: JSON.stringify([run?.logicalName ?? null, "outbox"]),
      identity: JSON.stringify(["outbox", reading.id]),
    };
  if (reading.kind !== "unreadable") return bare("other", run);
  return bare("unreadable", run, {
    slug: slugOf(reading.reason),
    why: `${kindOfFault(reading.text)}.`,
    remedy: reading.remedy,
  });
}

function slugOf(reason: Extract<RecordReading, { kind: "unreadable" }>["reason"]): string {
  if (reason === "avro" || reason === "protobuf" || reason === "registry") return "registry";
  return reason === "no-position" ? "flattened" : reason;
}

function laneOf(type: ConnectorType, writer: string | null, source: JsonObject): string {
  const own = {
    sqlserver: source.db,
    db2: source.db,
    informix: source.db,
    oracle: source.redo_thread,
    vitess: source.shard,
  } as Partial<Record<ConnectorType, JsonObject[string]>>;
  const part = own[type];
  const text = part === undefined || part === null ? null : plainText(part);
  if (lastLane.writer !== writer || lastLane.type !== type || lastLane.part !== text)
    lastLane = { writer, type, part: text, lane: JSON.stringify([writer, type, text]) };
  return lastLane.lane;
}

/** Most records are of the lane of the one before. */
let lastLane: { writer: string | null; type: ConnectorType; part: string | null; lane: string } = {
  writer: null,
  type: "unknown",
  part: null,
  lane: JSON.stringify([null, "unknown", null]),
};

function typeOf({ connector }: JsonObject): ConnectorType | null {
  return typeof connector === "string" && isConnectorType(connector) ? connector : null;
}

function text(value: JsonObject[string] | undefined): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

function bare(
  kind: Facts["kind"],
  run: RunContext | null,
  unreadable: Pick<Facts, "slug" | "why" | "remedy"> = { slug: null, why: null, remedy: null },
): Facts {
  return {
    writer: run?.logicalName ?? null,
    lane: "",
    kind,
    op: "",
    snapshot: null,
    identity: null,
    caveat: null,
    rowKey: null,
    position: null,
    positionText: null,
    type: "unknown",
    ...unreadable,
  };
}

/** Without what is of this one record: how long it is, and where it breaks. Many records have one reason. */
function kindOfFault(text: string): string {
  return text.replace(/^(not text in UTF-8|not JSON|too short)\b.*$/i, "$1");
}
