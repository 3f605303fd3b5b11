import {
  type Candidate,
  candidateOf,
  fewestGaps,
  type Gap,
  isMultiple,
  isSingle,
  sureShare,
} from "./flush-gaps";

/** So many of the newest gaps are looked at for a shorter interval: among many older ones a few new ones would be lost. */
const newest = [6, 12, 24, 48];
/** A shorter or longer interval is another one from this on. */
const shorter = 0.7;
const longer = 1.5;
/** By chance, the connectors would have been so idle all at once: less likely than this is a change. */
const chance = 1e-4;

/** Gaps of each source partition, in the order they came. */
export type GapLists = readonly (readonly Gap[])[];

const startingFrom = (lists: GapLists, since: number) =>
  lists.map((gaps) => gaps.filter((g) => g.from >= since));

/** Since when a shorter interval shows in the newest gaps; null: it does not. A longer one cannot make gaps that short and even. */
function sinceShorter(lists: GapLists, older: Candidate): number | null {
  const sorted = lists.flat().sort((a, b) => a.to - b.to);
  let since: number | null = null;
  let ms: number | null = null;
  // Of some new gaps among many old ones the new interval may be known already, and not surely.
  const sure = older.share >= sureShare && older.single >= 0.2 * older.gaps;
  const most = older.ms * (sure ? shorter : 1.05);
  for (const count of newest) {
    const some = sorted.slice(-count);
    const found = candidateOf(some);
    if (found === null || found.ms > most) continue;
    if (found.single < fewestGaps || found.share < sureShare) continue;
    if (ms !== null && !isSingle(found.ms, ms)) break;
    ms = found.ms;
    since = Math.min(...some.filter((g) => isSingle(g.ms, found.ms)).map((g) => g.from));
  }
  return since;
}

/** After the last gap of one older interval: of each list the gaps before and after, without the one that spans the change. */
function partedAt(lists: GapLists, at: number) {
  return lists.map((gaps) => ({
    before: gaps.filter((g) => g.to <= at),
    after: gaps.filter((g) => g.from > at),
  }));
}

/**
 * Since when the gaps are of a longer interval; null: they may still be of the older one. Idle connectors have long gaps too, so
 * those count that had shorter ones before: as often as their own past makes it unlikely that they fell idle all at once.
 */
function sinceLonger(lists: GapLists, older: Candidate): number | null {
  const singles = lists.flat().filter((g) => isSingle(g.ms, older.ms));
  if (singles.length === 0) return null;
  const at = singles.reduce((latest, g) => Math.max(latest, g.to), Number.NEGATIVE_INFINITY);
  const parts = partedAt(lists, at);
  const ms = candidateOf(parts.flatMap((p) => p.after))?.ms;
  if (ms === undefined || ms < longer * older.ms) return null;
  let likelihood = 1;
  let near = 0;
  let all = 0;
  for (const { before, after } of parts) {
    // The first may span a restart at the change.
    const [first] = after;
    const counted = first && before.length > 0 && !isMultiple(first.ms, ms) ? after.slice(1) : after;
    const fit = counted.filter((g) => isMultiple(g.ms, ms));
    near += fit.length;
    all += counted.length;
    const asLong = before.filter((g) => g.ms >= 0.95 * ms).length;
    if (before.length > 0) likelihood *= ((asLong + 1) / (before.length + 2)) ** fit.length;
  }
  return near >= fewestGaps && near >= sureShare * all && likelihood < chance ? at : null;
}

/** Where a change of the interval shows, the gaps after it, and since when; else all, and null. The newest evidence wins. */
export function sinceChange(lists: GapLists): { gaps: Gap[]; since: number | null } {
  let kept = lists;
  let since: number | null = null;
  for (const look of [sinceShorter, sinceLonger]) {
    const all = candidateOf(kept.flat());
    const at = all && look(kept, all);
    if (at === null) continue;
    since = at;
    kept = startingFrom(kept, at);
  }
  return { gaps: kept.flat(), since };
}
