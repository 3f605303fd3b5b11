const units: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The latest moment that a JavaScript date holds. */
const END_OF_TIME = 8.64e15;

/**
 * A moment as people type it: `2026-11-30`, `2026-11-30T10:00`, `2026-11-30T10:00:00.000Z`, `…+01:00` (UTC where no zone is
 * named), or back from now: `-2h`, `-90s`, `-30m`, `-7d`, `now`.
 * @param now milliseconds since 1970
 * @returns milliseconds since 1970; null for anything else
 */
export function momentOf(text: string, now: number): number | null {
  const trimmed = text.trim();
  if (trimmed === "now") return now;
  const [, amount, unit] = /^-(\d{1,9})(s|m|h|d)$/.exec(trimmed) ?? [];
  if (amount !== undefined && unit !== undefined) {
    const moment = now - Number(amount) * (units[unit] ?? 0);
    return Math.abs(moment) <= END_OF_TIME ? moment : null;
  }
  const [, date, time, zone] =
    /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:?\d{2})?)?$/i.exec(
      trimmed,
    ) ?? [];
  if (date === undefined) return null;
  const moment = Date.parse(`${date}T${time ?? "00:00"}${(zone ?? "Z").toUpperCase()}`);
  // Of 30 February a date makes 2 March.
  const isDay = () => new Date(`${date}T00:00Z`).toISOString().startsWith(date);
  return Number.isNaN(moment) || !isDay() ? null : moment;
}
