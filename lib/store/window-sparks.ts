import { z } from "zod";
import type { WindowPoint } from "@/lib/observed/window-series";
import type { Database } from "./database";

const minuteMs = 60_000;

/** How long {@link readSparks} can look back, in milliseconds. */
export const sparksKeptMs = 24 * 3_600_000;

/**
 * Keeps the most of each connector's points in their minutes, a row a minute: the points themselves lie a thousand rows apart.
 * For lib/store alone. @throws DatabaseUnavailable
 */
export async function saveSparks(
  db: Database,
  cluster: string,
  rows: readonly { connector: string; point: WindowPoint }[],
): Promise<void> {
  const known = rows.flatMap(({ connector, point: { at, events } }) =>
    events === null ? [] : [{ connector, at: Math.floor(at / minuteMs) * minuteMs, events }],
  );
  if (known.length === 0) return;
  await db.run(
    (statements) => statements.$executeRaw`
      INSERT INTO window_spark AS w (cluster, at, series, most)
      SELECT ${cluster}, to_timestamp(t.at / 1000), array_agg(t.id), array_agg(t.most)
      FROM (
        SELECT p.at, s.id, max(p.events) AS most
        FROM json_to_recordset(${JSON.stringify(known)}::json) AS p(connector text, at float8, events bigint)
        JOIN window_series AS s ON s.cluster = ${cluster} AND s.connector = p.connector
        GROUP BY p.at, s.id
      ) AS t
      GROUP BY t.at ORDER BY t.at
      ON CONFLICT (cluster, at) DO UPDATE SET (series, most) = (
        SELECT array_agg(b.id), array_agg(b.most)
        FROM (
          SELECT a.id, max(a.most) AS most
          FROM (SELECT * FROM unnest(w.series, w.most) UNION ALL SELECT * FROM unnest(excluded.series, excluded.most)) AS a(id, most)
          GROUP BY a.id
        ) AS b)`,
  );
}

/**
 * What the fleet page draws beside each connector: the most of each of `buckets` stretches of time, oldest first; null where it
 * was not known at any poll. By `JSON.stringify([cluster, connector])`; a connector that was never known is not in it.
 * A stretch is a whole number of minutes, the last one holds `until`, and each begins where it would for any other `until`: the
 * value of one that is over does not change.
 * @param since about where the first stretch begins; at most a day back
 * @throws DatabaseUnavailable
 */
export async function readSparks(
  db: Database,
  since: Date,
  buckets: number,
  until: Date = new Date(),
): Promise<Map<string, (number | null)[]>> {
  const width = Math.max(1, Math.round((until.getTime() - since.getTime()) / buckets / minuteMs)) * minuteMs;
  const end = (Math.floor(until.getTime() / width) + 1) * width;
  const start = end - buckets * width;
  const { series, minutes } = await db.run(async (statements) => ({
    minutes: minuteRows.parse(
      await statements.$queryRaw`
        SELECT at, series::text AS series, most::text AS most FROM window_spark
        WHERE at >= ${new Date(start)} AND at < ${new Date(end)}`,
    ),
    series: seriesRows.parse(await statements.$queryRaw`SELECT id, cluster, connector FROM window_series`),
  }));
  const bySeries = new Map<number, (number | null)[]>();
  for (const minute of minutes) {
    const bucket = Math.floor((minute.at.getTime() - start) / width);
    for (const [i, id] of minute.series.entries()) {
      const values = bySeries.get(id) ?? Array.from<number | null>({ length: buckets }).fill(null);
      bySeries.set(id, values);
      values[bucket] = Math.max(values[bucket] ?? 0, minute.most[i] ?? 0);
    }
  }
  return new Map(
    series.flatMap(({ id, cluster, connector }) => {
      const values = bySeries.get(id);
      return values ? [[JSON.stringify([cluster, connector]), values] as const] : [];
    }),
  );
}

/** `{1,2,3}`, PostgreSQL's text of an array of whole numbers. */
const wholeNumbers = z.string().transform((text) => JSON.parse(`[${text.slice(1, -1)}]`) as number[]);
const minuteRows = z.array(z.object({ at: z.date(), series: wholeNumbers, most: wholeNumbers }));
const seriesRows = z.array(z.object({ id: z.number(), cluster: z.string(), connector: z.string() }));
