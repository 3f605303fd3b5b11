import type { TopicRole } from "../config";
import { isJsonObject, type JsonObject, type JsonValue, wholeNumber } from "../json";
import { withoutStatements } from "./envelope";
import { own, ownMillis, ownObject, ownText } from "./members";
import type { RecordReading, SchemaFacts } from "./record-reading";

/**
 * Records that a connector writes of itself, known by their shape: heartbeats, transactions, schema changes, the schema
 * history, notifications. In a table's topic the same shape is a row. Null when it is none of them.
 */
export function readConnectorTopic(
  value: JsonObject,
  key: JsonValue | undefined,
  role: TopicRole | "schema-history" | null,
): RecordReading | null {
  if (role === "table") return null;
  return (
    readSchemaChange(value, role === "schema-history") ??
    readTransaction(value) ??
    readNotification(value) ??
    readHeartbeat(value, key, role)
  );
}

/** In a schema history a record counts only with source and position (HistoryRecord.isValid). */
function readSchemaChange(value: JsonObject, inHistory: boolean): RecordReading | null {
  const source = ownObject(value, "source");
  const position = ownObject(value, "position");
  if (source !== null && position !== null && (inHistory || tellsStructure(value)))
    return { kind: "schema-history", partition: source, position, ...schemaFacts(value) };
  if (source === null || inHistory || !tellsStructure(value)) return null;
  return { kind: "schema-change", source: withoutStatements(source), ...schemaFacts(value) };
}

function tellsStructure(value: JsonObject): boolean {
  return Object.hasOwn(value, "ddl") || Object.hasOwn(value, "tableChanges");
}

function schemaFacts(value: JsonObject): SchemaFacts {
  const changes = own(value, "tableChanges");
  return {
    databaseName: ownText(value, "databaseName"),
    schemaName: ownText(value, "schemaName"),
    ddl: ownText(value, "ddl"),
    tables: (Array.isArray(changes) ? changes : []).filter(isJsonObject).map((change) => ({
      change: ownText(change, "type") ?? "unknown",
      id: ownText(change, "id") ?? "unknown",
    })),
    at: ownMillis(value, "ts_ms"),
  };
}

function readTransaction(value: JsonObject): RecordReading | null {
  const status = own(value, "status");
  const id = ownText(value, "id");
  if ((status !== "BEGIN" && status !== "END") || id === null || !Object.hasOwn(value, "event_count"))
    return null;
  const tables = own(value, "data_collections");
  return {
    kind: "transaction",
    status,
    id,
    events: wholeNumber(own(value, "event_count")),
    tables: Array.isArray(tables)
      ? tables.filter(isJsonObject).map((table) => ({
          table: ownText(table, "data_collection") ?? "unknown",
          events: wholeNumber(own(table, "event_count")),
        }))
      : null,
    at: ownMillis(value, "ts_ms"),
  };
}

function readNotification(value: JsonObject): RecordReading | null {
  const id = ownText(value, "id");
  const type = ownText(value, "type");
  const aggregateType = ownText(value, "aggregate_type");
  if (id === null || type === null || aggregateType === null) return null;
  const data = ownObject(value, "additional_data") ?? {};
  return { kind: "notification", id, type, aggregateType, data, at: ownMillis(value, "timestamp") };
}

/** The key names the server, the value has a time and nothing else (HeartbeatImpl). */
function readHeartbeat(
  value: JsonObject,
  key: JsonValue | undefined,
  role: TopicRole | "schema-history" | null,
): RecordReading | null {
  if (Object.keys(value).some((name) => name !== "ts_ms") || !Object.hasOwn(value, "ts_ms")) return null;
  const named = isJsonObject(key) && Object.hasOwn(key, "serverName");
  return named || role === "heartbeat" ? { kind: "heartbeat", at: ownMillis(value, "ts_ms") } : null;
}
