import { afterAll, beforeAll, expect, test } from "vitest";
import { readOpenRestarts, readRestarts, saveRestart } from "./restarts";
import { restartAt } from "./sample-windows";
import { queryOn, startTestServer, type TestServer } from "./test-server";

const at = Date.UTC(2026, 4, 29, 12, 0, 0, 123);
const orders = { cluster: "eu", connector: "orders" };
const always = { from: new Date(0), to: new Date(Date.UTC(9000, 0)) };

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
}, 60_000);
afterAll(() => server.stop(), 60_000);

test("restarts come back as they went in, oldest first, those of the range", async () => {
  const { db } = await server.create();
  const restarts = [restartAt(at), restartAt(at + 1_000), restartAt(at + 2_000)];
  for (const restart of [...restarts].reverse()) await saveRestart(db, restart);
  await saveRestart(db, restartAt(at, { connector: "audit", id: restarts[0]?.id ?? "" }));
  expect(await readRestarts(db, orders, always)).toEqual(restarts);
  const range = { from: new Date(at), to: new Date(at + 2_000) };
  expect(await readRestarts(db, orders, range)).toEqual(restarts.slice(0, 2));
  expect(await readRestarts(db, { ...orders, cluster: "us" }, always)).toEqual([]);
});

test("one that is being measured is open until it is measured, and its time may become better known", async () => {
  const { db } = await server.create();
  const open = restartAt(at, { state: "measuring", recomputed: null, replayed: null, partitions: [] });
  await saveRestart(db, open);
  await saveRestart(db, restartAt(at + 1));
  await saveRestart(db, restartAt(at + 2, { cluster: "us", state: "measuring" }));
  expect(await readOpenRestarts(db, "eu")).toEqual([open]);
  const measured = restartAt(at, { at: new Date(at - 40).toISOString(), replayed: 12 });
  await saveRestart(db, measured);
  expect(await readOpenRestarts(db, "eu")).toEqual([]);
  expect((await readRestarts(db, orders, always))[0]).toEqual(measured);
});

test("of one that another version stored it is said that there was one, never that there was none", async () => {
  const { db, url } = await server.create();
  await saveRestart(db, restartAt(at, { state: "measuring" }));
  await queryOn(url, `UPDATE restart SET value = '{"id": 7}'`);
  expect(await readRestarts(db, orders, always)).toMatchObject([
    {
      id: restartAt(at).id,
      at: new Date(at).toISOString(),
      replayed: null,
      state: "not-measurable",
      why: expect.stringContaining("another version"),
    },
  ]);
  expect(await readOpenRestarts(db, "eu")).toEqual([]);
});
