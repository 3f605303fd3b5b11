import type { ConnectorConfig } from "../config";
import { type ConnectorType, isConnectorType } from "../connector-type";
import type { DecodedField, DecodedRecord } from "../decode-report";
import { readRecord } from "../events/read-record";
import { recordKey } from "../events/record-key";
import type {
  ChangeReading,
  DebeziumRecord,
  FlattenedReading,
  RecordReading,
} from "../events/record-reading";
import { type RunContext, runContext, runStart } from "../events/run-context";
import type { JsonObject, JsonValue } from "../json";
import { plainText } from "../json";
import { count, isoTime, knownTime, textField, timeField, wholeField } from "../positions/field-kinds";
import { positionKinds } from "../positions/kinds";
import { eventPosition, tableOf } from "./event-position";
import { otherRecord } from "./other-records";
import { decoded, sourceFields } from "./source-fields";

/** A record as it was pasted: where it lay, and what it holds. */
export interface PastedRecord {
  topic: string | null;
  partition: number | null;
  offset: string | null;
  /** ISO 8601. */
  timestamp: string | null;
  record: DebeziumRecord;
}

export interface RecordOptions {
  type?: ConnectorType;
  config?: ConnectorConfig;
}

/** Explains one record that is no stored offset; what cannot be read says why. Never throws for what a record holds. */
export function decodeRecord(pasted: PastedRecord, options: RecordOptions = {}): DecodedRecord {
  const { record, ...place } = pasted;
  const reading = readRecord(record, { topic: pasted.topic ?? "", config: options.config ?? null });
  const context = runContext(record.headers);
  const told = { ...place, ...blank, run: runOf(context), ...explain(reading, pasted, options) };
  return { ...told, connector: told.connector ?? context?.connector ?? null };
}

const blank = {
  connector: null,
  position: null,
  fields: [],
  identity: null,
  sourceTime: null,
  warnings: [],
  remedy: null,
} satisfies Partial<DecodedRecord>;

type Explained = Pick<DecodedRecord, "kind" | "text"> & Partial<DecodedRecord>;

function explain(reading: RecordReading, pasted: PastedRecord, options: RecordOptions): Explained {
  if (reading.kind === "change") return change(reading, pasted, options);
  if (reading.kind === "flattened") return flattened(reading, pasted, options);
  return otherRecord(reading, options.type);
}

function runOf(context: RunContext | null): DecodedRecord["run"] {
  if (!context || context.runId === null) return null;
  const began = runStart(context.runId);
  return { id: context.runId, startedAt: began === null ? null : isoTime(BigInt(began) * 1_000n) };
}

const opNames: Readonly<Record<string, string>> = {
  c: "create",
  u: "update",
  d: "delete",
  r: "read by a snapshot",
  t: "truncate",
  m: "message",
};

const opField = textField("What was done.", (op) => ({
  text: opNames[op] ?? `${op} (not known to Tidemark)`,
}));
const processedField = timeField("When the connector handled it.", 1_000n);
const transactionFields: Readonly<Record<string, ReturnType<typeof textField>>> = {
  id: textField("The transaction (provide.transaction.metadata)."),
  total_order: wholeField("Its place among all changes of the transaction, from 1."),
  data_collection_order: wholeField("Its place among the transaction's changes of this table."),
};

function typeOfSource(source: JsonObject, { type }: RecordOptions, config?: ConnectorType): ConnectorType {
  if (type && type !== "unknown") return type;
  const named =
    typeof source.connector === "string" ? (sourceNames[source.connector] ?? source.connector) : "";
  return isConnectorType(named) ? named : (config ?? "unknown");
}

/** Names that connectors write into `source.connector` where they differ from the type's (Module.name). */
const sourceNames: Readonly<Record<string, ConnectorType>> = {
  sqlserver: "sqlserver",
  sql_server: "sqlserver",
};

function changeFields(type: ConnectorType, reading: ChangeReading | FlattenedReading): DecodedField[] {
  const { op, transaction, processedAt } = reading;
  return [
    ...(op === null ? [] : [decoded("op", op, opField)]),
    ...sourceFields(type, reading.source),
    ...Object.entries(transaction ?? {}).map(([key, value]) =>
      decoded(
        `transaction.${key}`,
        value,
        Object.hasOwn(transactionFields, key) ? transactionFields[key] : undefined,
      ),
    ),
    ...(processedAt === null ? [] : [decoded("ts_ms", processedAt, processedField)]),
  ];
}

function sourceTimeOf(source: JsonObject): string | null {
  const millis = count(source.ts_ms);
  return millis === null ? null : knownTime(millis * 1_000n);
}

function snapshotNote({ snapshot }: ChangeReading | FlattenedReading): string {
  if (snapshot === "incremental") return ", by an incremental snapshot: a re-read, no change";
  return snapshot === "initial" ? ", in a snapshot: a re-read, no change" : "";
}

function changeText(reading: ChangeReading): string {
  const op = opNames[reading.op] ?? `op ${reading.op}`;
  const table = tableOf(reading.source);
  return `${op}${table ? ` in ${table}` : ""}${reading.op === "r" ? "" : snapshotNote(reading)}`;
}

function change(reading: ChangeReading, pasted: PastedRecord, options: RecordOptions): Explained {
  const type = typeOfSource(reading.source, options);
  return {
    kind: "change",
    text: changeText(reading),
    connector: connectorName(type, reading.source),
    position: eventPosition(type, reading.source),
    fields: changeFields(type, reading),
    identity: identityOf(type, reading.op, reading, pasted),
    sourceTime: sourceTimeOf(reading.source),
  };
}

/** The type, else the name that the event gives itself. */
function connectorName(type: ConnectorType, source: JsonObject): string | null {
  if (type !== "unknown") return type;
  return typeof source.connector === "string" ? source.connector : null;
}

function identityOf(
  type: ConnectorType,
  op: string,
  { source, transaction }: { source: JsonObject; transaction: JsonValue },
  { topic, record }: PastedRecord,
): DecodedRecord["identity"] {
  if (topic === null && op !== "r")
    return { id: null, why: "It is made of topic and key, too, and the input does not tell the topic." };
  const key = recordKey(record.key);
  const found = positionKinds[type].identity({ topic: topic ?? "", key, op, source, transaction });
  return found.id === null ? { id: null, why: found.why } : { id: found.id, why: found.caveat };
}

function flattened(reading: FlattenedReading, pasted: PastedRecord, options: RecordOptions): Explained {
  const type = typeOfSource(reading.source, options, guessFlattened(reading.source));
  const { op, missing } = reading;
  const what = op === null ? "change" : (opNames[op] ?? `op ${op}`);
  return {
    kind: "flattened",
    text: `${what}; its position is from ${reading.from}${snapshotNote(reading)}`,
    connector: connectorName(type, reading.source),
    position: eventPosition(type, reading.source),
    fields: changeFields(type, reading),
    identity:
      op === null
        ? { id: null, why: "The event does not tell what was done (op)." }
        : identityOf(type, op, reading, pasted),
    sourceTime: sourceTimeOf(reading.source),
    remedy:
      missing.length === 0
        ? null
        : `Add to the transform's add.fields (or add.headers): ${missing.map((m) => plainText(m)).join(", ")}.`,
  };
}

/** A flattened event seldom names its connector: the fields of its position do. */
function guessFlattened(source: JsonObject): ConnectorType {
  const has = (key: string) => Object.hasOwn(source, key);
  if (has("lsn") || has("xmin")) return "postgresql";
  if (has("gtid") || has("file") || has("pos")) return "mysql";
  if (has("commit_lsn")) return has("event_serial_no") ? "sqlserver" : "unknown";
  if (has("scn") || has("commit_scn")) return "oracle";
  return "unknown";
}
