import { snapped } from "./round-interval";

/** Gaps shorter than this are of one flush, or of a transaction. */
const shortestMs = 20;
/** A shorter interval could not be told from the time that flushes take. */
export const shortestIntervalMs = 100;
/** A cluster of gaps is so wide: by part of its shortest, and what a slow flush takes. */
const clusterPart = 0.04;
const clusterMs = 30;
/** So many gaps make a cluster, and so large a part of all. */
export const fewestGaps = 3;
const leastPart = 0.08;
/** Multiples up to this tell something: further on any gap is near one. */
const mostTimes = 8;
/** The part of the gaps that are multiples of an interval that is sure. */
export const sureShare = 0.9;

/** The time between two commits of one source partition, milliseconds since 1970 and milliseconds. */
export interface Gap {
  from: number;
  to: number;
  ms: number;
}

export interface Candidate {
  ms: number;
  /** Gaps of one interval, and the part of the telling gaps that are near a multiple. */
  single: number;
  share: number;
  telling: number;
  gaps: number;
}

/** Gaps between the commits of one source partition, in the order they came. */
export function gapsOf(times: readonly number[]): Gap[] {
  return times.slice(1).flatMap((to, i) => {
    const from = times[i] ?? to;
    return to - from >= shortestMs ? [{ from, to, ms: to - from }] : [];
  });
}

const middle = (sorted: readonly number[]) => sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;

/** The gaps from `gap` on that lie close together. `sorted`: ascending. */
function clusterFrom(sorted: readonly number[], first: number): number[] {
  const from = sorted[first] ?? 0;
  const to = from * (1 + clusterPart) + clusterMs;
  const own: number[] = [];
  for (let i = first; i < sorted.length && (sorted[i] ?? 0) <= to; i++) own.push(sorted[i] ?? 0);
  return own;
}

/** The cluster of the smallest gap that is well supported; of those that overlap, the fullest. */
function smallestCluster(sorted: readonly number[]): number[] | null {
  const need = Math.max(fewestGaps, Math.ceil(leastPart * sorted.length));
  for (let i = 0; i < sorted.length; i++) {
    let best = clusterFrom(sorted, i);
    if (best.length < need) continue;
    const last = i + best.length;
    for (let j = i + 1; j < last; j++) {
      const other = clusterFrom(sorted, j);
      if (other.length > best.length) best = other;
    }
    return best;
  }
  return null;
}

/** Whether a gap is `ms` taken some times: never much less, since the wait is a delay, and more by what the flushes took. */
export function isMultiple(gap: number, ms: number): boolean {
  const times = Math.max(1, Math.round(gap / ms - 0.05));
  const over = gap - times * ms;
  return over >= -(0.02 * ms + 5) && over <= 0.05 * ms + 20 + 3 * times;
}

/** Whether a gap is `ms` once. */
export const isSingle = (gap: number, ms: number) => gap < 1.5 * ms && isMultiple(gap, ms);

function judged(gaps: readonly number[], ms: number): Candidate {
  const telling = gaps.filter((g) => g <= mostTimes * ms * 1.05);
  const near = telling.filter((g) => isMultiple(g, ms));
  return {
    ms,
    single: near.filter((g) => g < 1.5 * ms).length,
    share: telling.length === 0 ? 0 : near.length / telling.length,
    telling: telling.length,
    gaps: gaps.length,
  };
}

/** The interval by these gaps: the smallest cluster, or a part of it where gaps of two and three intervals came and none of one. */
export function candidateOf(gaps: readonly Gap[]): Candidate | null {
  const sorted = gaps.map((g) => g.ms).sort((a, b) => a - b);
  const cluster = smallestCluster(sorted);
  if (cluster === null) return null;
  const base = judged(sorted, snapped(middle(cluster)));
  if (base.share >= sureShare) return base;
  const parts = [2, 3, 4, 5]
    .map((times) => judged(sorted, snapped(middle(cluster) / times)))
    .filter((p) => p.ms >= shortestIntervalMs);
  // Of one length alone, gaps are multiples of any part of it.
  const enough = Math.max(6, cluster.length + fewestGaps);
  return parts.find((p) => p.share >= 0.95 && p.share - base.share > 0.2 && p.telling >= enough) ?? base;
}
