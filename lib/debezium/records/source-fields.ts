import type { ConnectorType } from "../connector-type";
import type { DecodedField } from "../decode-report";
import { type JsonObject, type JsonValue, parseJson, stringifyJson } from "../json";
import { count, isoTime, quoted, textField, timeField, wholeField } from "../positions/field-kinds";
import { lsnText } from "../positions/lsn";
import type { FieldKind, FieldText } from "../positions/position";

const lsn = (meaning: string) => wholeField(meaning, lsnText, "an LSN as a whole number");

/** Fields of `source` that every connector has (SchemaFactory.sourceInfoSchemaBuilder). */
const commonFields: Readonly<Record<string, FieldKind>> = {
  version: textField("Version of the connector that wrote the event."),
  connector: textField("Kind of connector."),
  name: textField("topic.prefix of the connector."),
  ts_ms: timeField("When the source made the change; for rows of a snapshot, when they were read.", 1_000n),
  ts_us: timeField("The same in microseconds.", 1n),
  ts_ns: { meaning: "The same in nanoseconds.", read: nanosText },
  snapshot: {
    meaning: "Whether a snapshot read the row, and where in it.",
    read: (value) => ({ text: value === null ? "false" : String(value) }),
  },
  db: textField("Database."),
  schema: textField("Schema of the table."),
  table: textField("Table."),
};

/** ISO 8601 with every digit: `2026-09-14T06:30:00.123457600Z`. */
function nanosText(value: JsonValue): FieldText {
  const nanos = count(value);
  const micros = nanos === null ? null : isoTime(nanos / 1_000n);
  if (nanos === null || micros === null)
    return { problem: `is ${quoted(value)}, not a time as a whole number` };
  const rest = nanos % 1_000_000_000n;
  if (rest === 0n) return { text: micros };
  return { text: `${micros.replace(/(\.\d+)?Z$/, "")}.${rest.toString().padStart(9, "0")}Z` };
}

const postgresFields: Readonly<Record<string, FieldKind>> = {
  sequence: {
    meaning: "LSN of the last COMMIT before, then LSN of the event: events are ordered by the two.",
    read: (value) => (value === null ? { text: "none" } : sequenceText(value)),
  },
  txId: wholeField("Number of the transaction (xid)."),
  lsn: lsn("LSN of the event; several events can share one."),
  xmin: wholeField("Oldest transaction that the replication slot still needs (xmin)."),
  origin: textField("Replication origin that the change came from."),
  origin_lsn: lsn("LSN of the change at its replication origin."),
};

function sequenceText(value: JsonValue): FieldText {
  const wrong: FieldText = { problem: `is ${quoted(value)}, not two LSNs in a list` };
  if (typeof value !== "string") return wrong;
  try {
    const pair = parseJson(value);
    if (!Array.isArray(pair) || pair.length !== 2) return wrong;
    const [commit, event] = pair.map((part) => {
      const number = count(part);
      return number === null ? "none" : lsnText(number);
    });
    return { text: `${commit}, ${event}` };
  } catch {
    return wrong;
  }
}

const binlogFields: Readonly<Record<string, FieldKind>> = {
  server_id: wholeField("Server that wrote the change."),
  gtid: textField("GTID of the transaction."),
  file: textField("Binlog file."),
  pos: wholeField("Byte of the event in the binlog file."),
  row: wholeField("Which row of that binlog event, from 0."),
  thread: wholeField("Thread of the server that made the change."),
};

const byType: Partial<Record<ConnectorType, Readonly<Record<string, FieldKind>>>> = {
  postgresql: postgresFields,
  mysql: binlogFields,
  mariadb: binlogFields,
  sqlserver: {
    commit_lsn: textField("LSN of the transaction's commit."),
    change_lsn: textField("LSN of the change."),
    event_serial_no: wholeField(
      "Tells events of one change LSN apart, such as before and after of a new key.",
    ),
  },
  db2: {
    commit_lsn: textField("LSN of the transaction's commit."),
    change_lsn: textField("LSN of the change."),
  },
  informix: {
    commit_lsn: textField("LSN of the transaction's commit."),
    change_lsn: textField("LSN of the change."),
    begin_lsn: textField("LSN at which the transaction began."),
    txId: textField("Number of the transaction."),
  },
  oracle: {
    txId: textField("Transaction."),
    txSeq: wholeField("Number of the event in its transaction (3.2 and later)."),
    scn: textField("SCN of the change; many changes can share one."),
    commit_scn: textField(
      "SCN of the transaction's commit: events come in its order, redo thread by redo thread.",
    ),
    lcr_position: textField("Position in the XStream (LCR)."),
    rs_id: textField("Record set in the redo log."),
    redo_thread: wholeField("Redo thread; of several, each orders by itself."),
    start_scn: textField("SCN at which the transaction began."),
    commit_ts_ms: timeField("When the transaction committed.", 1_000n),
    start_ts_ms: timeField("When the transaction began.", 1_000n),
  },
  mongodb: {
    collection: textField("Collection."),
    ord: wholeField("Counter of the event within its second."),
    lsid: textField("Logical session of the transaction."),
    txnNumber: wholeField("Number of the transaction in its session."),
    wallTime: timeField("Wall clock of the server at the change.", 1_000n),
  },
  vitess: {
    keyspace: textField("Keyspace."),
    shard: textField("Shard."),
    vgtid: textField("VGTID after the transaction."),
  },
  cockroachdb: {
    cluster: textField("Cluster."),
    resolved_ts: textField("Up to here every change has been emitted."),
    ts_hlc: textField("Hybrid logical time of the change."),
  },
};

/** A field of a source block as it is shown: `source.lsn`, in its own spelling and for a person. */
export function sourceFields(type: ConnectorType, source: JsonObject): DecodedField[] {
  const own = byType[type] ?? {};
  const known = { ...commonFields, ...own };
  const order = [...Object.keys(own), ...Object.keys(commonFields)];
  const keys = Object.keys(source);
  const shown = [
    ...order.filter((key) => Object.hasOwn(source, key)),
    ...keys.filter((key) => !Object.hasOwn(known, key)),
  ];
  return shown
    .filter((key) => !isEmpty(source[key]))
    .map((key) =>
      decoded(`source.${key}`, source[key] ?? null, Object.hasOwn(known, key) ? known[key] : undefined),
    );
}

/** Connectors write every field of their schema, most of them null. */
function isEmpty(value: JsonValue | undefined): boolean {
  return value === null || value === undefined;
}

/** One field by its kind; without one it is shown as it is. */
export function decoded(name: string, value: JsonValue, kind: FieldKind | undefined): DecodedField {
  const raw = stringifyJson(value);
  if (!kind)
    return {
      name,
      raw,
      text: typeof value === "string" ? value : raw,
      meaning: "Not known to Tidemark; shown as written.",
    };
  const { text, problem } = kind.read(value);
  return { name, raw, text: text === "" ? raw : (text ?? `not readable: ${problem}`), meaning: kind.meaning };
}
