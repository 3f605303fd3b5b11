/** Of the normal distribution: 95 % lie within so many standard deviations. */
const z = 1.959963984540054;

/** What was seen of identities drawn by chance. */
export interface Drawn {
  /** Distinct identities. */
  identities: number;
  /** Those that came more than once. */
  repeated: number;
  /** Copies beyond the first, over all of them, and the sum of their squares. */
  extra: number;
  extraSquares: number;
  /** Part of all identities that was drawn, 0 to 1. */
  share: number;
}

/**
 * The 95 % interval of the rate of duplicates among all records, by Wilson's score over distinct identities: they, not
 * records, are what was drawn. Three things are beside the textbook. An identity can come more than twice: `extra` says
 * how often on average, and where they differ the drawn count for less (design effect). Where a good part of all was drawn
 * there is less left to be wrong about (finite population). And the rate is among records: x duplicates to one identity
 * are x / (1 + x) of the records. Null when nothing was drawn.
 */
export function rateInterval({
  identities: n,
  repeated,
  extra,
  extraSquares,
  share,
}: Drawn): [number, number] | null {
  if (n === 0) return null;
  const mean = extra / n;
  if (share >= 1) return [asRate(mean), asRate(mean)];
  const times = repeated === 0 ? 1 : extra / repeated;
  const p = repeated / n;
  const binomial = times * times * p * (1 - p);
  const variance = extraSquares / n - mean * mean;
  const effect = binomial > 0 ? Math.max(1, variance / binomial) : 1;
  const [low, high] = wilson(p, n / (effect * (1 - share)));
  return [asRate(low * times), asRate(high * times)];
}

/** Duplicates among records, when there are so many to one identity. */
function asRate(extra: number): number {
  return extra / (1 + extra);
}

/** Wilson's score interval of a proportion seen in `n` draws; `n` need not be whole. */
export function wilson(p: number, n: number): [number, number] {
  const square = (z * z) / n;
  const middle = p + square / 2;
  const reach = z * Math.sqrt((p * (1 - p)) / n + square / (4 * n));
  const low = p === 0 ? 0 : (middle - reach) / (1 + square);
  const high = p === 1 ? 1 : (middle + reach) / (1 + square);
  return [Math.max(0, low), Math.min(1, high)];
}
