import { z } from "zod";
import type { WindowPoint } from "@/lib/observed/window-series";
import type { Database, Statements } from "./database";
import { isLostPartition } from "./database-faults";
import { saveSparks } from "./window-sparks";

/** Whose series it is. */
export interface SeriesOf {
  cluster: string;
  connector: string;
}

/** Rows that one statement writes. */
const rowsAtOnce = 5_000;

/** Points that one read returns at most: two days of a poll each 5 s, and as much again. */
const mostPoints = 70_000;

/** How `by` is stored, by place; 0 stands for a point between two polls. */
const ways = ["between", "time", "position", "snapshot", "exactly-once"] as const;

/**
 * Writes points, for a whole fleet in two statements. Another one of the same connector and time replaces what is stored, but one
 * asked for afterwards ({@link WindowPoint.between}) never replaces a poll. Times may be any: what fits no partition is kept
 * all the same.
 * @throws DatabaseUnavailable
 */
export async function savePoints(
  db: Database,
  cluster: string,
  rows: readonly { connector: string; point: WindowPoint }[],
): Promise<void> {
  const points = new Map<string, { connector: string; point: WindowPoint }>();
  for (const row of rows) {
    const key = JSON.stringify([row.connector, row.point.at]);
    const other = points.get(key);
    if (!other || other.point.between || !row.point.between) points.set(key, row);
  }
  const columns = [...points.values()].map(({ connector, point }) => ({
    connector,
    at: point.at,
    produced: point.produced,
    events: point.events,
    low: point.low,
    high: point.high,
    committed_at: point.committedAt,
    by: point.between ? 0 : point.by && ways.indexOf(point.by),
  }));
  await inSeries(db, cluster, columns, (statements, some) => insertPoints(statements, cluster, some));
  await saveSparks(db, cluster, rows);
}

/** Writes rows of connectors that have a series. Returns the names of those that have none. */
async function insertPoints(statements: Statements, cluster: string, json: string): Promise<unknown> {
  return statements.$queryRaw`
    WITH t AS (
      SELECT * FROM json_to_recordset(${json}::json)
        AS t(connector text, at float8, produced bigint, events bigint, low bigint, high bigint, committed_at float8, by smallint)
    ), written AS (
      INSERT INTO window_point AS p (series, at, produced, events, low, high, committed_at, by)
      SELECT s.id, to_timestamp(t.at / 1000), t.produced, t.events, t.low, t.high, to_timestamp(t.committed_at / 1000), t.by
      FROM t JOIN window_series AS s ON s.cluster = ${cluster} AND s.connector = t.connector
      ORDER BY s.id, t.at
      ON CONFLICT (series, at) DO UPDATE
      SET produced = excluded.produced, events = excluded.events, low = excluded.low, high = excluded.high,
          committed_at = excluded.committed_at, by = excluded.by
      WHERE excluded.by IS DISTINCT FROM 0 OR p.by = 0
    )
    SELECT DISTINCT t.connector FROM t
    WHERE NOT EXISTS (SELECT 1 FROM window_series AS s WHERE s.cluster = ${cluster} AND s.connector = t.connector)`;
}

const namesSchema = z.array(z.object({ connector: z.string() }));

/**
 * Writes rows, a few thousand a statement; then gives those a series that had none, and writes theirs. For lib/store alone.
 * @param insert writes a JSON list of rows, and returns the connectors without a series
 */
export async function inSeries<Row extends { connector: string }>(
  db: Database,
  cluster: string,
  rows: readonly Row[],
  insert: (statements: Statements, json: string) => Promise<unknown>,
): Promise<void> {
  for (let from = 0; from < rows.length; from += rowsAtOnce) {
    const some = rows.slice(from, from + rowsAtOnce);
    const write = (given: readonly Row[]) =>
      again(() =>
        db.run(async (statements) => namesSchema.parse(await insert(statements, JSON.stringify(given)))),
      );
    const without = await write(some);
    if (without.length === 0) continue;
    await db.run(
      (statements) => statements.$executeRaw`
        INSERT INTO window_series (cluster, connector)
        SELECT ${cluster}, t.connector FROM json_to_recordset(${JSON.stringify(without)}::json) AS t(connector text)
        ORDER BY t.connector ON CONFLICT DO NOTHING`,
    );
    const names = new Set(without.map((row) => row.connector));
    await write(some.filter((row) => names.has(row.connector)));
  }
}

/** Runs a write once more for each time that its rows' partition was made under it. */
async function again<T>(write: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await write();
    } catch (error) {
      if (tries === 5 || !isLostPartition(error)) throw error;
    }
  }
}

const whole = z.number();
const pointRow = z
  .tuple([
    whole,
    whole.nullable(),
    whole.nullable(),
    whole.nullable(),
    whole.nullable(),
    whole.nullable(),
    z.number().nullable(),
  ])
  .transform(([at, produced, events, low, high, committedAt, by]): WindowPoint => {
    const way = by === null ? null : (ways[by] ?? null);
    const between = way === "between";
    return { at, between, produced, events, low, high, by: between ? null : way, committedAt };
  });

/**
 * Points of one connector from `from` (included) to `to` (not), oldest first; at most 70,000, the newest of them.
 * @throws DatabaseUnavailable
 */
export function readPoints(
  db: Database,
  { cluster, connector }: SeriesOf,
  { from, to }: { from: Date; to: Date },
): Promise<WindowPoint[]> {
  return db.run(async (statements) => {
    // One text: a value at a time through the driver takes ten times as long.
    const [found] = textRow.parse(
      await statements.$queryRaw`
        SELECT json_agg(json_build_array((date_part('epoch', at) * 1000)::bigint, produced, events, low, high,
                                         (date_part('epoch', committed_at) * 1000)::bigint, by) ORDER BY at)::text AS text
        FROM (
          SELECT p.* FROM window_point AS p
          WHERE p.series = (SELECT id FROM window_series WHERE cluster = ${cluster} AND connector = ${connector})
            AND p.at >= ${from} AND p.at < ${to}
          ORDER BY p.at DESC LIMIT ${mostPoints}
        ) AS newest`,
    );
    return z.array(pointRow).parse(JSON.parse(found?.text ?? "[]"));
  });
}

const textRow = z.array(z.object({ text: z.string().nullable() }));

/**
 * How far the clock may have gone back since a row was written, in milliseconds. One that lies further ahead is of a clock that
 * was wrong: nothing goes on from there.
 */
const clockSlackMs = 300_000;

/** The latest time that can have been written by a clock that is right. For lib/store alone. */
export const latestAt = (now: Date) => new Date(now.getTime() + clockSlackMs);

/**
 * The newest point of each connector of a cluster whose `produced` is known, as far back as points are kept: where a count
 * goes on after a restart of the collector. Points that lie ahead of `now` by more than five minutes do not count.
 * Times in milliseconds since 1970.
 * @throws DatabaseUnavailable
 */
export function readNewestProduced(
  db: Database,
  cluster: string,
  now: Date = new Date(),
): Promise<Map<string, { at: number; produced: number }>> {
  return db.run(async (statements) => {
    const rows = producedRows.parse(
      await statements.$queryRaw`
        SELECT s.connector, newest.at, newest.produced
        FROM window_series AS s
        CROSS JOIN LATERAL (
          SELECT p.at, p.produced FROM window_point AS p
          WHERE p.series = s.id AND p.produced IS NOT NULL AND p.at <= ${latestAt(now)} ORDER BY p.at DESC LIMIT 1
        ) AS newest
        WHERE s.cluster = ${cluster}`,
    );
    return new Map(rows.map((row) => [row.connector, { at: row.at.getTime(), produced: row.produced }]));
  });
}

const producedRows = z.array(z.object({ connector: z.string(), at: z.date(), produced: z.coerce.number() }));
