/** Between a number and its unit, so that a line never breaks there. */
const nbsp = "\u00a0";

const whole = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 0 });
const fine = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 1 });

/** `41,000`; decimal text of any size keeps each digit. */
export function formatCount(value: number | bigint | string): string {
  if (typeof value === "string") return /^-?\d+$/.test(value) ? whole.format(BigInt(value)) : value;
  return whole.format(value);
}

/** `1 connector`, `41,000 connectors`. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)}${nbsp}${count === 1 ? one : many}`;
}

/** `0.4/s`, `1,204/s`. */
export function formatRate(perSecond: number): string {
  return `${perSecond < 10 ? fine.format(perSecond) : whole.format(perSecond)}/s`;
}

const steps: readonly [limit: number, unitMs: number, unit: string][] = [
  [60_000, 1_000, "s"],
  [3_600_000, 60_000, "m"],
  [172_800_000, 3_600_000, "h"],
  [Number.POSITIVE_INFINITY, 86_400_000, "d"],
];

/** A duration in its largest fitting unit, rounded down: `12 s`, `9 m`, `31 h`, `12 d`. Never negative. */
export function formatDuration(ms: number): string {
  const length = Math.max(0, ms);
  for (const [limit, unitMs, unit] of steps) {
    if (length < limit) return `${whole.format(Math.floor(length / unitMs))}${nbsp}${unit}`;
  }
  return "";
}

/** A moment later than this by our clock was written by one that is ahead of it. */
const aheadMs = 60_000;

/** How long ago something was: `12 s`, with the suffix `12 s ago`; what lies in the future is `59 m ahead`, not new. */
export function formatAge(ms: number, suffix = ""): string {
  if (ms >= -aheadMs) return `${formatDuration(ms)}${suffix}`;
  return `${formatDuration(-ms)} ahead${suffix === "" ? "" : " of this clock"}`;
}

/** A time between two moments that are known to the millisecond: `under 1 s` where that says more than `0 s`. */
export function formatInterval(ms: number): string {
  return ms < 1_000 ? `under${nbsp}1${nbsp}s` : formatDuration(ms);
}

const byteUnits = ["B", "KiB", "MiB", "GiB", "TiB"] as const;

/** `512 B`, `26.8 MiB`, `1.2 GiB`. */
export function formatBytes(bytes: number): string {
  let value = Math.max(0, bytes);
  let unit = 0;
  while (value >= 1024 && unit < byteUnits.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? whole.format(value) : fine.format(value)}${nbsp}${byteUnits[unit] ?? ""}`;
}

/** Text that came from elsewhere, begun with a capital and ended with a full stop. Names such as `orders-cdc` keep their case. */
export function asSentence(text: string): string {
  const trimmed = text.trim();
  const ended = /[.!?…:]$/.test(trimmed) || trimmed === "" ? trimmed : `${trimmed}.`;
  return /^[a-z]+ /.test(ended) ? ended.charAt(0).toUpperCase() + ended.slice(1) : ended;
}
