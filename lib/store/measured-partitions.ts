import { z } from "zod";
import { type PartitionDuplicates, partitionDuplicatesSchema } from "@/lib/observed/duplicates";
import type { Database } from "./database";

/** How far one partition of a connector's topic was measured. */
export interface MeasuredPartitionRow {
  connector: string;
  topic: string;
  topicId: string | null;
  partition: number;
  /** Kafka offsets: the first that was measured, and the first that was not. */
  from: number;
  to: number;
  /** Timestamps of the records there; null: not known. */
  fromAt: Date | null;
  toAt: Date | null;
  /** What a look that goes on from `to` needs of what lies before it, as JSON: who reads it checks it. */
  carried: unknown;
  /** What was found. Its replays are stored by themselves. */
  found: Omit<PartitionDuplicates, "replays">;
}

/** Rows that one statement writes or reads. */
const rowsAtOnce = 2_000;

/** Rows that one read returns at most: a thousand connectors with two hundred partitions each. */
const mostRows = 200_000;

const foundSchema = partitionDuplicatesSchema.omit({ replays: true });

/**
 * Writes how far partitions were measured; one that is known becomes what it is now. Those of connectors that are not stored
 * are left out, and each goes with its connector.
 * @throws DatabaseUnavailable
 */
export async function saveMeasuredPartitions(
  db: Database,
  cluster: string,
  rows: readonly MeasuredPartitionRow[],
): Promise<void> {
  const known = new Map(rows.map((r) => [JSON.stringify([r.connector, r.topic, r.partition]), r] as const));
  const columns = [...known.values()].map((r) => ({
    connector: r.connector,
    topic: r.topic,
    partition: r.partition,
    topic_id: r.topicId,
    from_offset: r.from,
    to_offset: r.to,
    from_at: r.fromAt,
    to_at: r.toAt,
    carried: r.carried === null || r.carried === undefined ? null : JSON.stringify(r.carried),
    found: JSON.stringify({ ...r.found, replays: undefined }),
  }));
  for (let from = 0; from < columns.length; from += rowsAtOnce) {
    const some = JSON.stringify(columns.slice(from, from + rowsAtOnce));
    await db.run(
      (statements) => statements.$executeRaw`
        INSERT INTO measured_partition
          (cluster, connector, topic, partition, topic_id, from_offset, to_offset, from_at, to_at, carried, found)
        SELECT c.cluster, c.name, t.topic, t.partition, t.topic_id, t.from_offset, t.to_offset, t.from_at, t.to_at,
               t.carried::json, t.found::json
        FROM json_to_recordset(${some}::json)
          AS t(connector text, topic text, partition int, topic_id text, from_offset bigint, to_offset bigint,
               from_at timestamptz, to_at timestamptz, carried text, found text)
        JOIN connector AS c ON c.cluster = ${cluster} AND c.name = t.connector
        ORDER BY t.connector, t.topic, t.partition
        ON CONFLICT (cluster, connector, topic, partition) DO UPDATE SET
          topic_id = excluded.topic_id, from_offset = excluded.from_offset, to_offset = excluded.to_offset,
          from_at = excluded.from_at, to_at = excluded.to_at, carried = excluded.carried, found = excluded.found`,
    );
  }
}

/**
 * What is measured of a cluster, or of one of its connectors, by connector, topic and partition. A row that another version
 * stored is left out: its partition is then measured again. At most 200,000 rows.
 * @throws DatabaseUnavailable
 */
export async function readMeasuredPartitions(
  db: Database,
  cluster: string,
  connector?: string,
): Promise<MeasuredPartitionRow[]> {
  const all: MeasuredPartitionRow[] = [];
  let after = { connector: "", topic: "", partition: -1 };
  for (let read = 0; read < mostRows; read += rowsAtOnce) {
    const { connector: c, topic: t, partition: p } = after;
    const rows = await db.run(async (statements) =>
      storedRows.parse(
        await statements.$queryRaw`
          SELECT connector, topic, topic_id, partition, from_offset, to_offset, from_at, to_at, carried::text AS carried,
                 found::text AS found
          FROM measured_partition
          WHERE cluster = ${cluster} AND (${connector ?? null}::text IS NULL OR connector = ${connector ?? null})
            AND (connector, topic, partition) > (${c}, ${t}, ${p})
          ORDER BY connector, topic, partition LIMIT ${rowsAtOnce}`,
      ),
    );
    all.push(...rows.flatMap((row) => rowIn(row) ?? []));
    const last = rows.at(-1);
    if (!last || rows.length < rowsAtOnce) break;
    after = last;
  }
  return all;
}

const storedRows = z.array(
  z.object({
    connector: z.string(),
    topic: z.string(),
    topic_id: z.string().nullable(),
    partition: z.number(),
    from_offset: z.coerce.number(),
    to_offset: z.coerce.number(),
    from_at: z.date().nullable(),
    to_at: z.date().nullable(),
    carried: z.string().nullable(),
    found: z.string(),
  }),
);

function rowIn(row: z.infer<typeof storedRows>[number]): MeasuredPartitionRow | null {
  const found = foundSchema.safeParse(JSON.parse(row.found));
  if (!found.success) return null;
  return {
    connector: row.connector,
    topic: row.topic,
    topicId: row.topic_id,
    partition: row.partition,
    from: row.from_offset,
    to: row.to_offset,
    fromAt: row.from_at,
    toAt: row.to_at,
    carried: row.carried === null ? null : JSON.parse(row.carried),
    found: found.data,
  };
}
