import type { FlushInterval } from "@/lib/observed/replay-window";
import { sinceChange } from "./flush-change";
import {
  type Candidate,
  candidateOf,
  fewestGaps,
  type Gap,
  gapsOf,
  isMultiple,
  isSingle,
  shortestIntervalMs,
  sureShare,
} from "./flush-gaps";

/**
 * How often a worker flushes offsets, from the times of commits. Connect's SourceTaskOffsetCommitter waits
 * `offset.flush.interval.ms` after each commit has ended, and a commit with nothing new writes nothing: the gaps of one source
 * partition are multiples of the interval, each a little longer. Clean stops, restarts and rebalances make shorter ones.
 */

const likelyShare = 0.6;
/** What is newer than this, before the newest commit of all, says more of the interval than what is older. Milliseconds. */
const recentMs = 900_000;

type Lists = readonly (readonly number[])[];

interface Found {
  candidate: Candidate;
  confidence: "sure" | "likely" | "unsure";
  /** Since when the interval is what it is, milliseconds since 1970: a change was seen then. Null: none was. */
  since: number | null;
  /** When a gap of one interval ended last; null: none was seen. */
  seenAt: number | null;
  /** Commits that it is from. */
  commits: number;
}

const commitsIn = (lists: Lists) => lists.reduce((sum, l) => sum + l.length, 0);
const newestOf = (lists: Lists) =>
  lists.reduce((newest, times) => Math.max(newest, times.at(-1) ?? newest), Number.NEGATIVE_INFINITY);
const after = (lists: Lists, since: number) => lists.map((times) => times.filter((at) => at >= since));

function confidenceOf({ ms, single, share, telling, gaps }: Candidate): Found["confidence"] {
  if (ms < shortestIntervalMs) return "unsure";
  const often = single >= fewestGaps && single >= 0.2 * gaps;
  if (share >= sureShare && telling >= 5 && often) return "sure";
  return share >= likelyShare && telling >= fewestGaps ? "likely" : "unsure";
}

const lastOf = (gaps: readonly Gap[], ms: number) =>
  gaps.reduce<number | null>(
    (last, g) => (isSingle(g.ms, ms) && (last === null || g.to > last) ? g.to : last),
    null,
  );

function found(lists: Lists): Found | null {
  const all = lists.map(gapsOf);
  const { gaps, since } = sinceChange(all);
  const changed = since === null ? null : foundIn(gaps, since, commitsIn(after(lists, since)));
  // What comes at irregular times may look even for a moment: that is no change.
  return tells(changed) ? changed : foundIn(all.flat(), null, commitsIn(lists));
}

function foundIn(gaps: readonly Gap[], since: number | null, commits: number): Found | null {
  const candidate = candidateOf(gaps);
  if (candidate === null) return null;
  const seenAt = lastOf(gaps, candidate.ms);
  return { candidate, confidence: confidenceOf(candidate), since, seenAt, commits };
}

type Telling = Found & { confidence: "sure" | "likely" };
const tells = (one: Found | null): one is Telling => one !== null && one.confidence !== "unsure";

/** What the commits of a whole cluster tell: made once, and used for each of its connectors. */
export interface ClusterFlushes {
  commits: number;
  found: Found | null;
}

/**
 * What the commits of a cluster's connectors tell of the interval. Where the newest quarter of an hour tells another than the
 * time before, the newest counts.
 *
 * @param lists commit times in milliseconds, oldest first, a list for each source partition of any connector
 */
export function clusterFlushes(lists: Lists): ClusterFlushes {
  const all = found(lists);
  const from = newestOf(lists) - recentMs;
  const recent = found(after(lists, from));
  const same = all?.candidate.ms === recent?.candidate.ms;
  // Strays of an earlier interval make all of them unsure, and not the newest.
  if (!tells(recent) || (same && (all?.confidence === "sure" || recent.confidence !== "sure")))
    return { commits: commitsIn(lists), found: all };
  return { commits: commitsIn(lists), found: { ...recent, since: recent.since ?? from } };
}

function answer(of: FlushInterval["of"], one: Found): FlushInterval {
  const { candidate: best, confidence, commits } = one;
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

/** What the connector's own commits tell, without what was before a change that others show: one worker, one interval. */
function foundOwn(own: Lists, theirs: Found | null): Found | null {
  const all = found(own);
  if (!tells(theirs) || theirs.since === null) return all;
  if (all !== null && all.candidate.ms === theirs.candidate.ms) return all;
  return found(after(own, theirs.since));
}

/** Whether `mine` is what a slow source writes, and no flush interval: others flush more often, and did so last. */
function isCoarse(mine: Found, theirs: Found): boolean {
  if (!isTimes(mine.candidate.ms, theirs.candidate.ms)) return false;
  if (theirs.confidence !== "sure" && theirs.since === null) return false;
  return mine.since === null || (theirs.seenAt ?? mine.since) > mine.since + mine.candidate.ms;
}

export interface FlushIntervalOptions {
  /** Offsets are written with each transaction: `offset.flush.interval.ms` is not used. */
  exactlyOnce?: boolean;
}

/**
 * Infers `offset.flush.interval.ms` of the workers, which Connect shows nowhere. After a change the newest commits count.
 *
 * @param own commit times of the connector in milliseconds, oldest first, a list for each source partition
 * @param cluster the same of connectors of the cluster, or what {@link clusterFlushes} made of them: it is a worker's setting, so
 *   they tell where its own are too few or too old, or only as often as a slow source writes
 */
export function inferFlushInterval(
  own: Lists,
  cluster: Lists | ClusterFlushes,
  { exactlyOnce = false }: FlushIntervalOptions = {},
): FlushInterval {
  if (exactlyOnce) {
    const why = "Offsets are written with each transaction, not at an interval.";
    return { ms: null, commits: commitsIn(own), of: "connector", confidence: "unsure", why };
  }
  const others = "found" in cluster ? cluster : clusterFlushes(cluster);
  const theirs = others.found;
  const mine = foundOwn(own, theirs);
  if (tells(mine)) {
    if (!tells(theirs) || !isCoarse(mine, theirs)) return answer("connector", mine);
    return answer("cluster", { ...theirs, confidence: "likely" });
  }
  // Gaps shorter than any interval of the cluster are not flushes of a worker: transactions, or stop after stop.
  if (tells(theirs) && (mine === null || mine.candidate.ms >= theirs.candidate.ms * 0.9))
    return answer("cluster", { ...theirs, confidence: "likely" });
  if (mine !== null) return answer("connector", mine);
  return none(commitsIn(own), others.commits);
}
