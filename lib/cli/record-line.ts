import type { DebeziumRecord } from "@/lib/debezium/events/record-reading";
import { isJsonObject, parseJson } from "@/lib/debezium/json";
import { pastedRecord } from "@/lib/debezium/records/pasted-record";

const quote = 0x22;
const backslash = 0x5c;

/** A record with what its line says of its place; null: nothing, or nothing that can be. */
export interface LineRecord {
  topic: string | null;
  partition: number | null;
  offset: number | null;
  /** Milliseconds since 1970. */
  timestamp: number | null;
  record: DebeziumRecord;
}

/**
 * The record that a line holds; null when it is JSON and no record. A value that is a map stays the bytes that it is, to be read as
 * those of a topic are: parsing rows of which nothing is kept would take most of the time.
 * @throws SyntaxError when it is no JSON
 */
export function recordOfLine(line: Buffer): LineRecord | null {
  const text = line.toString("utf8");
  const told: unknown = JSON.parse(text);
  const spans = isMap(told) && isMap(told.value) ? memberSpans(line) : null;
  const value = spans?.get("value");
  if (!isMap(told) || !spans || !value) return inFull(text);
  const key = spans.get("key");
  const { topic, partition, offset, timestamp, headers } = told;
  return {
    topic: typeof topic === "string" ? topic : null,
    partition: wholeOf(partition),
    offset: wholeOf(offset),
    timestamp: wholeOf(timestamp),
    record: {
      key: key === undefined || told.key === null ? null : line.subarray(key.from, key.to),
      value: line.subarray(value.from, value.to),
      headers: isMap(headers)
        ? Object.entries(headers).map(([name, item]) => ({
            name,
            value: item === null ? null : Buffer.from(typeof item === "string" ? item : JSON.stringify(item)),
          }))
        : [],
    },
  };
}

/** Digits kept, and kcat's form known. */
function inFull(text: string): LineRecord | null {
  const value = parseJson(text);
  const pasted = isJsonObject(value) ? pastedRecord(value) : null;
  if (!pasted) return null;
  const at = pasted.timestamp === null ? Number.NaN : Date.parse(pasted.timestamp);
  return { ...pasted, offset: wholeOf(pasted.offset), timestamp: Number.isNaN(at) ? null : at };
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A whole number from 0 on, also as a text. */
function wholeOf(value: unknown): number | null {
  const number = typeof value === "string" && /^\d{1,16}$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) && number >= 0 ? number : null;
}

/** Where the members of a map lie, by their names as they are written; of a name that comes twice the last. The bytes are JSON. */
function memberSpans(bytes: Buffer): Map<string, { from: number; to: number }> {
  const spans = new Map<string, { from: number; to: number }>();
  let at = bytes.indexOf("{") + 1;
  for (;;) {
    const nameAt = bytes.indexOf(quote, at);
    const end = nameAt < 0 ? -1 : stringEnd(bytes, nameAt);
    if (end < 0) return spans;
    const from = notSpace(bytes, bytes.indexOf(":", end) + 1);
    const to = valueEnd(bytes, from);
    spans.set(bytes.toString("utf8", nameAt + 1, end - 1), { from, to });
    at = to;
  }
}

function notSpace(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && (bytes[at] as number) <= 0x20) at += 1;
  return at;
}

/** The byte after a text that begins at its quote. */
function stringEnd(bytes: Buffer, from: number): number {
  for (let at = from + 1; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === backslash) at += 1;
    else if (byte === quote) return at + 1;
  }
  return bytes.length;
}

/** The byte after a value. */
function valueEnd(bytes: Buffer, from: number): number {
  let depth = 0;
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === quote) {
      at = stringEnd(bytes, at) - 1;
      if (depth === 0) return at + 1;
    } else if (byte === 0x7b || byte === 0x5b) depth += 1;
    else if (byte === 0x7d || byte === 0x5d) {
      depth -= 1;
      if (depth === 0) return at + 1;
      // The end of the map that the value is in.
      if (depth < 0) return at;
    } else if (byte === 0x2c && depth === 0) return at;
  }
  return bytes.length;
}
