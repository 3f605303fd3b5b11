import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { WindowPoint } from "@/lib/observed/window-series";
import { saveReports } from "./connectors";
import { readRestarts, saveRestart } from "./restarts";
import { reportOf } from "./sample-facts";
import { pointAt, restartAt, rollupAt } from "./sample-windows";
import { queryOn, startTestServer, type TestServer } from "./test-server";
import { keepWindowPartitions, PartitionsHeld } from "./window-partitions";
import { readRollups, saveRollups } from "./window-rollups";
import { readPoints, savePoints } from "./window-series";

const hour = 3_600_000;
const day = 24 * hour;
/** In the past of any machine that runs this: what is over is judged by the database's clock too. */
const now = Date.UTC(2026, 4, 29, 13, 14, 15, 161);
const orders = { cluster: "eu", connector: "orders" };
const always = { from: new Date(0), to: new Date(Date.UTC(9000, 0)) };

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
}, 60_000);
afterAll(() => server.stop(), 60_000);

/** Names of a table's partitions without the table's own, the default one aside. */
async function partitionsOf(url: string, table: string): Promise<string[]> {
  const rows = await queryOn<{ name: string }>(
    url,
    `SELECT substr(inhrelid::regclass::text, ${table.length + 2}) AS name FROM pg_inherits
     WHERE inhparent = '${table}'::regclass AND inhrelid <> '${table}_default'::regclass ORDER BY 1`,
  );
  return rows.map((row) => row.name);
}

async function rowsIn(url: string, table: string): Promise<number> {
  const [row] = await queryOn<{ n: number }>(url, `SELECT count(*)::int AS n FROM ${table}`);
  return row?.n ?? -1;
}

const pointsAt = (...times: number[]) => times.map((at) => ({ connector: "orders", point: pointAt(at) }));
const times = (points: readonly WindowPoint[]) => points.map((p) => p.at);

test("partitions are made for what is kept and for a while ahead; a second call makes none", async () => {
  const { db, url } = await server.create();
  await keepWindowPartitions(db, new Date(now));
  const points = await partitionsOf(url, "window_point");
  expect(points).toHaveLength(9 + 4);
  expect([points[0], points[8], points.at(-1)]).toEqual(["20260527t12", "20260529t12", "20260530t12"]);
  const minutes = await partitionsOf(url, "window_minute");
  expect(minutes).toHaveLength(8 + 3);
  expect([minutes[0], minutes.at(-1)]).toEqual(["20260522", "20260601"]);
  const hours = await partitionsOf(url, "window_hour");
  expect(hours).toHaveLength(13 + 1);
  expect([hours[0], hours.at(-1)]).toEqual(["202505", "202606"]);
  await keepWindowPartitions(db, new Date(now));
  expect(await partitionsOf(url, "window_point")).toEqual(points);
});

test("each row lies in the partition of its time, and the bounds are those of the calendar in UTC", async () => {
  const { db, url } = await server.create();
  await keepWindowPartitions(db, new Date(now));
  const noon = Date.UTC(2026, 4, 29, 12);
  await savePoints(db, "eu", pointsAt(noon - 1, noon, noon + 6 * hour - 1, noon + 6 * hour));
  const month = Date.UTC(2026, 4, 1);
  await saveRollups(
    db,
    "eu",
    "hour",
    [month - hour, month].map((at) => ({ connector: "orders", rollup: rollupAt(at) })),
  );
  const where = (table: string) =>
    queryOn(
      url,
      `SELECT tableoid::regclass::text AS in, count(*)::int AS n FROM ${table} GROUP BY 1 ORDER BY 1`,
    );
  expect(await where("window_point")).toEqual([
    { in: "window_point_20260529t06", n: 1 },
    { in: "window_point_20260529t12", n: 2 },
    { in: "window_point_20260529t18", n: 1 },
  ]);
  expect(await where("window_hour")).toEqual([
    { in: "window_hour_202604", n: 1 },
    { in: "window_hour_202605", n: 1 },
  ]);
  expect(times(await readPoints(db, orders, always))).toEqual([
    noon - 1,
    noon,
    noon + 6 * hour - 1,
    noon + 6 * hour,
  ]);
});

test("what is over is dropped with its partition, and what is not stays", async () => {
  const { db, url } = await server.create();
  await keepWindowPartitions(db, new Date(now - 2 * day));
  await savePoints(db, "eu", pointsAt(now - 3 * day, now - 2 * day, now - 2 * hour));
  await saveRollups(
    db,
    "eu",
    "minute",
    [now - 9 * day, now - 8 * day, now - 6 * day].map((at) => ({
      connector: "orders",
      rollup: rollupAt(at),
    })),
  );
  await saveRestart(db, restartAt(now - 370 * day));
  await saveRestart(db, restartAt(now - 360 * day));
  await keepWindowPartitions(db, new Date(now));
  expect((await partitionsOf(url, "window_point"))[0]).toBe("20260527t12");
  expect((await partitionsOf(url, "window_minute"))[0]).toBe("20260522");
  expect(times(await readPoints(db, orders, always))).toEqual([now - 2 * day, now - 2 * hour]);
  const minutes = await readRollups(db, orders, "minute", always);
  expect(minutes.map((m) => m.at)).toEqual([now - 6 * day]);
  expect(await readRestarts(db, orders, always)).toEqual([restartAt(now - 360 * day)]);
});

test("rows of any time are taken; those far off lie in the default partition until they are over or their time comes", async () => {
  const { db, url } = await server.create();
  await keepWindowPartitions(db, new Date(now));
  const [ancient, far, next] = [Date.UTC(1970, 0, 1, 0, 0, 1), Date.UTC(8000, 0), now + 3 * day];
  await savePoints(db, "eu", pointsAt(ancient, far, next, now));
  expect(await rowsIn(url, "window_point_default")).toBe(3);
  expect(times(await readPoints(db, orders, always))).toEqual([ancient, now, next, far]);
  await keepWindowPartitions(db, new Date(now));
  expect(times(await readPoints(db, orders, always))).toEqual([now, next, far]);
  await keepWindowPartitions(db, new Date(now + 3 * day));
  expect(await rowsIn(url, "window_point_default")).toBe(1);
  expect(await rowsIn(url, "window_point_20260601t12")).toBe(1);
  expect(times(await readPoints(db, orders, always))).toEqual([next, far]);
});

test("before there are partitions nothing is refused, and what came moves into them", async () => {
  const { db, url } = await server.create();
  const all = Array.from({ length: 100 }, (_, i) => now - i * hour);
  await savePoints(db, "eu", pointsAt(...all));
  await keepWindowPartitions(db, new Date(now));
  expect(await rowsIn(url, "window_point_default")).toBe(0);
  expect(times(await readPoints(db, orders, always))).toEqual(
    all.filter((at) => at >= Date.UTC(2026, 4, 27, 12)).reverse(),
  );
});

test("a clock that is ahead drops nothing", async () => {
  const { db } = await server.create();
  await keepWindowPartitions(db, new Date());
  const recent = Date.now() - hour;
  await savePoints(db, "eu", pointsAt(recent));
  await saveRestart(db, restartAt(recent));
  await keepWindowPartitions(db, new Date(Date.now() + 3_650 * day));
  expect(times(await readPoints(db, orders, always))).toEqual([recent]);
  expect(await readRestarts(db, orders, always)).toHaveLength(1);
});

test("any number may keep and write at once, and no row is lost", async () => {
  const { db, url } = await server.create();
  const names = Array.from({ length: 200 }, (_, i) => `connector-${i}`);
  let written = 0;
  for (let round = 0; round < 6; round++) {
    // Far from the round before: at first there is no partition, and rows go to the default one.
    const from = now + round * 10 * day;
    let kept = false;
    const writer = async (number: number) => {
      for (let i = 0; !kept || i < 2; i++) {
        const at = from + 10 * i + number;
        await savePoints(
          db,
          "eu",
          names.map((connector) => ({ connector, point: pointAt(at) })),
        );
        written += names.length;
      }
    };
    const writers = [0, 1, 2].map(writer);
    await Promise.all([1, 2, 3].map(() => keepWindowPartitions(db, new Date(from))));
    kept = true;
    await Promise.all(writers);
    const here = `window_point WHERE at >= '${new Date(from).toISOString()}'`;
    expect(await rowsIn(url, here)).toBe(written);
    expect(await rowsIn(url, "window_point_default")).toBe(0);
    written = 0;
  }
});

test("a table that another session holds is left for the next time, and pages wait for no more than 2 s", async () => {
  const { db, url } = await server.create();
  await keepWindowPartitions(db, new Date(now - 3 * day));
  const holder = new Client({ connectionString: url });
  await holder.connect();
  try {
    await holder.query("BEGIN");
    await holder.query("SELECT count(*) FROM window_point");
    const before = await partitionsOf(url, "window_point");
    await expect(keepWindowPartitions(db, new Date(now))).rejects.toThrow(PartitionsHeld);
    await expect(keepWindowPartitions(db, new Date(now))).rejects.toThrow(
      /window_point could not.*Nothing is lost/,
    );
    expect(await partitionsOf(url, "window_point")).toEqual(before);
    // The other tables are not held.
    expect((await partitionsOf(url, "window_minute")).at(-1)).toBe("20260601");
    await savePoints(db, "eu", pointsAt(now));
    expect(times(await readPoints(db, orders, always))).toEqual([now]);
    await holder.query("COMMIT");
  } finally {
    await holder.end();
  }
  await keepWindowPartitions(db, new Date(now));
  expect(await rowsIn(url, "window_point_default")).toBe(0);
  expect(await rowsIn(url, "window_point_20260529t12")).toBe(1);
});

test("more rows than a statement moves stay where they are, and go in batches when they are over", async () => {
  const { db, url } = await server.create();
  await keepWindowPartitions(db, new Date(now - 30 * day));
  await savePoints(db, "eu", pointsAt(now));
  await queryOn(
    url,
    `INSERT INTO window_point (series, at) SELECT 1, '2026-05-29 12:00Z'::timestamptz + i * interval '0.1 s' FROM generate_series(1, 100001) AS i`,
  );
  await keepWindowPartitions(db, new Date(now));
  expect(await partitionsOf(url, "window_point")).not.toContain("20260529t12");
  expect(await partitionsOf(url, "window_point")).toContain("20260529t18");
  expect(await rowsIn(url, "window_point_default")).toBe(100_002);
  expect(await readPoints(db, orders, { from: new Date(now), to: new Date(now + 1) })).toEqual([
    pointAt(now),
  ]);
  await queryOn(url, "UPDATE window_point_default SET at = at - interval '10 days'");
  await keepWindowPartitions(db, new Date(now));
  expect(await rowsIn(url, "window_point_default")).toBe(2);
  await keepWindowPartitions(db, new Date(now));
  expect(await rowsIn(url, "window_point_default")).toBe(0);
  expect(await partitionsOf(url, "window_point")).toContain("20260529t12");
});

test("a series is forgotten once its connector is gone and nothing of it is left", async () => {
  const { db, url } = await server.create();
  await saveReports(db, "eu", [reportOf("known")]);
  await keepWindowPartitions(db, new Date(now - 400 * day));
  const rows = (at: number, ...names: string[]) =>
    names.map((connector) => ({ connector, rollup: rollupAt(at) }));
  await saveRollups(db, "eu", "hour", rows(now - 400 * day, "known", "gone", "gone-lately"));
  await saveRollups(db, "eu", "hour", rows(now - 300 * day, "gone-lately"));
  await keepWindowPartitions(db, new Date(now));
  expect(await queryOn(url, "SELECT connector FROM window_series ORDER BY 1")).toEqual([
    { connector: "gone-lately" },
    { connector: "known" },
  ]);
});
