import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { betweenAt, pointAt, rollupAt } from "./sample-windows";
import { queryOn, startTestServer, type TestServer } from "./test-server";
import { keepWindowPartitions } from "./window-partitions";
import { newestRollups, readRollups, saveRollups } from "./window-rollups";
import { readNewestProduced, readPoints, savePoints } from "./window-series";

const minute = 60_000;
const hour = 60 * minute;
/** Ten seconds before a partition ends. */
const start = Date.UTC(2026, 4, 29, 23, 59, 50, 123);
const now = new Date(start);
const orders = { cluster: "eu", connector: "orders" };
const always = { from: new Date(0), to: new Date(Date.UTC(9000, 0)) };

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
}, 60_000);
afterAll(() => server.stop(), 60_000);

const of =
  (connector: string) =>
  <T>(point: T) => ({ connector, point });

describe("points", () => {
  test("come back as they went in, over the boundary of a partition", async () => {
    const { db } = await server.create();
    await keepWindowPartitions(db, now);
    const points = [
      pointAt(start),
      pointAt(start + 5_000, { by: null, events: null, low: null, produced: null, committedAt: null }),
      pointAt(start + 10_000, { by: "time", events: 0, low: 0, high: 3 }),
      betweenAt(start + 12_000, 7),
      pointAt(start + 15_000, { by: "snapshot" }),
      pointAt(start + 20_000, { by: "exactly-once", events: 0 }),
    ];
    await savePoints(db, "eu", [...points].reverse().map(of("orders")));
    expect(await readPoints(db, orders, always)).toEqual(points);
    const inner = { from: new Date(start + 5_000), to: new Date(start + 15_000) };
    expect(await readPoints(db, orders, inner)).toEqual(points.slice(1, 4));
  });

  test("belong to their connector and cluster, whatever the names", async () => {
    const { db } = await server.create();
    const odd = `it's "x"; DROP TABLE window_point`;
    await savePoints(db, "eu", [of(odd)(pointAt(start)), of("orders")(pointAt(start + 1))]);
    await savePoints(db, "us", [of("orders")(pointAt(start + 2))]);
    expect(await readPoints(db, { cluster: "eu", connector: odd }, always)).toEqual([pointAt(start)]);
    expect(await readPoints(db, orders, always)).toEqual([pointAt(start + 1)]);
    expect(await readPoints(db, { cluster: "us", connector: "orders" }, always)).toEqual([
      pointAt(start + 2),
    ]);
    expect(await readPoints(db, { cluster: "us", connector: "none" }, always)).toEqual([]);
    await savePoints(db, "eu", []);
  });

  test("of the same time are one: the later one stays, and none between polls replaces a poll", async () => {
    const { db } = await server.create();
    const save = (...points: Parameters<typeof pointAt>[1][]) =>
      savePoints(
        db,
        "eu",
        points.map((more) => of("orders")(pointAt(start, more))),
      );
    const between = betweenAt(start, 5);
    const stored = () => readPoints(db, orders, always);
    await save(between);
    expect(await stored()).toEqual([between]);
    await save({ ...between, produced: 6 });
    expect(await stored()).toEqual([{ ...between, produced: 6 }]);
    await save({ events: 1 }, { events: 2 }, between);
    expect(await stored()).toEqual([pointAt(start, { events: 2 })]);
    await save(between);
    await save({ events: 3, by: null });
    await save(between);
    expect(await stored()).toEqual([pointAt(start, { events: 3, by: null })]);
  });

  test("two collectors that write the same connectors for the first time at once write all", async () => {
    const { db, url } = await server.create();
    const names = Array.from({ length: 300 }, (_, i) => `connector-${i}`);
    const poll = (at: number, list: string[]) =>
      savePoints(
        db,
        "eu",
        list.map((n) => of(n)(pointAt(at))),
      );
    await Promise.all([
      poll(start, names),
      poll(start, [...names].reverse()),
      poll(start + 1, names),
      poll(start + 2, [...names].reverse()),
    ]);
    const [found] = await queryOn(
      url,
      "SELECT count(*)::int AS points, count(DISTINCT series)::int AS series FROM window_point",
    );
    expect(found).toEqual({ points: 900, series: 300 });
    expect(await queryOn(url, "SELECT count(*)::int AS n FROM window_series")).toEqual([{ n: 300 }]);
  });

  test("more than one statement takes are written, and a read is bounded to the newest", async () => {
    const { db } = await server.create();
    await keepWindowPartitions(db, now);
    const points = Array.from({ length: 71_000 }, (_, i) => pointAt(start - 71_000 + i));
    await savePoints(db, "eu", points.map(of("orders")));
    const read = await readPoints(db, orders, always);
    expect(read).toHaveLength(70_000);
    expect([read[0]?.at, read.at(-1)?.at]).toEqual([start - 70_000, start - 1]);
  });
});

describe("the newest count", () => {
  test("is that of the newest point that has one, for each connector of the cluster", async () => {
    const { db } = await server.create();
    await keepWindowPartitions(db, now);
    await savePoints(db, "eu", [
      of("orders")(pointAt(start - 30 * hour, { produced: 5 })),
      of("orders")(pointAt(start, { produced: 17 })),
      of("orders")(betweenAt(start + 1, 18)),
      of("orders")(pointAt(start + 5_000, { produced: null })),
      of("idle")(pointAt(start - 40 * hour, { produced: 2 ** 53 - 1 })),
      of("never")(pointAt(start, { produced: null })),
    ]);
    await savePoints(db, "us", [of("orders")(pointAt(start, { produced: 1 }))]);
    expect(await readNewestProduced(db, "eu", now)).toEqual(
      new Map([
        ["orders", { at: start + 1, produced: 18 }],
        ["idle", { at: start - 40 * hour, produced: 2 ** 53 - 1 }],
      ]),
    );
    expect(await readNewestProduced(db, "none", now)).toEqual(new Map());
  });

  test("is not that of a point far ahead, written by a clock that was wrong", async () => {
    const { db } = await server.create();
    await savePoints(db, "eu", [
      of("orders")(pointAt(start, { produced: 17 })),
      of("orders")(pointAt(start + 400 * 24 * hour, { produced: 9 })),
    ]);
    expect((await readNewestProduced(db, "eu", now)).get("orders")).toEqual({ at: start, produced: 17 });
  });
});

describe("roll-ups", () => {
  const at = Date.UTC(2026, 4, 31, 23, 59);
  const named = (connector: string) => (time: number) => ({ connector, rollup: rollupAt(time) });

  test.each(["minute", "hour"] as const)("of a %s come back as they went in", async (unit) => {
    const { db } = await server.create();
    await keepWindowPartitions(db, new Date(at));
    const rollups = [
      rollupAt(at),
      rollupAt(at + minute, { known: 0, sum: 0, most: 0, histogram: [], dial: [] }),
      rollupAt(at + 2 * minute),
    ];
    await saveRollups(
      db,
      "eu",
      unit,
      rollups.map((rollup) => ({ connector: "orders", rollup })),
    );
    expect(await readRollups(db, orders, unit, always)).toEqual(rollups);
    const range = { from: new Date(at), to: new Date(at + minute) };
    expect(await readRollups(db, orders, unit, range)).toEqual(rollups.slice(0, 1));
    expect(await readRollups(db, orders, unit === "hour" ? "minute" : "hour", always)).toEqual([]);
    const other = rollupAt(at, { sum: 3, commits: 9 });
    await saveRollups(db, "eu", unit, [
      { connector: "orders", rollup: rollupAt(at) },
      { connector: "orders", rollup: other },
    ]);
    expect(await readRollups(db, orders, unit, range)).toEqual([other]);
  });

  test("the newest of each connector, not counting one far ahead", async () => {
    const { db } = await server.create();
    await saveRollups(db, "eu", "minute", [at, at + minute, at + 5_000 * hour].map(named("orders")));
    await saveRollups(db, "eu", "minute", [at - 30 * hour].map(named("idle")));
    await saveRollups(db, "us", "minute", [at].map(named("orders")));
    expect(await newestRollups(db, "eu", "minute", new Date(at + minute))).toEqual(
      new Map([
        ["orders", at + minute],
        ["idle", at - 30 * hour],
      ]),
    );
    expect(await newestRollups(db, "eu", "hour", new Date(at))).toEqual(new Map());
  });

  test("a week of minutes is one read, and one read is bounded to the newest", async () => {
    const { db } = await server.create();
    await keepWindowPartitions(db, new Date(at));
    const times = Array.from({ length: 14_100 }, (_, i) => at - i * minute);
    await saveRollups(db, "eu", "minute", times.map(named("orders")));
    const read = await readRollups(db, orders, "minute", always);
    expect(read).toHaveLength(14_000);
    expect([read[0]?.at, read.at(-1)?.at]).toEqual([at - 13_999 * minute, at]);
  });
});
