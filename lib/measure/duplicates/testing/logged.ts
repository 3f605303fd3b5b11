import type { LoggedRecord } from "@/lib/debezium/events/delivered-record";
import { isJsonObject, type JsonObject, type JsonValue, parseJson, stringifyJson } from "@/lib/debezium/json";

const encode = (value: JsonValue) => (value === null ? null : Buffer.from(stringifyJson(value)));

/** A record whose key and value are JSON without schemas. */
export function logged(
  offset: number,
  key: JsonValue,
  value: JsonValue,
  headers: JsonObject = {},
  timestamp = 1_789_367_000_000 + offset * 1000,
): LoggedRecord {
  return {
    offset,
    timestamp,
    key: encode(key),
    value: encode(value),
    headers: Object.entries(headers).map(([name, text]) => ({
      name,
      value: typeof text === "string" ? Buffer.from(text) : null,
    })),
  };
}

/** An event in Debezium's envelope. */
export function event(
  offset: number,
  key: JsonValue,
  op: string,
  source: JsonObject,
  transaction: JsonValue = null,
): LoggedRecord {
  const value = { before: null, after: { id: 1 }, source, transaction, op, ts_ms: 1_789_367_000_000 };
  return logged(offset, key, value);
}

/** JSON lines, kept as texts so that no number loses digits. */
export function jsonLines(lines: readonly string[]): JsonObject[] {
  return lines.map(parseJson).filter(isJsonObject);
}
