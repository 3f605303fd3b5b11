import { type JsonValue, parseJson, stringifyJson } from "../json";
import { sorted } from "./members";
import type { Content } from "./record-reading";
import { payloadOf } from "./schema-and-payload";
import { utf8 } from "./value-form";

/** The JSON of a key without its schema; undefined when the key is no JSON. */
export function keyJson(key: Content): JsonValue | undefined {
  if (key === null) return null;
  if (!(key instanceof Uint8Array)) return key.decoded;
  const text = utf8(key);
  if (text === null) return undefined;
  try {
    return payloadOf(parseJson(text));
  } catch {
    return undefined;
  }
}

/** A key of one column, which most tables have, is written as it is told. */
const oneNumber = /^\{"\w+":(?:0|[1-9]\d{0,14})\}$/;

/** Bytes beyond ASCII become characters that no such key has. */
function asciiOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

/**
 * A record's key as one text, equal for equal keys whether or not they were written with their schema: JSON with sorted
 * keys, a plain text in quotes, other bytes as `0x…`. Null when the record has no key.
 */
export function recordKey(key: Content): string | null {
  if (key === null) return null;
  const written = key instanceof Uint8Array && key.length <= 64 ? asciiOf(key) : null;
  if (written !== null && oneNumber.test(written)) return written;
  const json = keyJson(key);
  if (json !== undefined) return stringifyJson(sorted(json));
  const bytes = key as Uint8Array;
  const text = utf8(bytes);
  if (text !== null && !hasControls(text)) return JSON.stringify(text);
  return `0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

function hasControls(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) < 0x20) return true;
  return false;
}
