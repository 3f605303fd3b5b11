import { typeOf } from "../config";
import type { ConnectorType } from "../connector-type";
import type { JsonObject, JsonValue } from "../json";
import { snapshotOf, withoutStatements } from "./envelope";
import {
  type AddedField,
  addFieldsHint,
  defaultField,
  type Flattening,
  flatteningOf,
  neededFields,
  wantedFields,
} from "./flattening";
import { header } from "./header-values";
import { own, ownMillis, ownText } from "./members";
import type { DebeziumRecord, FlattenedReading, RecordContext, Unreadable } from "./record-reading";
import { unreadable } from "./value-form";

/** The parts of the envelope that were put back into a flattened event. */
interface Parts {
  envelope: JsonObject;
  source: JsonObject;
  transaction: JsonObject;
}

/**
 * Reads a flattened change event. Which columns are Debezium's the configuration tells; without it they are known by
 * the default names (`__op`, `__lsn`, `__source_ts_ms`). A plain column called `lsn` is the table's own.
 * Null when nothing says that the value is a flattened event.
 */
export function readFlattened(
  value: JsonObject,
  record: DebeziumRecord,
  context: RecordContext,
): FlattenedReading | Unreadable | null {
  const flattening = context.config ? flatteningOf(context.config) : null;
  const { fields, headers } = flattening ?? guessed(value, record);
  const inFields = parts(fields, (name) => own(value, name));
  const inHeaders = parts(headers, (name) => header(record.headers, name));
  const source = { ...inHeaders.source, ...inFields.source };
  const envelope = { ...inHeaders.envelope, ...inFields.envelope };
  const transaction = { ...inHeaders.transaction, ...inFields.transaction };
  const deleted = ownText(value, "__deleted");
  if (
    flattening === null &&
    !Object.hasOwn(envelope, "op") &&
    Object.keys(source).length === 0 &&
    deleted === null
  )
    return null;
  const type = typeIn(source, context);
  if (!neededFields(type).some((field) => own(source, field) != null))
    return unreadable(
      "no-position",
      "flattened event without a source position — not measurable",
      `Set ${addFieldsHint(context.config)} on the transform ExtractNewRecordState.`,
    );
  return {
    kind: "flattened",
    op: ownText(envelope, "op"),
    deleted: deleted === null ? null : deleted === "true",
    source: withoutStatements(source),
    transaction: Object.keys(transaction).length > 0 ? transaction : null,
    snapshot: flattenedSnapshot(source, envelope),
    processedAt: ownMillis(envelope, "ts_ms"),
    from: origin(inFields.source, inHeaders.source),
    missing: ["op", ...wantedFields(type)].filter(
      (field) => !Object.hasOwn(field === "op" ? envelope : source, field),
    ),
  };
}

function typeIn(source: JsonObject, context: RecordContext): ConnectorType {
  const type = context.config ? typeOf(context.config) : "unknown";
  const named = ownText(source, "connector");
  if (type !== "unknown" || named === null) return type;
  return named === "postgresql" || named === "mysql" || named === "mariadb" ? named : "unknown";
}

/** The flag where it was added, else what `op` tells: `r` is a row read by a snapshot. */
function flattenedSnapshot(source: JsonObject, envelope: JsonObject): FlattenedReading["snapshot"] {
  if (Object.hasOwn(source, "snapshot")) return snapshotOf(own(source, "snapshot"));
  return ownText(envelope, "op") === "r" ? "initial" : null;
}

function guessed(value: JsonObject, record: DebeziumRecord): Flattening {
  const named = (names: readonly string[]) => names.map(defaultField).filter((field) => field !== null);
  return { fields: named(Object.keys(value)), headers: named(record.headers.map(({ name }) => name)) };
}

function parts(fields: readonly AddedField[], find: (name: string) => JsonValue | undefined): Parts {
  const result: Parts = { envelope: {}, source: {}, transaction: {} };
  for (const { name, block, field } of fields) {
    const value = find(name);
    if (value === undefined) continue;
    if (block === null) result.envelope[field] = value;
    else if (block !== "updateDescription") result[block][field] = value;
  }
  return result;
}

function origin(fields: JsonObject, headers: JsonObject): FlattenedReading["from"] {
  if (Object.keys(headers).length === 0) return "fields";
  return Object.keys(fields).length === 0 ? "headers" : "fields and headers";
}
