import { isInteger, isSafeNumber, parse, stringify } from "lossless-json";

/** JSON as Debezium and Kafka Connect write it: whole numbers beyond 2^53 (LSNs, SCNs, ts_ns) are bigint, never rounded. */
export type JsonValue = null | boolean | number | bigint | string | JsonValue[] | JsonObject;
export interface JsonObject {
  [key: string]: JsonValue;
}

/** Safe numbers stay numbers; whole numbers that a double would round become bigint. */
function parseNumber(text: string): number | bigint {
  return isInteger(text) && !isSafeNumber(text) ? BigInt(text) : Number(text);
}

/**
 * Parses JSON without losing a digit of a 64-bit number.
 * @throws SyntaxError when the text is not JSON, with the position.
 */
export function parseJson(text: string): JsonValue {
  return parse(text, null, parseNumber) as JsonValue;
}

/** Writes JSON back, bigint as a plain number. The inverse of {@link parseJson}. */
export function stringifyJson(value: JsonValue, indent?: number): string {
  return stringify(value, null, indent) ?? "null";
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A whole number of any size, given as number, bigint or decimal text; null for everything else. */
export function wholeNumber(value: JsonValue | undefined): bigint | null {
  if (typeof value === "bigint") return value;
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : null;
  if (typeof value === "string" && /^-?\d+$/.test(value)) return BigInt(value);
  return null;
}
