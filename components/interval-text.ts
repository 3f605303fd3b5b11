/** A flush interval as people set it: `1 s`, `90 s`, `2 m`, `500 ms`. */
export function intervalText(ms: number): string {
  if (ms % 60_000 === 0 && ms > 60_000) return `${ms / 60_000}\u00a0m`;
  return ms >= 1_000 ? `${Math.round(ms / 100) / 10}\u00a0s` : `${ms}\u00a0ms`;
}
