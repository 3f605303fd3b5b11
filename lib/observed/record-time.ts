/**
 * What can be stored, shown and compared as text: ISO 8601 writes years after 9999 with a sign. A month is left for ranges
 * around it.
 */
const latest = Date.parse("9999-12-01T00:00:00Z");

/**
 * A record's timestamp as a time. It is a producer's word, any 64 bits: microseconds are years after 50000, -1 is none. Of such
 * it is the nearest from 1970 to 9999, so that a record with a wrong clock is counted as any other.
 * @param millis since 1970
 * @returns milliseconds since 1970
 */
export function storableTime(millis: number): number {
  return Math.min(latest, Math.max(0, millis));
}

/** The same in ISO 8601. */
export function recordTime(millis: number): string {
  return new Date(storableTime(millis)).toISOString();
}
