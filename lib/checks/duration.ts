const units = [
  ["day", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000],
  ["ms", 1],
] as const;

/** A length of time in milliseconds in its largest fitting unit, rounded down: `7 days`, `2 h`, `12 s`. */
export function duration(ms: number | bigint): string {
  const whole = BigInt(typeof ms === "number" ? Math.max(0, Math.floor(ms)) : ms);
  for (const [unit, size] of units) {
    const count = whole / BigInt(size);
    if (count >= 1n) return unit === "day" && count !== 1n ? `${count} days` : `${count} ${unit}`;
  }
  return "0 s";
}

/** Bytes in the largest binary unit that keeps a whole number, else with one digit: `1 MiB`, `1.5 KiB`. */
export function byteCount(bytes: bigint): string {
  const names = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  let value = Number(bytes);
  let at = 0;
  while (value >= 1024 && at < names.length - 1) {
    value /= 1024;
    at += 1;
  }
  return `${Number.isInteger(value) ? value : value.toFixed(1)} ${names[at]}`;
}
