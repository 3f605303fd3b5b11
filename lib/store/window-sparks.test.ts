import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { betweenAt, pointAt } from "./sample-windows";
import { queryOn, startTestServer, type TestServer } from "./test-server";
import { keepWindowPartitions } from "./window-partitions";
import { savePoints } from "./window-series";
import { readSparks } from "./window-sparks";

const minute = 60_000;
const hour = 60 * minute;
const noon = Date.UTC(2026, 4, 29, 12);

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
}, 60_000);
afterAll(() => server.stop(), 60_000);

const key = (connector: string, cluster = "eu") => JSON.stringify([cluster, connector]);
const nulls = (n: number) => Array<null>(n).fill(null);

test("the most of each stretch; null where nothing was known", async () => {
  const { db } = await server.create();
  const save = (connector: string, at: number, events: number | null) =>
    savePoints(db, "eu", [{ connector, point: pointAt(at, { events }) }]);
  await save("orders", noon - 1, 900);
  await save("orders", noon, 5);
  await save("orders", noon + 5_000, 0);
  await save("orders", noon + 2 * minute - 1, 7);
  await save("orders", noon + 2 * minute, 0);
  await save("orders", noon + 58 * minute, 41_000);
  await save("unknown", noon + minute, null);
  await savePoints(db, "eu", [{ connector: "orders", point: betweenAt(noon + 7 * minute, 99) }]);
  await savePoints(db, "us", [
    { connector: "orders", point: pointAt(noon + 59 * minute, { events: 2 ** 52 }) },
  ]);
  const sparks = await readSparks(db, new Date(noon), 30, new Date(noon + hour - 1));
  expect(sparks).toEqual(
    new Map([
      [key("orders"), [7, 0, ...nulls(27), 41_000]],
      [key("orders", "us"), [...nulls(29), 2 ** 52]],
    ]),
  );
});

test("a stretch that is over keeps its value: it begins where it would for a later look", async () => {
  const { db } = await server.create();
  const events = Array.from({ length: 120 }, (_, i) => (i * 37) % 101);
  for (const [i, value] of events.entries()) {
    await savePoints(db, "eu", [
      { connector: "orders", point: pointAt(noon + i * 30_000, { events: value }) },
    ]);
  }
  const look = async (until: number) =>
    (await readSparks(db, new Date(until - hour), 30, new Date(until))).get(key("orders")) ?? [];
  const first = await look(noon + 30 * minute);
  const second = await look(noon + 30 * minute + 119_999);
  expect(second.slice(0, -1)).toEqual(first.slice(0, -1));
  const third = await look(noon + 32 * minute);
  expect(third.slice(0, -2)).toEqual(first.slice(1, -1));
});

test("equals the most of the points themselves, in whatever order and company they are written", async () => {
  const { db } = await server.create();
  let run = 0;
  const poll = fc.record({
    connector: fc.constantFrom("a", "b", "c"),
    second: fc.nat(3_599),
    events: fc.option(fc.nat(50_000)),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(poll, { selector: (p) => `${p.connector} ${p.second}`, maxLength: 60 }),
      fc.integer({ min: 1, max: 20 }),
      async (polls, atOnce) => {
        const cluster = `run-${++run}`;
        const rows = polls.map((p) => ({
          connector: p.connector,
          point: pointAt(noon + p.second * 1_000, { events: p.events }),
        }));
        for (let from = 0; from < rows.length; from += atOnce) {
          await savePoints(db, cluster, rows.slice(from, from + atOnce));
        }
        const sparks = await readSparks(db, new Date(noon), 12, new Date(noon + hour - 1));
        for (const connector of ["a", "b", "c"]) {
          const expected = Array.from({ length: 12 }, (_, bucket) => {
            const own = polls.filter(
              (p) => p.connector === connector && Math.floor(p.second / 300) === bucket,
            );
            const known = own.flatMap((p) => p.events ?? []);
            return known.length === 0 ? null : Math.max(...known);
          });
          const seen = sparks.get(key(connector, cluster));
          expect(seen ?? nulls(12)).toEqual(expected);
        }
      },
    ),
    { numRuns: 25 },
  );
});

test("two collectors that write at once lose nothing", async () => {
  const { db } = await server.create();
  const names = Array.from({ length: 200 }, (_, i) => `connector-${i}`);
  await Promise.all(
    Array.from({ length: 12 }, (_, i) =>
      savePoints(
        db,
        "eu",
        (i % 2 ? [...names].reverse() : names).map((connector, n) => ({
          connector,
          point: pointAt(noon + i * 5_000, { events: n === i ? 1_000_000 + i : n }),
        })),
      ),
    ),
  );
  const sparks = await readSparks(db, new Date(noon), 1, new Date(noon + minute - 1));
  expect(sparks.size).toBe(200);
  for (let i = 0; i < 12; i++) {
    const name = i % 2 ? names[199 - i] : names[i];
    expect(sparks.get(key(name ?? ""))).toEqual([1_000_000 + i]);
  }
});

test("1,000 connectors and an hour of polls: read in one look, from as many rows as minutes", async () => {
  const { db, url } = await server.create();
  await keepWindowPartitions(db, new Date(noon));
  const names = Array.from({ length: 1_000 }, (_, i) => `connector-${i}`);
  const events = (poll: number, n: number) => (poll * 37 + n * 11) % 5_003;
  for (let poll = 0; poll < 180; poll++) {
    const rows = names.map((connector, n) => ({
      connector,
      point: pointAt(noon + poll * 20_000, { events: events(poll, n) }),
    }));
    await savePoints(db, "eu", rows);
  }
  expect(await queryOn(url, "SELECT count(*)::int AS n FROM window_point")).toEqual([{ n: 180_000 }]);
  expect(await queryOn(url, "SELECT count(*)::int AS n FROM window_spark")).toEqual([{ n: 60 }]);
  const look = () => readSparks(db, new Date(noon), 30, new Date(noon + hour - 1));
  const sparks = await look();
  expect(sparks.size).toBe(1_000);
  for (const n of [0, 1, 499, 999]) {
    const most = (bucket: number) =>
      Math.max(...Array.from({ length: 6 }, (_, i) => events(bucket * 6 + i, n)));
    expect(sparks.get(key(`connector-${n}`))).toEqual(
      Array.from({ length: 30 }, (_, bucket) => most(bucket)),
    );
  }
  const took: number[] = [];
  for (let i = 0; i < 15; i++) {
    const began = performance.now();
    await look();
    took.push(performance.now() - began);
  }
  took.sort((a, b) => a - b);
  console.log(`1,000 connectors: sparks of an hour in ${Math.round(took[0] ?? 0)} ms`);
}, 180_000);

test("a day is kept", async () => {
  const { db, url } = await server.create();
  for (const at of [noon - 25 * hour, noon - 23 * hour, noon]) {
    await savePoints(db, "eu", [{ connector: "orders", point: pointAt(at) }]);
  }
  await keepWindowPartitions(db, new Date(noon));
  expect(await queryOn(url, "SELECT at FROM window_spark ORDER BY at")).toEqual(
    [noon - 23 * hour, noon].map((at) => ({ at: new Date(at) })),
  );
});
