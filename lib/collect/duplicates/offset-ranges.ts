/** Offsets from the first to before the second. */
export interface OffsetRange {
  from: number;
  to: number;
}

/** How many offsets they have together. */
export function offsetsIn(ranges: readonly OffsetRange[]): number {
  return ranges.reduce((sum, { from, to }) => sum + to - from, 0);
}

/** What of a range lies in none of the others. */
export function without({ from, to }: OffsetRange, others: readonly OffsetRange[]): OffsetRange[] {
  const left: OffsetRange[] = [];
  let at = from;
  for (const other of [...others].sort((a, b) => a.from - b.from)) {
    if (other.from > at && at < to) left.push({ from: at, to: Math.min(to, other.from) });
    at = Math.max(at, other.to);
  }
  if (at < to) left.push({ from: at, to });
  return left;
}
