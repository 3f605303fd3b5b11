// What a crash would have replayed at each moment of the recorded hour, record by record.
import { dice, hourMs, leadMs } from "./dial-recording";

/** How many times lie at or before `at`. `times`: ascending. */
export function countUntil(times: Float64Array, at: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

export interface Recorded {
  produced: Float64Array;
  acks: Float64Array;
  /** Sum of the times of the first records, one longer than they are. */
  sums: Float64Array;
}

export function recorded(produced: Float64Array, acks: Float64Array): Recorded {
  const sums = new Float64Array(produced.length + 1);
  produced.forEach((at, i) => {
    sums[i + 1] = (sums[i] ?? 0) + at;
  });
  return { produced, acks, sums };
}

/** When offsets are flushed: a fixed delay after each flush has ended. `phase` in [0, 1): when the first comes, before the recording begins. */
export function flushes(intervalMs: number, phase: number, seed: number): number[] {
  const random = dice(seed);
  const times: number[] = [];
  for (let at = -intervalMs * (1 - phase); at < leadMs + hourMs + intervalMs; ) {
    times.push(at);
    at += intervalMs + 3 + 20 * random();
  }
  return times;
}

/** The records produced up to each moment, added up over the moments until `at`. */
function areaUntil({ produced, sums }: Recorded, at: number): number {
  const count = countUntil(produced, at);
  return count * at - (sums[count] ?? 0);
}

/** Mean and worst window of the hour, were offsets flushed at these times: each sends what has been acknowledged by then. */
function replayed(hour: Recorded, times: readonly number[]): { mean: number; worst: number } {
  let area = 0;
  let worst = 0;
  times.slice(1).forEach((next, i) => {
    const flush = times[i] ?? 0;
    const covered = countUntil(hour.acks, flush);
    const from = Math.max(flush, leadMs);
    const to = Math.min(next, leadMs + hourMs);
    if (to <= from) return;
    area += areaUntil(hour, to) - areaUntil(hour, from) - covered * (to - from);
    worst = Math.max(worst, countUntil(hour.produced, to) - covered);
  });
  return { mean: area / hourMs, worst };
}

/**
 * Phases of the flush that are gone through, evenly over the interval: one for each half second of it, but 20 at least and 200
 * at most. A short interval comes by every phase by itself, since flushes take their time.
 */
function phasesOf(intervalMs: number): number {
  return Math.min(200, Math.max(20, intervalMs / 500));
}

/** The mean over all moments of the hour and all phases, and the worst of them. */
export function simulated(hour: Recorded, intervalMs: number): { mean: number; worst: number } {
  const phases = phasesOf(intervalMs);
  let sum = 0;
  let worst = 0;
  for (let i = 0; i < phases; i++) {
    const one = replayed(hour, flushes(intervalMs, i / phases, i));
    sum += one.mean;
    worst = Math.max(worst, one.worst);
  }
  return { mean: sum / phases, worst };
}
