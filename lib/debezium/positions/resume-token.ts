import { isJsonObject, type JsonValue, parseJson } from "../json";
import { bsonField } from "./bson";
import { isoTime, quoted } from "./field-kinds";
import { hexBytes, hexText } from "./hex";

/** A MongoDB resume token taken apart (mongo: resume_token.h; Debezium: ResumeTokens). */
export interface ResumeToken {
  /** Cluster time of the change: seconds since 1970 and a counter within the second. */
  seconds: bigint;
  increment: bigint;
  /** The token's bytes in hex. Tokens of one cluster sort by them as their changes do. */
  data: string;
  /** `mark`: made between changes (post-batch), before any change of its cluster time. Null where the token does not say. */
  kind: "event" | "mark" | null;
  /** Which change of its transaction it is, from 0; null where the token does not say. */
  ordinal: bigint | null;
}

export type TokenReading =
  | { token: ResumeToken; problem?: undefined }
  | { token?: undefined; problem: string };

/** Longest text that is read. A token holds the document's key, which is seldom longer than a line. */
const longest = 65_536;

/** Whole numbers as a KeyString writes them: 0x29 is zero, 0x2B to 0x2E stand before one to four bytes, twice the value. */
function keyStringNumbers(bytes: Uint8Array, from: number): bigint[] {
  const numbers: bigint[] = [];
  let at = from;
  for (;;) {
    const type = bytes[at++];
    if (type === 0x29) numbers.push(0n);
    else if (type !== undefined && type >= 0x2b && type <= 0x2e && at + type - 0x2a <= bytes.length) {
      let doubled = 0n;
      for (const end = at + type - 0x2a; at < end; at++) doubled = (doubled << 8n) | BigInt(bytes[at] ?? 0);
      numbers.push(doubled >> 1n);
    } else return numbers;
  }
}

/** Of version 1 and later: what kind of token it is, and the number of the change in its transaction. */
function kindAndOrdinal(bytes: Uint8Array): Pick<ResumeToken, "kind" | "ordinal"> {
  const [version, second, third] = keyStringNumbers(bytes, 9);
  if (version === undefined || second === undefined) return { kind: null, ordinal: null };
  if (version === 0n) return { kind: null, ordinal: second };
  const kind = second === 0n ? "mark" : second === 128n ? "event" : null;
  return { kind, ordinal: third ?? null };
}

const timestampType = 0x82;

function fromData(bytes: Uint8Array): TokenReading {
  if (bytes.length < 9) return { problem: `is too short for a resume token: ${bytes.length} bytes` };
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint8(0) !== timestampType)
    return {
      problem: `does not begin with 82, the mark of a cluster time, but with ${hexText(bytes.slice(0, 1))}`,
    };
  return {
    token: {
      seconds: BigInt(view.getUint32(1)),
      increment: BigInt(view.getUint32(5)),
      data: hexText(bytes),
      ...kindAndOrdinal(bytes),
    },
  };
}

function fromHex(text: string): TokenReading {
  const bytes = hexBytes(text);
  return bytes === null ? { problem: `holds ${quoted(text)}, not hex` } : fromData(bytes);
}

function base64Bytes(text: string): Uint8Array | null {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text) || text.length % 4 !== 0) return null;
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/** The document `{_data: …}`; `_data` is hex, or bytes on servers before 4.0.7. */
function fromBson(bytes: Uint8Array): TokenReading {
  const { value, problem } = bsonField(bytes, "_data");
  if (problem !== undefined) return { problem: `is base64 of no BSON document: ${problem}` };
  if (value === null) return { problem: "is a BSON document without _data" };
  if ("text" in value) return fromHex(value.text);
  return "bytes" in value
    ? fromData(value.bytes)
    : { problem: "is a BSON document whose _data is no text and no bytes" };
}

/** Extended JSON, as shells print it and as source blocks hold it: `{"_data":"82…"}`, or `{"$binary":…}` as its value. */
function fromJson(value: JsonValue): TokenReading {
  const data = isJsonObject(value) ? value._data : undefined;
  if (typeof data === "string") return fromHex(data);
  const binary = isJsonObject(data) ? data.$binary : undefined;
  const base64 = isJsonObject(binary) ? binary.base64 : binary;
  const bytes = typeof base64 === "string" ? base64Bytes(base64) : null;
  return bytes === null ? { problem: "is JSON without _data" } : fromData(bytes);
}

function parsedJson(text: string): JsonValue | null {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}

/**
 * Reads a token as Debezium stores it: base64 of its BSON document (2.7 and later), or the bare hex of `_data`. Like
 * Debezium it tries base64 first: hex is base64 too, but of no BSON document. Never throws.
 */
export function parseResumeToken(text: string): TokenReading {
  const token = text.trim();
  if (token.length > longest) return { problem: `has ${token.length} characters, which is too long` };
  if (token.startsWith("{")) {
    const json = parsedJson(token);
    return json === null ? { problem: `is ${quoted(token)}, not JSON` } : fromJson(json);
  }
  const bytes = base64Bytes(token);
  const document = bytes === null ? null : fromBson(bytes);
  if (document?.token) return document;
  if (hexBytes(token) !== null && token !== "") return fromHex(token);
  return document ?? { problem: `is ${quoted(token)}, neither base64 nor hex` };
}

/** `2026-09-14T06:30:00Z : 17`. */
export function clusterTimeText(seconds: bigint, increment: bigint): string {
  return `${isoTime(seconds * 1_000_000n)} : ${increment}`;
}

/** The token for a person. */
export function tokenText({ seconds, increment, kind, ordinal }: ResumeToken): string {
  const text = clusterTimeText(seconds, increment);
  if (kind === "mark") return `${text} (made between changes)`;
  return ordinal !== null && ordinal > 0n ? `${text} (change ${ordinal + 1n} of its transaction)` : text;
}
