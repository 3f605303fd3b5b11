import { type CommitOf, dropCommitsOf, readStoredEnds, saveCommits } from "@/lib/store/commits";
import type { Database } from "@/lib/store/database";

/** Where commits go that are read from the offset topics of one cluster, beside memory. All throw DatabaseUnavailable. */
export interface CommitStore {
  /** The newest commit that is stored, of each of these partitions that has one. */
  readEnds(
    places: readonly { topic: string; kafkaPartition: number }[],
  ): Promise<{ topic: string; kafkaPartition: number; kafkaOffset: number; at: string }[]>;
  save(commits: readonly CommitOf[]): Promise<void>;
  /** Of the whole topic, of one partition of it, or of that from an offset on. */
  drop(topic: string, kafkaPartition?: number, from?: number): Promise<void>;
}

export function storedIn(db: Database, cluster: string): CommitStore {
  return {
    readEnds: (places) => readStoredEnds(db, cluster, places),
    save: (commits) => saveCommits(db, cluster, commits),
    drop: (topic, kafkaPartition, from) => dropCommitsOf(db, cluster, topic, kafkaPartition, from),
  };
}

/** For a single look: what is read stays in memory. */
export const storedNowhere: CommitStore = {
  readEnds: async () => [],
  save: async () => {},
  drop: async () => {},
};
