import type { Replay } from "@/lib/observed/duplicates";
import type { Database, Statements } from "./database";
import { type MeasuredPartitionRow, saveMeasuredPartitions } from "./measured-partitions";
import { saveReplays } from "./replays";

/** What measuring partitions of one cluster brought. */
export interface Measured {
  rows: readonly MeasuredPartitionRow[];
  replays: readonly Replay[];
  /** Offsets that were measured anew: what is stored of replays that begin there is replaced by `replays`. `to` is not among them. */
  replaced: readonly { connector: string; topic: string; partition: number; from: number; to: number }[];
}

/**
 * Stores replays together with how far was measured: where the process ends between the two, neither is stored, and the same is
 * measured again.
 * @throws DatabaseUnavailable
 */
export function saveMeasured(db: Database, cluster: string, measured: Measured): Promise<void> {
  return db.transaction(async (statements) => {
    const within: Database = {
      run: (work) => work(statements as unknown as Statements),
      transaction: (work) => work(statements),
      close: async () => undefined,
    };
    if (measured.replaced.length > 0) {
      const ranges = JSON.stringify(measured.replaced);
      await statements.$executeRaw`
        DELETE FROM replay AS r
        USING json_to_recordset(${ranges}::json)
          AS t(connector text, topic text, partition int, "from" bigint, "to" bigint)
        WHERE r.cluster = ${cluster} AND r.connector = t.connector AND r.topic = t.topic AND r.partition = t.partition
          AND r.first_offset >= t."from" AND r.first_offset < t."to"`;
    }
    await saveReplays(within, measured.replays);
    await saveMeasuredPartitions(within, cluster, measured.rows);
  });
}
