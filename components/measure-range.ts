/** What of a topic is measured: all of it, the newest part, or between two times. */
export const measureRanges = ["all", "1h", "24h", "7d", "between"] as const;
export type MeasureRange = (typeof measureRanges)[number];

export const measureRangeWords: Readonly<Record<MeasureRange, string>> = {
  all: "all that is retained",
  "1h": "last hour",
  "24h": "last 24 hours",
  "7d": "last 7 days",
  between: "between two times",
};

const hour = 3_600_000;
const lengths: Partial<Record<MeasureRange, number>> = { "1h": hour, "24h": 24 * hour, "7d": 168 * hour };

/** A time as a field of the reader's own zone gives it, `2026-11-29T14:36`, in ISO 8601; null: it is none. */
function momentOf(local: string): string | null {
  const at = local === "" ? Number.NaN : Date.parse(local);
  return Number.isNaN(at) ? null : new Date(at).toISOString();
}

/** The times of records that are asked for; null: from the first, to the end. @param now milliseconds since 1970 */
export function timesOf(
  range: MeasureRange,
  { from, to }: { from: string; to: string },
  now: number,
): { from: string | null; to: string | null } {
  if (range === "between") return { from: momentOf(from), to: momentOf(to) };
  const length = lengths[range];
  return { from: length === undefined ? null : new Date(now - length).toISOString(), to: null };
}

/** Why two times cannot be measured between, one sentence; null when they can. */
export function whyNotTimes(range: MeasureRange, times: { from: string; to: string }): string | null {
  if (range !== "between") return null;
  const { from, to } = timesOf(range, times, 0);
  if (from === null && to === null) return "Give a time to begin at, to end at, or both.";
  if (from !== null && to !== null && from >= to) return "The first time has to be before the second.";
  return null;
}
