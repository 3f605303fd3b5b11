import { isJsonObject, type JsonObject, type JsonValue } from "../json";
import { own, ownMillis, ownObject, ownText } from "./members";
import type { ChangeReading } from "./record-reading";

/** Envelope.Operation: create, update, delete, read, truncate, message. */
const operations = ["c", "u", "d", "r", "t", "m"];

/** Members of the envelope in any version: `patch` and `filter` are MongoDB's before 2.0, `message` is PostgreSQL's. */
const envelopeMembers = [
  "before",
  "after",
  "updateDescription",
  "patch",
  "filter",
  "source",
  "op",
  "ts_ms",
  "ts_us",
  "ts_ns",
  "transaction",
  "message",
];

/**
 * Whether a value is a change event in Debezium's envelope. A row can have columns of the same names: so either there
 * is nothing but the envelope's members, or (a transform added some) `before` or `after` stand beside a `source` that
 * names its connector.
 */
export function isEnvelope(value: JsonObject): boolean {
  const op = ownText(value, "op");
  if (op === null || !operations.includes(op)) return false;
  if (Object.keys(value).every((key) => envelopeMembers.includes(key))) return true;
  const source = ownObject(value, "source");
  if (source === null || ownText(source, "connector") === null) return false;
  return Object.hasOwn(value, "before") || Object.hasOwn(value, "after");
}

/** Whether a Connect schema is that of a change event: a struct with `source` and `op` among its fields. */
export function isEnvelopeSchema(schema: JsonObject): boolean {
  const fields = own(schema, "fields");
  if (own(schema, "type") !== "struct" || !Array.isArray(fields)) return false;
  const names = fields.map((field) => (isJsonObject(field) ? own(field, "field") : null));
  return names.includes("source") && names.includes("op");
}

export function readEnvelope(value: JsonObject): ChangeReading {
  const source = ownObject(value, "source") ?? {};
  return {
    kind: "change",
    op: ownText(value, "op") ?? "",
    source: withoutStatements(source),
    transaction: ownObject(value, "transaction"),
    snapshot: snapshotOf(own(source, "snapshot")),
    processedAt: ownMillis(value, "ts_ms"),
  };
}

/** Texts of statements hold row data: MySQL's `query`, Oracle's `redo_sql`. */
export function withoutStatements(source: JsonObject): JsonObject {
  if (!("query" in source || "redo_sql" in source)) return source;
  const { query: _query, redo_sql: _redo, ...kept } = source;
  return kept;
}

/** `source.snapshot`: a text since 1.3, a boolean before; `incremental` or the place in an initial or blocking snapshot. */
export function snapshotOf(flag: JsonValue | undefined): ChangeReading["snapshot"] {
  if (flag === undefined || flag === null || flag === false || flag === "false") return null;
  return flag === "incremental" ? "incremental" : "initial";
}
