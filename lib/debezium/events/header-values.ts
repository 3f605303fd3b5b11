import { isJsonObject, type JsonValue, NumberText, parseJson } from "../json";
import type { DebeziumRecord } from "./record-reading";
import { payloadOf } from "./schema-and-payload";
import { utf8 } from "./value-form";

/**
 * What a header holds, whichever converter wrote it: SimpleHeaderConverter (the default) writes plain text,
 * JsonConverter JSON with or without schema. A plain text that looks like a list stays a text.
 */
function headerValue(bytes: Uint8Array | null): JsonValue {
  if (bytes === null) return null;
  const text = utf8(bytes);
  if (text === null) return null;
  const json = parsed(text);
  if (isJsonObject(json)) {
    const payload = payloadOf(json);
    return payload === json ? text : payload;
  }
  return json === null || Array.isArray(json) || json instanceof NumberText ? text : json;
}

/** A text, a map or a number: run ids begin with a digit too, and a parser that throws for each record takes long. */
const mayBeJson = /^(?:["{]|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\s*$)/;

function parsed(text: string): JsonValue {
  if (!mayBeJson.test(text)) return null;
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}

/** The last header of a name, which is the one that Kafka's Headers.lastHeader gives; undefined when there is none. */
export function header(headers: DebeziumRecord["headers"], name: string): JsonValue | undefined {
  const found = headers.findLast((h) => h.name === name);
  return found === undefined ? undefined : headerValue(found.value);
}

export function headerText(headers: DebeziumRecord["headers"], name: string): string | null {
  const value = header(headers, name);
  if (value === undefined || value === null || isJsonObject(value) || Array.isArray(value)) return null;
  return String(value);
}
