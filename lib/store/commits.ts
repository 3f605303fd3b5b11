import { z } from "zod";
import { type CommitHistory, type OffsetCommit, recentCommits } from "@/lib/observed/commits";
import type { Database, Statements } from "./database";

/** A commit with whose it is. */
export interface CommitOf extends OffsetCommit {
  connector: string;
  /** The source partition as canonical JSON text. */
  partition: string;
}

/** How long commits are kept, in milliseconds. The newest of a source partition is kept as long as its connector. */
export const commitsKeptMs = 48 * 3_600_000;

/** Bytes that a connector's name and a source partition may have together to be stored: they stand in an index. */
const longestOwner = 2_000;

/** Rows that one statement writes or deletes. */
const rowsAtOnce = 5_000;

/** Commits of one connector that a read of the newest returns at most, shared by its source partitions. */
const mostRecent = 2_000;

/** Commits that a read of a time range returns at most. */
const mostInRange = 20_000;

/**
 * Writes commits, each once by where its record lies, however often it is read. Another record at the same place means
 * that the topic was made again: the newer one stays. One whose names are too long for an index is left out.
 * @throws DatabaseUnavailable
 */
export async function saveCommits(
  db: Database,
  cluster: string,
  commits: readonly CommitOf[],
): Promise<void> {
  const byPlace = new Map(commits.filter(fitsIndex).map((c) => [placeOf(c), c] as const));
  const rows = [...byPlace.values()].map((c) => ({
    topic: c.topic,
    kafka_partition: c.kafkaPartition,
    kafka_offset: c.kafkaOffset,
    connector: c.connector,
    source: c.partition,
    at: c.at,
    stored: c.offset,
  }));
  for (let from = 0; from < rows.length; from += rowsAtOnce) {
    const some = JSON.stringify(rows.slice(from, from + rowsAtOnce));
    await db.run(
      (statements) => statements.$executeRaw`
        INSERT INTO offset_commit AS c (cluster, topic, kafka_partition, kafka_offset, connector, partition, at, "offset")
        SELECT ${cluster}, t.topic, t.kafka_partition, t.kafka_offset, t.connector, t.source, t.at, t.stored::json
        FROM json_to_recordset(${some}::json)
          AS t(topic text, kafka_partition int, kafka_offset bigint, connector text, source text, at timestamptz, stored text)
        ON CONFLICT (cluster, topic, kafka_partition, kafka_offset) DO UPDATE
        SET connector = excluded.connector, partition = excluded.partition, at = excluded.at, "offset" = excluded."offset"
        WHERE (c.connector, c.partition, c.at, c."offset"::text)
          IS DISTINCT FROM (excluded.connector, excluded.partition, excluded.at, excluded."offset"::text)`,
    );
  }
}

const placeOf = (c: OffsetCommit) => `${c.topic}/${c.kafkaPartition}/${c.kafkaOffset}`;
const fitsIndex = (c: CommitOf) =>
  Buffer.byteLength(c.connector) + Buffer.byteLength(c.partition) <= longestOwner;

const commitRow = z.object({
  topic: z.string(),
  kafka_partition: z.number(),
  kafka_offset: z.coerce.number(),
  connector: z.string(),
  partition: z.string(),
  at: z.date(),
  stored: z.string().nullable(),
});

function commitsIn(rows: unknown): CommitOf[] {
  return z
    .array(commitRow)
    .parse(rows)
    .map((row) => ({
      connector: row.connector,
      partition: row.partition,
      at: row.at.toISOString(),
      offset: row.stored,
      topic: row.topic,
      kafkaPartition: row.kafka_partition,
      kafkaOffset: row.kafka_offset,
    }));
}

/**
 * A history that holds the newest commit of each source partition, with those before it that are stored in the same
 * topic: at most {@link recentCommits} each, and fewer where there are very many source partitions.
 */
export async function withRecentCommits(
  statements: Statements,
  { cluster, connector }: { cluster: string; connector: string },
  history: CommitHistory,
): Promise<CommitHistory> {
  const wanted = history.partitions.flatMap(({ partition, commits }) => {
    const newest = commits.at(-1);
    return newest ? [{ source: partition, topic: newest.topic }] : [];
  });
  if (wanted.length === 0) return history;
  const each = Math.max(1, Math.min(recentCommits, Math.floor(mostRecent / wanted.length)));
  const rows = commitsIn(
    await statements.$queryRaw`
      SELECT c.topic, c.kafka_partition, c.kafka_offset, c.connector, c.partition, c.at, c."offset"::text AS stored
      FROM json_to_recordset(${JSON.stringify(wanted)}::json) AS w(source text, topic text)
      CROSS JOIN LATERAL (
        SELECT * FROM offset_commit AS o
        WHERE o.cluster = ${cluster} AND o.connector = ${connector} AND o.partition = w.source AND o.topic = w.topic
        ORDER BY o.at DESC, o.kafka_offset DESC LIMIT ${each}
      ) AS c`,
  );
  const stored = new Map<string, OffsetCommit[]>();
  for (const { connector: _, partition, ...commit } of rows) {
    const commits = stored.get(partition) ?? [];
    stored.set(partition, commits);
    commits.push(commit);
  }
  return {
    ...history,
    partitions: history.partitions.map(({ partition, commits }) => {
      const known = stored.get(partition) ?? [];
      const places = new Set(known.map(placeOf));
      const all = [...known, ...commits.filter((commit) => !places.has(placeOf(commit)))];
      // One key lies in one partition of a topic: its offsets tell the order, which clocks of several workers may not.
      all.sort((a, b) => a.kafkaOffset - b.kafkaOffset);
      return { partition, commits: all.slice(-recentCommits) };
    }),
  };
}

/**
 * Commits of one connector from `from` (included) to `to` (not), oldest first; at most 20,000, the oldest of them.
 * @throws DatabaseUnavailable
 */
export function readCommitsBetween(
  db: Database,
  { cluster, connector }: { cluster: string; connector: string },
  { from, to }: { from: Date; to: Date },
): Promise<CommitOf[]> {
  return db.run(async (statements) =>
    commitsIn(
      await statements.$queryRaw`
        SELECT topic, kafka_partition, kafka_offset, connector, partition, at, "offset"::text AS stored
        FROM offset_commit
        WHERE cluster = ${cluster} AND connector = ${connector} AND at >= ${from} AND at < ${to}
        ORDER BY at, kafka_offset LIMIT ${mostInRange}`,
    ),
  );
}

/** One partition of an offset topic, and an offset in it. */
interface TopicPlace {
  topic: string;
  kafkaPartition: number;
  kafkaOffset: number;
}

/** For each partition that has stored commits, the place and time of the newest one. @throws DatabaseUnavailable */
export function readStoredEnds(
  db: Database,
  cluster: string,
  partitions: readonly Omit<TopicPlace, "kafkaOffset">[],
): Promise<(TopicPlace & Pick<OffsetCommit, "at">)[]> {
  const asked = partitions.map((p) => ({ topic: p.topic, kafka_partition: p.kafkaPartition }));
  return db.run(async (statements) => {
    const rows = await statements.$queryRaw`
      SELECT p.topic, p.kafka_partition, newest.kafka_offset, newest.at
      FROM json_to_recordset(${JSON.stringify(asked)}::json) AS p(topic text, kafka_partition int)
      CROSS JOIN LATERAL (
        SELECT kafka_offset, at FROM offset_commit AS o
        WHERE o.cluster = ${cluster} AND o.topic = p.topic AND o.kafka_partition = p.kafka_partition
        ORDER BY kafka_offset DESC LIMIT 1
      ) AS newest`;
    return z
      .array(commitRow.pick({ topic: true, kafka_partition: true, kafka_offset: true, at: true }))
      .parse(rows)
      .map((r) => ({
        topic: r.topic,
        kafkaPartition: r.kafka_partition,
        kafkaOffset: r.kafka_offset,
        at: r.at.toISOString(),
      }));
  });
}

/**
 * Forgets what is stored of a topic, or of one partition of it from an offset on, in small batches: the topic was made
 * again, or cut, and other records lie there now.
 * @throws DatabaseUnavailable
 */
export async function dropCommitsOf(
  db: Database,
  cluster: string,
  topic: string,
  kafkaPartition: number | null = null,
  from = 0,
): Promise<void> {
  for (;;) {
    const gone = await db.run(
      (statements) => statements.$executeRaw`
        DELETE FROM offset_commit WHERE ctid = ANY(ARRAY(
          SELECT ctid FROM offset_commit
          WHERE cluster = ${cluster} AND topic = ${topic}
            AND (${kafkaPartition}::int IS NULL OR kafka_partition = ${kafkaPartition}) AND kafka_offset >= ${BigInt(from)}
          LIMIT ${rowsAtOnce}))`,
    );
    if (gone < rowsAtOnce) return;
  }
}

/**
 * Deletes one small batch of commits older than `before`, of any cluster. Stays: the newest of a source partition of a
 * connector that is still known, unless it is a deletion. Returns whether there may be more.
 * @throws DatabaseUnavailable
 */
export async function deleteOldCommits(db: Database, before: Date): Promise<boolean> {
  const gone = await db.run(
    (statements) => statements.$executeRaw`
      DELETE FROM offset_commit WHERE ctid = ANY(ARRAY(
        SELECT c.ctid FROM offset_commit AS c
        WHERE c.at < ${before} AND (
          c."offset" IS NULL
          OR NOT EXISTS (SELECT 1 FROM connector AS k WHERE k.cluster = c.cluster AND k.name = c.connector)
          OR EXISTS (
            SELECT 1 FROM offset_commit AS n
            WHERE n.cluster = c.cluster AND n.connector = c.connector AND n.partition = c.partition AND n.at >= c.at
              AND (n.at, n.topic, n.kafka_partition, n.kafka_offset) > (c.at, c.topic, c.kafka_partition, c.kafka_offset)))
        LIMIT ${rowsAtOnce}))`,
  );
  return gone === rowsAtOnce;
}
