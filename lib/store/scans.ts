import { randomBytes } from "node:crypto";
import { type ScanResult, scanResultSchema } from "@/lib/observed/duplicates";
import type { Database } from "./database";

/** Bytes of the key of a cluster's hashes. */
const secretBytes = 8;

/** What the scans of one cluster share. */
export interface ScanGroup {
  /** Key of the hashes. */
  secret: Uint8Array;
  /** The consumer group in which collectors share the partitions. */
  groupId: string;
}

/** How far one partition was scanned, with what its samples hold by then. */
export interface ScanPartition {
  topic: string;
  partition: number;
  topicId: string | null;
  /** Kafka offsets: the first that was scanned, and the next one. */
  from: number;
  next: number;
  /** Of the batches in the log. */
  bytes: number;
  samples: Uint8Array;
}

/** The secret and the group of a cluster: made by whoever asks first, the same ever after. @throws DatabaseUnavailable */
export function scanGroup(db: Database, cluster: string): Promise<ScanGroup> {
  return db.run(async (statements) => {
    const known = await statements.scanGroup.findUnique({ where: { cluster } });
    if (known) return known;
    const groupId = `tidemark-scan-${randomBytes(6).toString("hex")}`;
    const made = { cluster, secret: randomBytes(secretBytes), groupId };
    await statements.scanGroup.createMany({ data: [made], skipDuplicates: true });
    return statements.scanGroup.findUniqueOrThrow({ where: { cluster } });
  });
}

/** What was scanned of a topic, by partition; all of them unless one is named. @throws DatabaseUnavailable */
export function readScanPartitions(
  db: Database,
  { cluster, topic, partition }: { cluster: string; topic: string; partition?: number },
): Promise<ScanPartition[]> {
  return db.run(async (statements) => {
    const where = { cluster, topic, ...(partition === undefined ? {} : { partition }) };
    const rows = await statements.scanPartition.findMany({ where, orderBy: { partition: "asc" } });
    return rows.map(({ from, next, bytes, ...row }) => ({
      ...{ topic: row.topic, partition: row.partition, topicId: row.topicId, samples: row.samples },
      ...{ from: Number(from), next: Number(next), bytes: Number(bytes) },
    }));
  });
}

/**
 * Keeps a partition's samples together with the offset up to which they are. False, and nothing is changed, when the
 * partition is no longer where the scan went on from: another collector has it by now, and what it keeps counts.
 * @param before the `next` that the scan went on from; null: nothing was kept of this topic
 * @throws DatabaseUnavailable
 */
export function saveScanPartition(
  db: Database,
  cluster: string,
  before: Pick<ScanPartition, "next" | "topicId"> | null,
  { topic, partition, topicId, from, next, bytes, samples }: ScanPartition,
  now: Date,
): Promise<boolean> {
  const where = { cluster, topic, partition };
  const data = {
    ...{ topicId, from: BigInt(from), next: BigInt(next), bytes: BigInt(bytes), savedAt: now },
    samples: Uint8Array.from(samples),
  };
  return db.run(async (statements) => {
    const saved = before
      ? await statements.scanPartition.updateMany({
          where: { ...where, next: BigInt(before.next), topicId: before.topicId },
          data,
        })
      : await statements.scanPartition.createMany({ data: [{ ...where, ...data }], skipDuplicates: true });
    return saved.count === 1;
  });
}

/** Forgets a partition's scan, for one that begins anew; only as long as it is where `at` says. @throws DatabaseUnavailable */
export async function dropScanPartition(
  db: Database,
  cluster: string,
  at: Pick<ScanPartition, "topic" | "partition" | "topicId" | "next">,
): Promise<void> {
  const { topic, partition, topicId, next } = at;
  const where = { cluster, topic, partition, topicId, next: BigInt(next) };
  await db.run((statements) => statements.scanPartition.deleteMany({ where }));
}

/** Keeps the figures of a topic's scan. @throws DatabaseUnavailable */
export async function saveScanResult(
  db: Database,
  cluster: string,
  result: ScanResult,
  now: Date,
): Promise<void> {
  const value = JSON.stringify(result);
  await db.run(
    (statements) => statements.$executeRaw`
      INSERT INTO scan_topic (cluster, topic, at, result) VALUES (${cluster}, ${result.topic}, ${now}, ${value}::json)
      ON CONFLICT (cluster, topic) DO UPDATE SET at = excluded.at, result = excluded.result`,
  );
}

/** The figures of a cluster's scans by topic; those that another version wrote are left out. @throws DatabaseUnavailable */
export function readScanResults(db: Database, cluster: string): Promise<Map<string, ScanResult>> {
  return db.run(async (statements) => {
    const rows = await statements.scanTopic.findMany({ where: { cluster } });
    return new Map(
      rows.flatMap(({ topic, result }) => {
        const parsed = scanResultSchema.safeParse(result);
        return parsed.success ? [[topic, parsed.data] as const] : [];
      }),
    );
  });
}

/** Forgets what was scanned of topics that are no longer scanned. @throws DatabaseUnavailable */
export async function keepOnlyScans(db: Database, cluster: string, topics: readonly string[]): Promise<void> {
  const where = { cluster, topic: { notIn: [...topics] } };
  await db.transaction(async (statements) => {
    await statements.scanPartition.deleteMany({ where });
    await statements.scanTopic.deleteMany({ where });
  });
}
