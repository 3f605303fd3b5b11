import type { FoundReplay, NotMeasurable, PartitionDuplicates } from "@/lib/observed/duplicates";

/** What a stored result lists at most, over all partitions: a page shows it whole. */
const most = { replays: 5_000, falls: 500, runs: 2_000 };

/** From the surest to the least. */
const surest: readonly PartitionDuplicates["sure"][] = ["whole", "complete", "known-starts"];

/** What was found in stretches of one partition that follow each other, as one. */
export function joinFound(
  stretches: readonly [PartitionDuplicates, ...PartitionDuplicates[]],
): PartitionDuplicates {
  const [first] = stretches;
  const sum = (of: (one: PartitionDuplicates) => number) =>
    stretches.reduce((total, one) => total + of(one), 0);
  const spacings = stretches.flatMap(({ spacing }) => spacing ?? []);
  const aborted = stretches.map(({ uncommittedCopies }) => uncommittedCopies);
  return {
    topic: first.topic,
    partition: first.partition,
    topicId: first.topicId,
    from: first.from,
    to: stretches.at(-1)?.to ?? first.to,
    // A stretch can be looked at again by the next one: its last word counts.
    replays: [
      ...new Map(stretches.flatMap(({ replays }) => replays).map((r) => [r.firstOffset, r])).values(),
    ],
    falls: [...new Map(stretches.flatMap(({ falls }) => falls).map((f) => [f.offset, f])).values()],
    runs: [...new Map(stretches.flatMap(({ runs }) => runs).map((r) => [r.firstOffset, r])).values()],
    notMeasurable: joinReasons(stretches.flatMap(({ notMeasurable }) => notMeasurable)),
    sure: surest[Math.max(...stretches.map(({ sure }) => surest.indexOf(sure)))] ?? "known-starts",
    spacing: spacings.length === 0 ? null : Math.max(...spacings),
    uncommittedCopies: aborted.every((count) => count === null)
      ? null
      : aborted.reduce<number>((total, count) => total + (count ?? 0), 0),
    bytesRead: sum(({ bytesRead }) => bytesRead),
    reads: sum(({ reads }) => reads),
  };
}

/** Each reason once; its count is not known where one of them is not. */
function joinReasons(reasons: readonly NotMeasurable[]): NotMeasurable[] {
  const joined = new Map<string, NotMeasurable>();
  for (const one of reasons) {
    const key = JSON.stringify([one.slug, one.reason, one.remedy]);
    const known = joined.get(key);
    const count = !known
      ? one.count
      : known.count === null || one.count === null
        ? null
        : known.count + one.count;
    joined.set(key, { ...one, count });
  }
  return [...joined.values()];
}

const copiesIn = (replays: readonly FoundReplay[]) => replays.reduce((sum, { count }) => sum + count, 0);

/** Replays in all partitions, and the changes that came again in them. */
export function totals(partitions: readonly PartitionDuplicates[]) {
  const all = partitions.flatMap(({ replays }) => replays);
  return { replays: all.length, duplicates: copiesIn(all) };
}

/** Partitions as they are stored: the newest of what there is very much of, and a word on what is left out. */
export function bounded(partitions: readonly PartitionDuplicates[]): PartitionDuplicates[] {
  const left = { ...most };
  const newest = <T>(list: readonly T[], of: keyof typeof most): T[] => {
    const kept = list.slice(Math.max(0, list.length - left[of]));
    left[of] -= kept.length;
    return kept;
  };
  return partitions.map((one) => {
    const replays = newest(one.replays, "replays");
    const unlisted = one.replays.slice(0, one.replays.length - replays.length);
    const notMeasurable =
      unlisted.length === 0 ? one.notMeasurable : [...one.notMeasurable, notListed(unlisted)];
    return {
      ...one,
      replays,
      falls: newest(one.falls, "falls"),
      runs: newest(one.runs, "runs"),
      notMeasurable,
    };
  });
}

function notListed(replays: readonly FoundReplay[]): NotMeasurable {
  return {
    slug: "not-listed",
    reason: `${replays.length} older replays were found and are not listed: ${copiesIn(replays)} changes came again in them.`,
    count: copiesIn(replays),
    remedy: "Measure a shorter range to see them.",
  };
}
