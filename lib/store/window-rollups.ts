import { z } from "zod";
import type { DialCell, WindowRollup } from "@/lib/observed/window-series";
import type { Database, Statements } from "./database";
import { Prisma } from "./generated/client";
import { inSeries, latestAt, type SeriesOf } from "./window-series";

export type RollupUnit = "minute" | "hour";

/** Roll-ups that one read returns at most: minutes of a little over nine days, hours of a year and a half. */
const mostRollups = 14_000;

const tableOf = (unit: RollupUnit) => Prisma.raw(unit === "minute" ? "window_minute" : "window_hour");

/**
 * Writes roll-ups, for a whole fleet in one statement. Another one of the same connector and time replaces what is stored.
 * @throws DatabaseUnavailable
 */
export async function saveRollups(
  db: Database,
  cluster: string,
  unit: RollupUnit,
  rows: readonly { connector: string; rollup: WindowRollup }[],
): Promise<void> {
  const byPlace = new Map(rows.map((row) => [JSON.stringify([row.connector, row.rollup.at]), row] as const));
  const columns = [...byPlace.values()].map(({ connector, rollup }) => ({
    connector,
    at: rollup.at,
    most_at: rollup.mostAt,
    sum: rollup.sum,
    most: rollup.most,
    least: rollup.least,
    produced: rollup.produced,
    produced_ms: rollup.producedMs,
    known: rollup.known,
    polls: rollup.polls,
    commits: rollup.commits,
    histogram: JSON.stringify(rollup.histogram),
    dial: JSON.stringify(rollup.dial.flatMap((cell) => [cell.intervalMs, cell.most])),
  }));
  await inSeries(db, cluster, columns, (statements, some) => insertRollups(statements, cluster, unit, some));
}

async function insertRollups(
  statements: Statements,
  cluster: string,
  unit: RollupUnit,
  json: string,
): Promise<unknown> {
  return statements.$queryRaw`
    WITH t AS (
      SELECT * FROM json_to_recordset(${json}::json)
        AS t(connector text, at float8, most_at float8, sum bigint, most bigint, least bigint, produced bigint,
             produced_ms int, known int, polls int, commits int, histogram text, dial text)
    ), written AS (
      INSERT INTO ${tableOf(unit)}
        (series, at, most_at, sum, most, least, produced, produced_ms, known, polls, commits, histogram, dial)
      SELECT s.id, to_timestamp(t.at / 1000), to_timestamp(t.most_at / 1000), t.sum, t.most, t.least, t.produced,
             t.produced_ms, t.known, t.polls, t.commits, t.histogram::json, t.dial::json
      FROM t JOIN window_series AS s ON s.cluster = ${cluster} AND s.connector = t.connector
      ORDER BY s.id, t.at
      ON CONFLICT (series, at) DO UPDATE
      SET most_at = excluded.most_at, sum = excluded.sum, most = excluded.most, least = excluded.least,
          produced = excluded.produced, produced_ms = excluded.produced_ms, known = excluded.known, polls = excluded.polls,
          commits = excluded.commits, histogram = excluded.histogram, dial = excluded.dial
    )
    SELECT DISTINCT t.connector FROM t
    WHERE NOT EXISTS (SELECT 1 FROM window_series AS s WHERE s.cluster = ${cluster} AND s.connector = t.connector)`;
}

const whole = z.number();
const numbers = z.array(whole);
const textRow = z.array(z.object({ text: z.string().nullable() }));
const rollupRow = z
  .tuple([whole, whole, whole, whole, whole, whole, whole, whole, whole, whole, numbers, numbers])
  .transform(
    ([
      at,
      mostAt,
      sum,
      most,
      least,
      produced,
      producedMs,
      known,
      polls,
      commits,
      histogram,
      dial,
    ]): WindowRollup => ({
      at,
      known,
      polls,
      sum,
      most,
      least,
      mostAt,
      histogram,
      produced,
      producedMs,
      commits,
      dial: cellsIn(dial),
    }),
  );

function cellsIn(flat: readonly number[]): DialCell[] {
  return flat.flatMap((intervalMs, i) => (i % 2 === 0 ? [{ intervalMs, most: flat[i + 1] ?? 0 }] : []));
}

/**
 * Roll-ups of one connector that start at `from` (included) to `to` (not), oldest first; at most 14,000, the newest of them.
 * @throws DatabaseUnavailable
 */
export function readRollups(
  db: Database,
  { cluster, connector }: SeriesOf,
  unit: RollupUnit,
  { from, to }: { from: Date; to: Date },
): Promise<WindowRollup[]> {
  return db.run(async (statements) => {
    // One text: a value at a time through the driver takes much longer.
    const [found] = textRow.parse(
      await statements.$queryRaw`
        SELECT json_agg(json_build_array((date_part('epoch', at) * 1000)::bigint, (date_part('epoch', most_at) * 1000)::bigint,
                                         sum, most, least, produced, produced_ms, known, polls, commits, histogram, dial)
                        ORDER BY at)::text AS text
        FROM (
          SELECT r.* FROM ${tableOf(unit)} AS r
          WHERE r.series = (SELECT id FROM window_series WHERE cluster = ${cluster} AND connector = ${connector})
            AND r.at >= ${from} AND r.at < ${to}
          ORDER BY r.at DESC LIMIT ${mostRollups}
        ) AS newest`,
    );
    return z.array(rollupRow).parse(JSON.parse(found?.text ?? "[]"));
  });
}

/**
 * For each connector of a cluster that has any, the start of its newest roll-up, in milliseconds since 1970. Those that lie
 * ahead of `now` by more than five minutes do not count.
 * @throws DatabaseUnavailable
 */
export function newestRollups(
  db: Database,
  cluster: string,
  unit: RollupUnit,
  now: Date = new Date(),
): Promise<Map<string, number>> {
  return db.run(async (statements) => {
    const rows = newestRows.parse(
      await statements.$queryRaw`
        SELECT s.connector, newest.at
        FROM window_series AS s
        CROSS JOIN LATERAL (
          SELECT r.at FROM ${tableOf(unit)} AS r WHERE r.series = s.id AND r.at <= ${latestAt(now)} ORDER BY r.at DESC LIMIT 1
        ) AS newest
        WHERE s.cluster = ${cluster}`,
    );
    return new Map(rows.map((row) => [row.connector, row.at.getTime()]));
  });
}

const newestRows = z.array(z.object({ connector: z.string(), at: z.date() }));
