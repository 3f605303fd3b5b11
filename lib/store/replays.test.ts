import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Replay } from "@/lib/observed/duplicates";
import {
  readConnector,
  readConnectors,
  saveConnectorParts,
  saveDuplicatesParts,
  saveReports,
} from "./connectors";
import type { Database } from "./database";
import { deleteOldReplays, dropReplays, readReplay, readReplays, saveReplays, sumReplays } from "./replays";
import { duplicatesOf, replayAt } from "./sample-duplicates";
import { reportOf, seen } from "./sample-facts";
import { queryOn, startTestServer, type TestServer } from "./test-server";

const at = Date.UTC(2026, 4, 29, 12, 0, 0, 123);
const always = { from: new Date(0), to: new Date(Date.UTC(9000, 0)) };
const eu = { cluster: "eu" };
const orders = { cluster: "eu", connector: "orders" };

let server: TestServer;
let db: Database;
let url: string;
beforeAll(async () => {
  server = await startTestServer();
  ({ db, url } = await server.create());
}, 60_000);
beforeEach(() => queryOn(url, "TRUNCATE replay, connector CASCADE"));
afterAll(() => server.stop(), 60_000);

test("replays come back as they went in, newest first, those of the connector, topic and range", async () => {
  const [first, second] = [replayAt(at), replayAt(at + 1_000, { firstPosition: "odd \u0000 \ud800" })];
  const other = replayAt(at + 2_000, { connector: null, topic: "routed", causeInLog: "producer-retry" });
  await saveReplays(db, [second, other, first]);
  await saveReplays(db, [replayAt(at, { cluster: "us" })]);
  await saveReplays(db, []);
  expect(await readReplays(db, eu, always)).toEqual([other, second, first]);
  expect(await readReplays(db, orders, always)).toEqual([second, first]);
  expect(await readReplays(db, { ...eu, topic: "routed" }, always)).toEqual([other]);
  const range = { from: new Date(at), to: new Date(at + 1_000) };
  expect(await readReplays(db, orders, range)).toEqual([first]);
  expect(await readReplays(db, orders, always, 1)).toEqual([second]);
  expect(await readReplay(db, "eu", first.id)).toEqual(first);
  expect(await readReplay(db, "asia", first.id)).toBeNull();
});

test("one that is better known by now takes its own place, and the last word of one call counts", async () => {
  await saveReplays(db, [replayAt(at, { cause: "unknown" })]);
  const better = replayAt(at, {
    cause: "rebalance",
    lastOffset: 999_999_999_999,
    count: 20,
    connector: null,
  });
  await saveReplays(db, [replayAt(at), better]);
  expect(await readReplays(db, eu, always)).toEqual([better]);
  expect(await sumReplays(db, eu, always)).toEqual(new Map([[better.topic, { replays: 1, duplicates: 20 }]]));
});

test("of a topic that was made again, what was stored of the old one goes", async () => {
  const old = replayAt(at, { topicId: "old" });
  const unnamed = replayAt(at + 1, { topicId: null });
  const now = replayAt(at + 2, { topicId: "new" });
  const other = replayAt(at + 3, { topic: "other", topicId: "old" });
  await saveReplays(db, [old, unnamed, now, other]);
  await dropReplays(db, "us", now.topic, null);
  await dropReplays(db, "eu", now.topic, "new");
  expect(await readReplays(db, eu, always)).toEqual([other, now]);
  await dropReplays(db, "eu", now.topic, null);
  expect(await readReplays(db, eu, always)).toEqual([other]);
});

test("ten thousand of a flapping connector: the newest come at once, sums are exact, old ones go in batches", async () => {
  await saveReports(db, "eu", [reportOf("orders")]);
  const many = Array.from({ length: 10_000 }, (_, i) =>
    replayAt(at + i * 1_000, { topic: i % 2 ? "a" : "b", count: i + 1 }),
  );
  await saveReplays(db, many);
  await queryOn(url, "ANALYZE replay");
  await saveConnectorParts(db, "eu", "orders", { duplicates: seen(duplicatesOf("a", many.slice(0, 200))) });
  const found = await readConnector(db, "eu", "orders");
  expect(found?.duplicates?.value?.replays).toEqual(many.slice(-200).reverse());
  expect((await readReplays(db, orders, always, 50_000)).length).toBe(10_000);
  const expected = (topic: string) => {
    const mine = many.filter((replay) => replay.topic === topic && Date.parse(replay.at) >= at + 5_000_000);
    return { replays: mine.length, duplicates: mine.reduce((sum, { count }) => sum + count, 0) };
  };
  expect(await sumReplays(db, orders, { ...always, from: new Date(at + 5_000_000) })).toEqual(
    new Map([
      ["a", expected("a")],
      ["b", expected("b")],
    ]),
  );
  // By an index, newest first: no scan over all of them.
  for (const of of ["connector = 'orders'", "topic = 'a'"]) {
    const plan = await queryOn<Record<string, string>>(
      url,
      `EXPLAIN SELECT * FROM replay WHERE cluster = 'eu' AND ${of} AND at >= '2026-01-01' AND at < '2027-01-01'
       ORDER BY at DESC, id DESC LIMIT 200`,
    );
    expect(plan.map((row) => row["QUERY PLAN"]).join("\n")).toMatch(/Index Scan Backward/);
  }
  const before = new Date(at + 9_000_000);
  let batches = 1;
  while (await deleteOldReplays(db, before)) batches += 1;
  expect(batches).toBe(5);
  expect((await readReplays(db, eu, always, 50_000)).length).toBe(1_000);
}, 30_000);

test("of one that another version stored, what can be read is said, and never that there was none", async () => {
  const stored = replayAt(at);
  await saveReplays(db, [stored]);
  await queryOn(url, `UPDATE replay SET value = jsonb_set(value::jsonb, '{cause}', '"moonlight"')::json`);
  expect(await readReplays(db, eu, always)).toEqual([{ ...stored, cause: "unknown" }]);
  await queryOn(url, `UPDATE replay SET value = '[7]'`);
  const coordinates: (keyof Replay)[] = [
    "id",
    "topic",
    "partition",
    "firstOffset",
    "lastOffset",
    "count",
    "at",
  ];
  const [back] = await readReplays(db, eu, always);
  for (const key of coordinates) expect(back?.[key]).toEqual(stored[key]);
  expect(back).toMatchObject({ cause: "unknown", causeWhy: expect.stringContaining("another version") });
});

test("what is known of many connectors is written at once, and a list of them is light", async () => {
  await saveReports(db, "eu", [reportOf("orders"), reportOf("audit")]);
  const replays = Array.from({ length: 200 }, (_, i) => replayAt(at - i * 1_000));
  const failure = { kind: "timeout" as const, sentence: "No broker answered in 5 s.", remedy: null };
  const known = seen(duplicatesOf("shop.public.orders", replays));
  await saveDuplicatesParts(
    db,
    "eu",
    new Map([
      ["orders", known],
      ["audit", { ...known, value: null, failure }],
      ["gone", known],
    ]),
  );
  const [audit, one, ...rest] = await readConnectors(db, "eu");
  expect(rest).toEqual([]);
  expect(audit?.duplicates).toEqual({ ...known, value: null, failure });
  expect(one?.duplicates?.value).toEqual({ topics: known.value?.topics, replays: replays.slice(0, 10) });
  await saveConnectorParts(db, "eu", "orders", { duplicates: null });
  expect((await readConnector(db, "eu", "orders"))?.duplicates).toBeNull();
});
