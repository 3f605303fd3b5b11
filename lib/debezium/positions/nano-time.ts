import type { Distance } from "./position";

const rfc3339 = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?(Z|[+-]\d{2}:\d{2})$/i;

/** Nanoseconds since 1970 of `2026-09-14T06:30:00.123456789Z`; null for what is no such time. */
export function parseRfc3339(text: string): bigint | null {
  const [, whole = "", fraction = "", zone = ""] = rfc3339.exec(text.trim()) ?? [];
  const millis = Date.parse(`${whole}${zone}`);
  const local = Date.parse(`${whole}Z`);
  if (Number.isNaN(millis) || Number.isNaN(local)) return null;
  // Date takes 30 February for 2 March.
  if (!new Date(local).toISOString().startsWith(whole.toUpperCase())) return null;
  return BigInt(millis) * 1_000_000n + BigInt(fraction.padEnd(9, "0"));
}

// The instants that a Date can hold.
const lastNanos = 8_640_000_000_000_000_000_000n;

/** ISO 8601 in UTC with 0, 3, 6 or 9 digits after the second, as many as matter. Null out of range. */
export function nanosText(nanos: bigint): string | null {
  if (nanos < -lastNanos || nanos > lastNanos) return null;
  const fraction = ((nanos % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n;
  const whole = new Date(Number((nanos - fraction) / 1_000_000n)).toISOString().slice(0, -5);
  const digits = fraction
    .toString()
    .padStart(9, "0")
    .replace(/(000)+$/, "");
  return digits === "" ? `${whole}Z` : `${whole}.${digits}Z`;
}

/** What lies between two times: in milliseconds, in nanoseconds where it is less than one. */
export function timeBetween(from: bigint, to: bigint): Distance {
  const nanos = to - from;
  const millis = nanos / 1_000_000n;
  if (millis === 0n && nanos !== 0n) return { amount: nanos, unit: "nanoseconds" };
  return { amount: millis, unit: "milliseconds" };
}
