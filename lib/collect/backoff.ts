/**
 * The longest pause after failures, in milliseconds. What comes back is seen within half a minute, also by a loop that
 * must first see another one succeed: two pauses.
 */
const LONGEST_PAUSE_MS = 10_000;

/**
 * The pause until the next run of a loop, in milliseconds.
 * Doubles with each failure in a row up to 10 s (or the loop's own interval, if that is longer), then ±10 % jitter
 * so that loops of many clusters do not fall into step.
 * @param random a number from 0 to 1
 */
export function pauseMs(intervalMs: number, failuresInARow: number, random: number): number {
  const longest = Math.max(intervalMs, LONGEST_PAUSE_MS);
  const pause = Math.min(intervalMs * 2 ** Math.min(failuresInARow, 16), longest);
  return Math.round(pause * (0.9 + 0.2 * random));
}
