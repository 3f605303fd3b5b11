import { z } from "zod";
import { type ConnectorDuplicates, type Replay, replaySchema } from "@/lib/observed/duplicates";
import type { Database, Statements } from "./database";
import type { Replay as Row } from "./generated/client";

/** How long replays are kept, in milliseconds, by when they happened. */
export const replaysKeptMs = 90 * 24 * 3_600_000;

/** Replays that a read returns unless told. */
const newestReplays = 200;

/** Replays that one read returns at most. */
const mostReplays = 10_000;

/** Rows that one statement writes or deletes. */
const rowsAtOnce = 2_000;

/** Of whom: of a connector, of a topic whoever writes it, or of a whole cluster. */
export interface ReplaysOf {
  cluster: string;
  connector?: string;
  topic?: string;
}

/** By a replay's `at`: from `from` (included) to `to` (not). */
interface Range {
  from: Date;
  to: Date;
}

/** Writes replays; one that is known by its cluster and id becomes what it is now. @throws DatabaseUnavailable */
export async function saveReplays(db: Database, replays: readonly Replay[]): Promise<void> {
  // One statement cannot write a row twice: the last one given is what is known now.
  const known = new Map(replays.map((replay) => [JSON.stringify([replay.cluster, replay.id]), replay]));
  const rows = [...known.values()].map((replay) => ({
    cluster: replay.cluster,
    id: replay.id,
    connector: replay.connector,
    topic: replay.topic,
    topic_id: replay.topicId,
    partition: replay.partition,
    first_offset: replay.firstOffset,
    last_offset: replay.lastOffset,
    count: replay.count,
    at: replay.at,
    until: replay.until,
    value: JSON.stringify(replay),
  }));
  for (let from = 0; from < rows.length; from += rowsAtOnce) {
    const some = JSON.stringify(rows.slice(from, from + rowsAtOnce));
    await db.run(
      (statements) => statements.$executeRaw`
        INSERT INTO replay
          (cluster, id, connector, topic, topic_id, partition, first_offset, last_offset, count, at, until, value)
        SELECT t.cluster, t.id, t.connector, t.topic, t.topic_id, t.partition, t.first_offset, t.last_offset, t.count, t.at,
               t.until, t.value::json
        FROM json_to_recordset(${some}::json)
          AS t(cluster text, id text, connector text, topic text, topic_id text, partition int, first_offset bigint,
               last_offset bigint, count bigint, at timestamptz, until timestamptz, value text)
        ORDER BY t.cluster, t.id
        ON CONFLICT (cluster, id) DO UPDATE SET
          connector = excluded.connector, topic_id = excluded.topic_id, last_offset = excluded.last_offset,
          count = excluded.count, at = excluded.at, until = excluded.until, value = excluded.value`,
    );
  }
}

/**
 * Replays that began in a range, newest first.
 * @param limit 200 unless told, at most 10,000
 * @throws DatabaseUnavailable
 */
export function readReplays(
  db: Database,
  { cluster, connector, topic }: ReplaysOf,
  { from, to }: Range,
  limit = newestReplays,
): Promise<Replay[]> {
  return db.run(async (statements) => {
    const rows = await statements.replay.findMany({
      where: { cluster, connector, topic, at: { gte: from, lt: to } },
      orderBy: newestFirst,
      take: Math.max(0, Math.min(limit, mostReplays)),
    });
    return rows.map(replayIn);
  });
}

const newestFirst = [{ at: "desc" as const }, { id: "desc" as const }];

/** What is known of a connector's duplicates, with the newest 200 of its replays as they are stored by now. For lib/store alone. */
export async function withNewestReplays(
  statements: Statements,
  { cluster, connector }: { cluster: string; connector: string },
  duplicates: ConnectorDuplicates,
): Promise<ConnectorDuplicates> {
  const rows = await statements.replay.findMany({
    where: { cluster, connector },
    orderBy: newestFirst,
    take: newestReplays,
  });
  return { ...duplicates, replays: rows.map(replayIn) };
}

/** One replay by its id; null when it is not known, or no longer. @throws DatabaseUnavailable */
export function readReplay(db: Database, cluster: string, id: string): Promise<Replay | null> {
  return db.run(async (statements) => {
    const row = await statements.replay.findUnique({ where: { cluster_id: { cluster, id } } });
    return row && replayIn(row);
  });
}

/** How many replays began in a range and how many changes came again in them, however many there are. */
export interface ReplaySums {
  replays: number;
  duplicates: number;
}

const sumRows = z.array(
  z.object({ topic: z.string(), replays: z.coerce.number(), duplicates: z.coerce.number() }),
);

/** {@link ReplaySums} by topic; a topic without any is not in it. At most 10,000 topics. @throws DatabaseUnavailable */
export function sumReplays(
  db: Database,
  { cluster, connector, topic }: ReplaysOf,
  { from, to }: Range,
): Promise<Map<string, ReplaySums>> {
  return db.run(async (statements) => {
    const groups = await statements.replay.groupBy({
      by: ["topic"],
      where: { cluster, connector, topic, at: { gte: from, lt: to } },
      _count: { _all: true },
      _sum: { count: true },
      orderBy: { topic: "asc" },
      take: mostReplays,
    });
    const rows = sumRows.parse(
      groups.map((group) => ({
        topic: group.topic,
        replays: group._count._all,
        duplicates: group._sum.count ?? 0,
      })),
    );
    return new Map(rows.map(({ topic: name, ...sums }) => [name, sums]));
  });
}

/**
 * Forgets the replays of a topic that was deleted and made again, in small batches: other records lie at their offsets now.
 * @param keepTopicId those of this one stay; null: none does
 * @throws DatabaseUnavailable
 */
export async function dropReplays(
  db: Database,
  cluster: string,
  topic: string,
  keepTopicId: string | null,
): Promise<void> {
  for (;;) {
    const gone = await db.run(
      (statements) => statements.$executeRaw`
        DELETE FROM replay WHERE ctid = ANY(ARRAY(
          SELECT ctid FROM replay
          WHERE cluster = ${cluster} AND topic = ${topic}
            AND (${keepTopicId}::text IS NULL OR topic_id IS DISTINCT FROM ${keepTopicId})
          LIMIT ${rowsAtOnce}))`,
    );
    if (gone < rowsAtOnce) return;
  }
}

/** Deletes one small batch of replays older than `before`, of any cluster. Returns whether there may be more. @throws DatabaseUnavailable */
export async function deleteOldReplays(db: Database, before: Date): Promise<boolean> {
  const gone = await db.run(
    (statements) => statements.$executeRaw`
      DELETE FROM replay WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM replay WHERE at < ${before} LIMIT ${rowsAtOnce}))`,
  );
  return gone === rowsAtOnce;
}

/** The replay in a row. One that another version stored is said to have been there, with what of it can be read. */
function replayIn(row: Row): Replay {
  const whole = replaySchema.safeParse(row.value);
  if (whole.success) return whole.data;
  const stored = z.record(z.string(), z.unknown()).catch({}).parse(row.value);
  const known = <Key extends keyof Replay>(key: Key, otherwise: Replay[Key]): Replay[Key] => {
    const parsed = replaySchema.shape[key].safeParse(stored[key]);
    return parsed.success ? (parsed.data as Replay[Key]) : otherwise;
  };
  return {
    topic: row.topic,
    topicId: row.topicId,
    partition: row.partition,
    firstOffset: Number(row.firstOffset),
    lastOffset: Number(row.lastOffset),
    count: Number(row.count),
    bound: known("bound", "at-most"),
    firstPosition: known("firstPosition", null),
    lastPosition: known("lastPosition", null),
    firstCopyOf: known("firstCopyOf", null),
    lastCopyOf: known("lastCopyOf", null),
    runBefore: known("runBefore", null),
    runAfter: known("runAfter", null),
    writer: known("writer", null),
    at: row.at.toISOString(),
    until: row.until.toISOString(),
    evidence: known("evidence", "samples"),
    causeInLog: known("causeInLog", null),
    id: row.id,
    cluster: row.cluster,
    connector: row.connector,
    cause: known("cause", "unknown"),
    causeWhy: known(
      "causeWhy",
      "It was stored by another version of Tidemark, of which this one cannot read everything.",
    ),
    restart: known("restart", null),
    predicted: known("predicted", null),
  };
}
