import { z } from "zod";
import type { Database } from "./database";

const minute = 60_000;

/**
 * What the fleet page draws beside each connector: the most of each of `buckets` stretches that end with the one of `until`, oldest
 * first; null where it was not known at any poll. By `JSON.stringify([cluster, connector])`, for all that have a series.
 * A stretch is a whole number of minutes, and starts where it would for any other `until`: a value that is over does not change.
 * Taken from the minutes, and from the points that come after a connector's newest minute.
 * @param since the oldest stretch holds it, or comes after it by less than a stretch
 * @throws DatabaseUnavailable
 */
export function readSparks(
  db: Database,
  since: Date,
  buckets: number,
  until: Date = new Date(),
): Promise<Map<string, (number | null)[]>> {
  const width = Math.max(1, Math.round((until.getTime() - since.getTime()) / buckets / minute)) * minute;
  const end = (Math.floor(until.getTime() / width) + 1) * width;
  const start = end - buckets * width;
  return db.run(async (statements) => {
    const rows = sparkRows.parse(
      await statements.$queryRaw`
        SELECT s.cluster, s.connector, spark.text
        FROM window_series AS s
        CROSS JOIN LATERAL (
          SELECT coalesce(max(m.at) + interval '1 minute', to_timestamp(${start}::float8 / 1000)) AS at
          FROM window_minute AS m
          WHERE m.series = s.id AND m.at >= to_timestamp(${start}::float8 / 1000) AND m.at < to_timestamp(${end}::float8 / 1000)
        ) AS raw
        CROSS JOIN LATERAL (
          SELECT string_agg(b.bucket || ' ' || b.most, ' ') AS text
          FROM (
            SELECT floor((extract(epoch FROM a.at)::float8 * 1000 - ${start}::float8) / ${width}::float8) AS bucket, max(a.most) AS most
            FROM (
              SELECT m.at, m.most FROM window_minute AS m
              WHERE m.series = s.id AND m.known > 0
                AND m.at >= to_timestamp(${start}::float8 / 1000) AND m.at < to_timestamp(${end}::float8 / 1000)
              UNION ALL
              SELECT p.at, p.events FROM window_point AS p
              WHERE p.series = s.id AND p.events IS NOT NULL
                AND p.at >= raw.at AND p.at < to_timestamp(${end}::float8 / 1000)
            ) AS a
            GROUP BY 1
          ) AS b
        ) AS spark`,
    );
    return new Map(
      rows.map(({ cluster, connector, text }) => [
        JSON.stringify([cluster, connector]),
        valuesIn(text, buckets),
      ]),
    );
  });
}

const sparkRows = z.array(
  z.object({ cluster: z.string(), connector: z.string(), text: z.string().nullable() }),
);

/** `0 310 4 41000`: the first bucket and its most, the next one with any and its most. */
function valuesIn(text: string | null, buckets: number): (number | null)[] {
  const values = Array.from<number | null>({ length: buckets }).fill(null);
  const numbers = text ? text.split(" ").map(Number) : [];
  for (let i = 0; i + 1 < numbers.length; i += 2) values[numbers[i] ?? 0] = numbers[i + 1] ?? null;
  return values;
}
