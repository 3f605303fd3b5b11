import { isInteger, parse } from "lossless-json";
import { CompactJson } from "./compact-json";

/** A number that neither a double nor {@link longestNumber} digits hold: kept as it was written. */
export class NumberText {
  constructor(readonly text: string) {}

  toString(): string {
    return this.text;
  }
}

/** JSON as Debezium and Kafka Connect write it: whole numbers beyond 2^53 (LSNs, SCNs, ts_ns) are bigint, never rounded. */
export type JsonValue = null | boolean | number | bigint | NumberText | string | JsonValue[] | JsonObject;
export interface JsonObject {
  [key: string]: JsonValue;
}

/** The deepest nesting that is read. Offsets and partitions have three levels. */
export const deepestJson = 500;

/** Digits of the longest whole number that is computed with: reading a longer one takes time by its square. */
const longestNumber = 1_000;

/** The text nests lists and maps deeper than {@link deepestJson}. */
export class JsonTooDeepError extends SyntaxError {
  override readonly name = "JsonTooDeepError";
}

/** Whole numbers above 2^53, such as times in nanoseconds. */
const beyondDoubles = /^[1-9]\d{16,40}$/;

/** A number stays one when it is written back as it came; other whole numbers become bigint. */
function parseNumber(text: string): number | bigint | NumberText {
  if (beyondDoubles.test(text)) return BigInt(text);
  const number = Number(text);
  if (String(number) === text && (!isInteger(text) || Number.isSafeInteger(number))) return number;
  const whole = isInteger(text) && text.length <= longestNumber && text !== "-0";
  return whole ? BigInt(text) : new NumberText(text);
}

const compact = new CompactJson(parseNumber);

/** Refuses deep nesting before a parser recurses into it. Counts no brackets in texts. */
function checkDepth(text: string): void {
  let depth = 0;
  let inText = false;
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (inText) {
      if (character === "\\") i++;
      else if (character === '"') inText = false;
    } else if (character === '"') inText = true;
    else if (character === "[" || character === "{") {
      if (++depth > deepestJson) throw new JsonTooDeepError(`nested too deep at position ${i}`);
    } else if (character === "]" || character === "}") depth--;
  }
}

/**
 * Parses JSON without losing a digit of any number.
 * @throws SyntaxError when the text is not JSON, with the position; JsonTooDeepError beyond {@link deepestJson} levels.
 */
export function parseJson(text: string): JsonValue {
  const value = compact.parse(text);
  if (value !== undefined) return value;
  checkDepth(text);
  return parse(text, null, parseNumber) as JsonValue;
}

/** Writes JSON back, every number with the digits it came with. The inverse of {@link parseJson}. */
export function stringifyJson(value: JsonValue): string {
  if (typeof value === "bigint" || value instanceof NumberText) return value.toString();
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(stringifyJson).join(",")}]`;
  const pairs = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}:${stringifyJson(item)}`);
  return `{${pairs.join(",")}}`;
}

/** A text as it is, everything else as JSON. */
export function plainText(value: JsonValue): string {
  return typeof value === "string" ? value : stringifyJson(value);
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof NumberText)
  );
}

/** The map that a JSON text holds, digits kept; null for anything else. */
export function parseJsonObject(text: string): JsonObject | null {
  try {
    const value = parseJson(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

const wholeText = /^-?\d{1,1000}$/;

/** A whole number of up to 1,000 digits, given as number, bigint or decimal text; null for everything else. */
export function wholeNumber(value: JsonValue | undefined): bigint | null {
  if (typeof value === "bigint") return value;
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : null;
  if (value instanceof NumberText) return wholeOf(value.text);
  return typeof value === "string" && wholeText.test(value) ? BigInt(value) : null;
}

/** `1.0` and `1e3` are whole numbers too; null for a fraction. */
function wholeOf(text: string): bigint | null {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const shift = Number(exponent) - fraction.length;
  if (whole === "" || text.length > longestNumber || Math.abs(shift) > longestNumber) return null;
  const digits = `${whole}${fraction}`;
  const kept = shift < 0 ? digits.slice(0, shift) || "0" : digits + "0".repeat(shift);
  const cut = shift < 0 ? digits.slice(shift) : "";
  return /[1-9]/.test(cut) ? null : BigInt(`${sign}${kept}`);
}
