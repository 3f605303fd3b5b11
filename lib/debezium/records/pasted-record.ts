import type { Content } from "../events/record-reading";
import { payloadOf } from "../events/schema-and-payload";
import { isJsonObject, type JsonObject, type JsonValue, parseJson, plainText, wholeNumber } from "../json";
import { isoTime } from "../positions/field-kinds";
import type { PastedRecord } from "./decode-record";

/**
 * A record as people have it: `{"topic","partition","offset","timestamp","headers","key","value"}`, or as `kcat -J`
 * prints it, with `ts`, `payload` and texts in place of JSON. Null for any other value.
 */
export function pastedRecord(value: JsonObject): PastedRecord | null {
  const has = (key: string) => Object.hasOwn(value, key);
  const printed = has("payload") && has("topic") && !has("value");
  if (!printed && !(has("value") && (has("key") || has("topic")))) return null;
  return {
    ...placeOf(value),
    record: {
      key: content(value.key ?? null, "key"),
      value: content((printed ? value.payload : value.value) ?? null, "value"),
      headers: headersOf(value.headers ?? null),
    },
  };
}

/** A value alone, with nothing known of where it lay. */
export function bareRecord(value: JsonValue): PastedRecord {
  const record = { key: null, value: { decoded: payloadOf(value) }, headers: [] };
  return { topic: null, partition: null, offset: null, timestamp: null, record };
}

function placeOf(value: JsonObject): Omit<PastedRecord, "record"> {
  const partition = wholeNumber(value.partition);
  const offset = wholeNumber(value.offset);
  const millis = wholeNumber(value.timestamp ?? value.ts);
  return {
    topic: typeof value.topic === "string" ? value.topic : null,
    partition: partition !== null && partition >= 0n && partition < 2n ** 31n ? Number(partition) : null,
    offset: offset === null ? null : String(offset),
    timestamp: millis === null || millis < 0n ? null : isoTime(millis * 1_000n),
  };
}

/** JSON, or a text that holds it; a value that is neither stays bytes, so that it is told why it cannot be read. */
function content(value: JsonValue, of: "key" | "value"): Content {
  if (value === null) return null;
  if (typeof value !== "string") return { decoded: payloadOf(value) };
  if (/^\s*[[{"]/.test(value)) {
    try {
      return { decoded: payloadOf(parseJson(value)) };
    } catch {
      // Not JSON after all.
    }
  }
  return of === "key" ? { decoded: value } : bytes(value);
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** A map of names, or names and values by turns, as `kcat -J` prints them. */
function headersOf(value: JsonValue): PastedRecord["record"]["headers"] {
  const pairs = isJsonObject(value) ? Object.entries(value) : inTurns(Array.isArray(value) ? value : []);
  return pairs.map(([name, item]) => ({ name, value: item === null ? null : bytes(plainText(item)) }));
}

function inTurns(list: readonly JsonValue[]): [string, JsonValue][] {
  return list.flatMap((item, i): [string, JsonValue][] =>
    i % 2 === 0 && typeof item === "string" ? [[item, list[i + 1] ?? null]] : [],
  );
}
