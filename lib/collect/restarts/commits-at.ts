import type { CommitHistory, OffsetCommit } from "@/lib/observed/commits";
import type { StoredOffsets } from "@/lib/observed/connector";
import { type CommitOf, commitsKeptMs, readCommitsBetween } from "@/lib/store/commits";
import type { Database } from "@/lib/store/database";

/** What was stored at a moment: as a start at that moment would have read it. */
export interface CommitsAt {
  offsets: StoredOffsets;
  history: CommitHistory;
}

/** How far back the store is asked, where the commits at hand do not reach: at last as long as it keeps them all. */
const storeMs = [600_000, 3 * 3_600_000, commitsKeptMs];

/**
 * The commits that were made before a moment, by the order in the offset topic and their time; null when not all source
 * partitions are known back to then.
 * @param at milliseconds since 1970, by the worker's clock
 * @throws DatabaseUnavailable
 */
export async function commitsAt(
  db: Database,
  of: { cluster: string; connector: string },
  history: CommitHistory,
  at: number,
): Promise<CommitsAt | null> {
  const own = upTo(history, at);
  if (own !== null) return own;
  for (const ms of storeMs) {
    const stored = await readCommitsBetween(db, of, { from: new Date(at - ms), to: new Date(at) });
    const found = upTo(withStored(history, stored), at);
    if (found !== null) return found;
  }
  return null;
}

/** Null where a source partition has commits, and all that are known of it came later. */
function upTo(history: CommitHistory, at: number): CommitsAt | null {
  const partitions = history.partitions.map(({ partition, commits }) => ({
    partition,
    commits: commits.filter((commit) => Date.parse(commit.at) < at),
  }));
  const unknown = partitions.some(({ commits }, i) => {
    const known = history.partitions[i]?.commits ?? [];
    // A first commit ever has nothing before it, but that is not seen from here.
    return commits.length === 0 && known.length > 0;
  });
  if (unknown) return null;
  const offsets = partitions.flatMap(({ partition, commits }) => {
    const newest = commits.at(-1);
    return newest?.offset == null ? [] : [{ partition, offset: newest.offset, committedAt: newest.at }];
  });
  return { offsets: { offsets, from: "topic" }, history: { ...history, partitions } };
}

function withStored(history: CommitHistory, stored: readonly CommitOf[]): CommitHistory {
  return {
    ...history,
    partitions: history.partitions.map(({ partition, commits }) => {
      const older = stored
        .filter((commit) => commit.partition === partition && history.topics.includes(commit.topic))
        .map(({ connector: _connector, partition: _partition, ...commit }): OffsetCommit => commit);
      const known = new Set(older.map(placeOf));
      const all = [...older, ...commits.filter((commit) => !known.has(placeOf(commit)))];
      return { partition, commits: all.sort((a, b) => a.kafkaOffset - b.kafkaOffset) };
    }),
  };
}

const placeOf = (c: OffsetCommit) => `${c.topic}/${c.kafkaPartition}/${c.kafkaOffset}`;
