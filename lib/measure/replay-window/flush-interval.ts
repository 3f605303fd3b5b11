import type { FlushInterval } from "@/lib/observed/replay-window";
import { snapped } from "./round-interval";

/**
 * How often a worker flushes offsets, from the times of commits. Connect's SourceTaskOffsetCommitter waits
 * `offset.flush.interval.ms` after each commit has ended, and a commit with nothing new writes nothing: the gaps of one source
 * partition are multiples of the interval, each a little longer. Clean stops, restarts and rebalances make shorter ones.
 */

/** Gaps shorter than this are of one flush, or of a transaction. */
const shortestMs = 20;
/** A shorter interval could not be told from the time that flushes take. */
const shortestIntervalMs = 100;
/** A cluster of gaps is so wide: by part of its shortest, and what a slow flush takes. */
const clusterPart = 0.04;
const clusterMs = 30;
/** So many gaps make a cluster, and so large a part of all. */
const fewest = 3;
const leastPart = 0.08;
/** Multiples up to this tell something: further on any gap is near one. */
const mostTimes = 8;
/** The part of the gaps that are multiples of the interval, for each of the two degrees of confidence. */
const sureShare = 0.9;
const likelyShare = 0.6;
/** When the newest gaps are all so many times longer than the interval, the interval is that of an earlier time. */
const changedTimes = 3;
const changedGaps = 5;

interface Candidate {
  ms: number;
  /** Gaps of one interval, and the part of the telling gaps that are near a multiple. */
  single: number;
  share: number;
  telling: number;
  gaps: number;
}

/** Gaps between the commits of each source partition, in the order they came. */
function gapsOf(lists: readonly (readonly number[])[]): number[] {
  return lists.flatMap((times) =>
    times.slice(1).flatMap((at, i) => {
      const gap = at - (times[i] ?? at);
      return gap >= shortestMs ? [gap] : [];
    }),
  );
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
  const need = Math.max(fewest, Math.ceil(leastPart * sorted.length));
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
function isMultiple(gap: number, ms: number): boolean {
  const times = Math.max(1, Math.round(gap / ms - 0.05));
  const over = gap - times * ms;
  return over >= -(0.02 * ms + 5) && over <= 0.05 * ms + 20 + 3 * times;
}

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
function candidate(gaps: readonly number[]): Candidate | null {
  const sorted = [...gaps].sort((a, b) => a - b);
  const cluster = smallestCluster(sorted);
  if (cluster === null) return null;
  const base = judged(sorted, snapped(middle(cluster)));
  if (base.share >= sureShare) return base;
  const parts = [2, 3, 4, 5]
    .map((times) => judged(sorted, snapped(middle(cluster) / times)))
    .filter((p) => p.ms >= shortestIntervalMs);
  return parts.find((p) => p.share >= 0.95 && p.share - base.share > 0.2 && p.telling >= 6) ?? base;
}

/** The gaps after the interval became longer, where the newest of every list are; else all. */
function sinceChange(lists: readonly (readonly number[])[]): number[] {
  const all = gapsOf(lists);
  const ms = candidate(all)?.ms;
  if (ms === undefined) return all;
  const newest = lists.map((times) => gapsOf([times]).slice(-changedGaps));
  const telling = newest.filter((gaps) => gaps.length === changedGaps);
  const sorted = telling.flat().sort((a, b) => a - b);
  const shortest = sorted[0] ?? 0;
  const even = sorted.length > 0 && clusterFrom(sorted, 0).length >= 0.8 * sorted.length;
  if (!even || shortest < changedTimes * ms) return all;
  return lists.flatMap((times) => {
    const gaps = gapsOf([times]);
    return gaps.slice(gaps.findLastIndex((g) => g < shortest * 0.95) + 1);
  });
}

type Found = { candidate: Candidate; confidence: "sure" | "likely" | "unsure" };

function found(lists: readonly (readonly number[])[]): Found | null {
  const best = candidate(sinceChange(lists));
  if (best === null) return null;
  const { single, share, telling, gaps } = best;
  if (
    best.ms >= shortestIntervalMs &&
    share >= sureShare &&
    telling >= 5 &&
    single >= fewest &&
    single >= 0.2 * gaps
  )
    return { candidate: best, confidence: "sure" };
  if (best.ms < shortestIntervalMs) return { candidate: best, confidence: "unsure" };
  return { candidate: best, confidence: share >= likelyShare && telling >= fewest ? "likely" : "unsure" };
}

const commitsIn = (lists: readonly (readonly number[])[]) => lists.reduce((sum, l) => sum + l.length, 0);

function answer(of: FlushInterval["of"], commits: number, one: Found): FlushInterval {
  const { candidate: best, confidence } = one;
  if (confidence !== "unsure") return { ms: best.ms, commits, of, confidence, why: null };
  const why = `The ${commits} commits seen came at irregular times, not in multiples of one interval.`;
  return { ms: null, commits, of, confidence, why };
}

function none(own: number, cluster: number): FlushInterval {
  const counted = (commits: number) =>
    commits === 0 ? "No commit" : commits === 1 ? "One commit" : `${commits} commits`;
  const have = commits(own, cluster);
  const why = `${counted(have.commits)} of this ${have.of} ${have.commits > 1 ? "have" : "has"} been seen: too few at even distances to tell an interval.`;
  return { ms: null, commits: have.commits, of: have.of, confidence: null, why };
}

function commits(own: number, cluster: number): Pick<FlushInterval, "commits" | "of"> {
  return own >= cluster ? { commits: own, of: "connector" } : { commits: cluster, of: "cluster" };
}

/** Whether an interval is another one taken twice or more often, as where an idle connector writes with each heartbeat. */
function isTimes(ms: number, part: number): boolean {
  return ms > 1.5 * part && isMultiple(ms, part);
}

export interface FlushIntervalOptions {
  /** Offsets are written with each transaction: `offset.flush.interval.ms` is not used. */
  exactlyOnce?: boolean;
}

/**
 * Infers `offset.flush.interval.ms` of the workers, which Connect shows nowhere.
 *
 * @param own commit times of the connector in milliseconds, oldest first, a list for each source partition
 * @param cluster the same of other connectors of the cluster: it is a worker's setting, so they tell where its own are too few,
 *   or only as often as a slow source writes
 */
export function inferFlushInterval(
  own: readonly (readonly number[])[],
  cluster: readonly (readonly number[])[],
  { exactlyOnce = false }: FlushIntervalOptions = {},
): FlushInterval {
  if (exactlyOnce) {
    const why = "Offsets are written with each transaction, not at an interval.";
    return { ms: null, commits: commitsIn(own), of: "connector", confidence: "unsure", why };
  }
  const mine = found(own);
  const theirs = found(cluster);
  const theirsTells = theirs !== null && theirs.confidence !== "unsure";
  if (mine !== null && mine.confidence !== "unsure") {
    const coarse = theirs?.confidence === "sure" && isTimes(mine.candidate.ms, theirs.candidate.ms);
    if (!coarse) return answer("connector", commitsIn(own), mine);
    return answer("cluster", commitsIn(cluster), { ...theirs, confidence: "likely" });
  }
  // Gaps shorter than any interval of the cluster are not flushes of a worker: transactions, or stop after stop.
  if (theirsTells && (mine === null || mine.candidate.ms >= theirs.candidate.ms * 0.9))
    return answer("cluster", commitsIn(cluster), { ...theirs, confidence: "likely" });
  if (mine !== null) return answer("connector", commitsIn(own), mine);
  return none(commitsIn(own), commitsIn(cluster));
}
