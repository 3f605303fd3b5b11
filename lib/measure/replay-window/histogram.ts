import { nearestRank } from "./statistics";

/** A bucket is at most this part wide, and so is the error of a percentile. */
const width = 0.05;

function bounds(): number[] {
  const all = [0];
  for (let bound = 0; bound < Number.MAX_SAFE_INTEGER; ) {
    bound = Math.min(Number.MAX_SAFE_INTEGER, Math.max(bound + 1, Math.floor((bound + 1) * (1 + width))));
    all.push(bound);
  }
  return all;
}

/**
 * Upper bounds of the buckets, in events, ascending: 0, 1, 2, … 19, then 21, 23 and so on, each 5 % wide, up to 2^53 − 1.
 * A value belongs to the first bound that is not below it. They are public to what is stored and never change.
 */
export const histogramBounds: readonly number[] = bounds();

/** The bucket of a figure: the index of the first bound that is not below it. */
function bucketOf(value: number): number {
  let low = 0;
  let high = histogramBounds.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((histogramBounds[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A histogram kept short: bucket, count, bucket, count, …, by bucket, without the empty ones. */
export type Histogram = number[];

function fromCounts(counts: ReadonlyMap<number, number>): Histogram {
  return [...counts].sort(([a], [b]) => a - b).flat();
}

function addTo(counts: Map<number, number>, histogram: readonly number[]): void {
  for (let i = 0; i + 1 < histogram.length; i += 2) {
    const bucket = histogram[i] ?? 0;
    counts.set(bucket, (counts.get(bucket) ?? 0) + (histogram[i + 1] ?? 0));
  }
}

export function histogramOf(values: readonly number[]): Histogram {
  const counts = new Map<number, number>();
  for (const value of values) addTo(counts, [bucketOf(value), 1]);
  return fromCounts(counts);
}

export function mergeHistograms(histograms: readonly (readonly number[])[]): Histogram {
  const counts = new Map<number, number>();
  for (const histogram of histograms) addTo(counts, histogram);
  return fromCounts(counts);
}

/** The percentile by nearest rank, at most 5 % above the true one and never below it. Null when it holds nothing. */
export function percentileOf(histogram: readonly number[], share: number): number | null {
  let total = 0;
  for (let i = 1; i < histogram.length; i += 2) total += histogram[i] ?? 0;
  if (total === 0) return null;
  let left = nearestRank(share, total);
  for (let i = 0; i + 1 < histogram.length; i += 2) {
    left -= histogram[i + 1] ?? 0;
    if (left <= 0) return histogramBounds[histogram[i] ?? 0] ?? null;
  }
  return null;
}
