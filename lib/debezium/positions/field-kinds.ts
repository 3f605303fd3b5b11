import { type JsonObject, type JsonValue, plainText, stringifyJson, wholeNumber } from "../json";
import type { FieldKind, FieldText, Problem } from "./position";

/** How a value is quoted in a sentence, cut to a readable length. */
export function quoted(value: JsonValue | undefined): string {
  const text = value === undefined ? "missing" : stringifyJson(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

const maxLong = 2n ** 63n - 1n;

/** A whole number from 0 that fits a Java long; null when it is something else. */
export function count(value: JsonValue | undefined): bigint | null {
  const number = wholeNumber(value);
  return number !== null && number >= 0n && number <= maxLong ? number : null;
}

/** A field that holds a whole number from 0. An absent value (null) reads as "none". */
export function wholeField(
  meaning: string,
  text: (n: bigint) => string = (n) => n.toString(),
  kind = "a whole number from 0",
): FieldKind {
  return {
    meaning,
    read(value) {
      if (value === null) return { text: "none" };
      const number = count(value);
      return number === null ? { problem: `is ${quoted(value)}, not ${kind}` } : { text: text(number) };
    },
  };
}

export function textField(
  meaning: string,
  read: (text: string, offset?: JsonObject) => FieldText = (text) => ({ text }),
): FieldKind {
  return {
    meaning,
    read(value, offset) {
      if (value === null) return { text: "none" };
      return typeof value === "string" ? read(value, offset) : { problem: `is ${quoted(value)}, not a text` };
    },
  };
}

export function booleanField(meaning: string): FieldKind {
  return {
    meaning,
    read(value) {
      if (value === null) return { text: "none" };
      // CockroachDB stores it as a text.
      const text = plainText(value);
      return text === "true" || text === "false"
        ? { text: text === "true" ? "yes" : "no" }
        : { problem: `is ${quoted(value)}, not true or false` };
    },
  };
}

/** After the year 9999 a number is no time, but one in another unit. */
const endMicros = 253_402_300_800_000_000n;

/** ISO 8601 in UTC with as many digits as matter: `2026-09-14T06:30:00Z`, `…:00.123457Z`. Null out of range. */
export function isoTime(micros: bigint): string | null {
  if (micros <= -endMicros || micros >= endMicros) return null;
  const fraction = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const whole = new Date(Number((micros - fraction) / 1000n)).toISOString().slice(0, -5);
  const digits = fraction.toString().padStart(6, "0").replace(/0+$/, "");
  return digits === "" ? `${whole}Z` : `${whole}.${digits.padEnd(3, "0")}Z`;
}

/** 1990: no change that a connector reads is older, so a smaller number is 0 for an unknown time, or in another unit. */
const firstMicros = 631_152_000_000_000n;

/** The time of a change as {@link isoTime} writes it; null for what cannot be one. */
export function knownTime(micros: bigint | null): string | null {
  return micros === null || micros < firstMicros ? null : isoTime(micros);
}

/**
 * A field that holds a time since 1970 in units of `microsPerUnit`. 0 stands for an unknown time: no change is that old,
 * and connectors write it where they have none.
 */
export function timeField(meaning: string, microsPerUnit: bigint): FieldKind {
  return {
    meaning,
    read(value) {
      if (value === null) return { text: "none" };
      const number = count(value);
      if (number === 0n) return { text: "unknown (0)" };
      const text = number === null ? null : isoTime(number * microsPerUnit);
      return text === null ? { problem: `is ${quoted(value)}, not a time as a whole number` } : { text };
    },
  };
}

/** The problems of the given keys, each as a sentence. */
export function fieldProblems(value: JsonObject, fields: Readonly<Record<string, FieldKind>>): Problem[] {
  const problems: Problem[] = [];
  for (const [key, field] of Object.entries(fields)) {
    if (!Object.hasOwn(value, key)) continue;
    const { problem } = field.read(value[key] ?? null, value);
    if (problem !== undefined) problems.push({ key, text: `${key} ${problem}.` });
  }
  return problems;
}

/** `1 transaction`, `25 transactions`. */
export function plural(n: bigint | number, one: string, many = `${one}s`): string {
  return `${n} ${BigInt(n) === 1n ? one : many}`;
}
