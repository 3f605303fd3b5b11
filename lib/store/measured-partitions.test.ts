import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { dropConnectors, saveReports } from "./connectors";
import type { Database } from "./database";
import { readMeasuredPartitions, saveMeasuredPartitions } from "./measured-partitions";
import { measuredRow, partitionFound, replayAt } from "./sample-duplicates";
import { reportOf } from "./sample-facts";
import { queryOn, startTestServer, type TestServer } from "./test-server";

let server: TestServer;
let db: Database;
let url: string;
beforeAll(async () => {
  server = await startTestServer();
  ({ db, url } = await server.create());
}, 60_000);
beforeEach(() => queryOn(url, "TRUNCATE connector CASCADE"));
afterAll(() => server.stop(), 60_000);

test("what is measured comes back as it went in, in order, and the newest word takes its place", async () => {
  await saveReports(db, "eu", [reportOf("orders"), reportOf("audit")]);
  const rows = [
    measuredRow("orders", "b", 1),
    measuredRow("audit", "z", 0, { carried: null, topicId: "id", fromAt: new Date(7) }),
    measuredRow("orders", "b", 0),
    measuredRow("orders", "a", 10),
  ];
  const [b1, z, b0, a] = rows;
  await saveMeasuredPartitions(db, "eu", rows);
  await saveMeasuredPartitions(db, "eu", []);
  expect(await readMeasuredPartitions(db, "eu")).toEqual([z, a, b0, b1]);
  expect(await readMeasuredPartitions(db, "eu", "orders")).toEqual([a, b0, b1]);
  expect(await readMeasuredPartitions(db, "us")).toEqual([]);
  const later = measuredRow("orders", "a", 10, { from: 400, to: 500, carried: [1] });
  await saveMeasuredPartitions(db, "eu", [measuredRow("orders", "a", 10), later]);
  expect(await readMeasuredPartitions(db, "eu")).toEqual([z, later, b0, b1]);
});

test("replays are not kept twice, and a row goes with its connector", async () => {
  await saveReports(db, "eu", [reportOf("orders")]);
  const found = partitionFound("a", 0, { replays: [replayAt(5)] });
  await saveMeasuredPartitions(db, "eu", [
    measuredRow("orders", "a", 0, { found }),
    measuredRow("gone", "a", 0),
  ]);
  expect(await queryOn(url, "SELECT connector, found->'replays' AS replays FROM measured_partition")).toEqual(
    [{ connector: "orders", replays: null }],
  );
  await dropConnectors(db, "eu", ["orders"]);
  expect(await readMeasuredPartitions(db, "eu")).toEqual([]);
});

test("one that another version stored is left out: it is measured again", async () => {
  await saveReports(db, "eu", [reportOf("orders")]);
  await saveMeasuredPartitions(db, "eu", [measuredRow("orders", "a", 0), measuredRow("orders", "b", 0)]);
  await queryOn(url, `UPDATE measured_partition SET found = '{"sure":"hardly"}' WHERE topic = 'a'`);
  expect((await readMeasuredPartitions(db, "eu")).map((row) => row.topic)).toEqual(["b"]);
});

test("thousands are read to the last", async () => {
  await saveReports(db, "eu", [reportOf("orders"), reportOf("audit")]);
  const rows = Array.from({ length: 4_500 }, (_, i) =>
    measuredRow(i % 2 ? "orders" : "audit", `t${i % 7}`, Math.floor(i / 14)),
  );
  await saveMeasuredPartitions(db, "eu", rows);
  const back = await readMeasuredPartitions(db, "eu");
  const names = (of: typeof rows) => of.map((r) => `${r.connector} ${r.topic} ${r.partition}`).sort();
  expect(names(back)).toEqual(names(rows));
}, 20_000);
