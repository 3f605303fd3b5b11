import { JsonTooDeepError, type JsonValue, parseJson } from "../json";
import type { RecordContext, Unreadable } from "./record-reading";
import { payloadOf } from "./schema-and-payload";

/** What bytes hold, or why that cannot be told. */
export type Form = { json: JsonValue } | Unreadable;

/** First byte of what the converters of a schema registry write; the schema's id follows. */
const registryMark = 0;
const registryHead = 5;

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Text of UTF-8 bytes; null when they are not. */
export function utf8(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

/** Reads a value by its bytes; the converter's class tells what the bytes leave open. */
export function formOf(bytes: Uint8Array, context: RecordContext): Form {
  const converter = context.config?.["value.converter"]?.trim() || context.valueConverter?.trim() || "";
  if (bytes.length === 0) return unreadable("too-short", "empty value", null);
  return bytes[0] === registryMark ? registryForm(bytes, converter) : jsonForm(bytes, converter);
}

function jsonForm(bytes: Uint8Array, converter: string): Form {
  const text = utf8(bytes);
  if (text === null)
    return unreadable("not-json", `not text in UTF-8 (${bytes.length} bytes)`, converterRemedy(converter));
  try {
    return { json: payloadOf(parseJson(text)) };
  } catch (error) {
    return unreadable("not-json", fault(error, text.length), converterRemedy(converter));
  }
}

/** Says where, not what: the text may be a row. */
function fault(error: unknown, length: number): string {
  if (error instanceof JsonTooDeepError) return "JSON nested too deep to be an event";
  const message = error instanceof Error ? error.message : "";
  if (message.startsWith("Duplicate key")) return "JSON with the same key twice";
  const position = Number(/ at position (\d+)/.exec(message)?.[1] ?? length);
  if (position >= length) return `not JSON: it breaks off after ${length} characters`;
  return `not JSON: something else begins at character ${position + 1} of ${length}`;
}

function converterRemedy(converter: string): string {
  const now = converter === "" ? "" : `, not ${converter}`;
  return `Only JSON and Avro can be read: let the connector write with org.apache.kafka.connect.json.JsonConverter${now}.`;
}

function registryForm(bytes: Uint8Array, converter: string): Form {
  if (bytes.length < registryHead)
    return unreadable(
      "too-short",
      `too short: unreadable record of ${bytes.length} ${bytes.length === 1 ? "byte" : "bytes"}`,
      null,
    );
  const json = /JsonSchema/.test(converter) || converter === "" ? registryJson(bytes) : null;
  if (json !== null) return { json };
  const id = schemaId(bytes);
  if (/Protobuf/i.test(converter))
    return unreadable(
      "protobuf",
      `Protobuf, schema id ${id} — not measurable`,
      "Let the connector write its values with JsonConverter or AvroConverter.",
    );
  const format = /Avro/i.test(converter) ? "Avro" : "Avro or Protobuf";
  const remedy =
    "Name the schema registry in the settings of this cluster, or let the connector write with JsonConverter.";
  return unreadable(
    format === "Avro" ? "avro" : "registry",
    `${format}, schema id ${id} — not measurable without schema registry`,
    remedy,
  );
}

/** Four bytes as Confluent's converters write them; Apicurio's own form has eight. */
function schemaId(bytes: Uint8Array): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const id = BigInt(view.getUint32(1));
  return id === 0n && bytes.length >= 9 ? view.getBigUint64(1) : id;
}

/** JsonSchemaConverter writes plain JSON after the schema's id. */
function registryJson(bytes: Uint8Array): JsonValue {
  const text = utf8(bytes.subarray(registryHead));
  if (!text?.startsWith("{")) return null;
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}

export function unreadable(reason: Unreadable["reason"], text: string, remedy: string | null): Unreadable {
  return { kind: "unreadable", reason, text, remedy };
}
