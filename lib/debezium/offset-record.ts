import { canonicalJson } from "./canonical-json";
import { isJsonObject, type JsonValue, parseJson } from "./json";

/** Whose offset a record of Connect's offset topic stores. */
export interface OffsetKey {
  connector: string;
  /** The source partition as canonical JSON text. */
  partition: string;
}

/** What one record of Connect's offset topic says. */
export type OffsetRecord =
  /** `offset` is canonical JSON text with every digit kept; null when the record deletes what was stored. */
  | (OffsetKey & { kind: "commit"; offset: string | null })
  /** Connect reads past it too (class OffsetUtils, processPartitionKey). */
  | { kind: "no-offset-key"; why: string }
  /** Connect itself cannot read it: a task that needs this offset fails at its start. */
  | (OffsetKey & { kind: "unreadable-offset"; why: string });

type Bytes = Uint8Array | string | null;

/** Reads key and value of one record of an offset topic, its converter's schemas on or off. Throws nothing. */
export function readOffsetRecord(key: Bytes, value: Bytes): OffsetRecord {
  const owner = readOffsetKey(key);
  if ("why" in owner) return { kind: "no-offset-key", why: owner.why };
  const stored = readOffsetValue(value);
  return "why" in stored
    ? { kind: "unreadable-offset", ...owner, why: stored.why }
    : { kind: "commit", ...owner, offset: stored.offset };
}

/** The key of an offset record: `["connector",{partition}]`. Anything else is no such key, and says why. */
export function readOffsetKey(key: Bytes): OffsetKey | { why: string } {
  if (key === null) return { why: "the record has no key" };
  const read = readJson(key);
  if ("why" in read) return { why: `the key ${read.why}` };
  const parts = withoutSchema(read.json);
  if (!Array.isArray(parts)) return { why: "the key is not a list" };
  if (parts.length !== 2)
    return { why: `the key is a list of ${parts.length}, not of connector and partition` };
  const [connector, partition] = parts;
  if (typeof connector !== "string") return { why: "the key does not begin with a connector's name" };
  if (!isJsonObject(partition)) return { why: "the key holds no source partition" };
  return { connector, partition: canonicalJson(partition) };
}

/** The value of an offset record: a map, or nothing where the offset is deleted. */
export function readOffsetValue(value: Bytes): { offset: string | null } | { why: string } {
  if (value === null) return { offset: null };
  const read = readJson(value);
  if ("why" in read) return { why: `the value ${read.why}` };
  const offset = withoutSchema(read.json);
  if (offset === null) return { offset: null };
  return isJsonObject(offset) ? { offset: canonicalJson(offset) } : { why: "the value is not a map" };
}

/** With `schemas.enable=true` the JSON converter wraps everything, here without a schema: `{"schema":null,"payload":…}`. */
function withoutSchema(json: JsonValue): JsonValue {
  if (!isJsonObject(json) || Object.keys(json).length !== 2) return json;
  const { schema, payload } = json;
  const wrapped = payload !== undefined && (schema === null || isJsonObject(schema));
  return wrapped ? payload : json;
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

function readJson(bytes: Uint8Array | string): { json: JsonValue } | { why: string } {
  let text: string;
  try {
    text = typeof bytes === "string" ? bytes : utf8.decode(bytes);
  } catch {
    return { why: "is not text in UTF-8" };
  }
  try {
    return { json: parseJson(text) };
  } catch {
    return { why: "is not JSON" };
  }
}
