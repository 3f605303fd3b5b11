import { afterAll, beforeAll, expect, test } from "vitest";
import type { WindowPoint } from "@/lib/observed/window-series";
import { startTestServer, type TestServer } from "./test-server";
import { keepWindowPartitions } from "./window-partitions";
import { readNewestProduced, readPoints, savePoints } from "./window-series";
import { readSparks } from "./window-sparks";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
}, 60_000);
afterAll(() => server.stop(), 60_000);

const start = Date.UTC(2026, 10, 29, 23, 59, 50, 123);
const orders = { cluster: "eu", connector: "orders" };
const always = { from: new Date(0), to: new Date(Date.UTC(3000, 0)) };

function point(at: number, more: Partial<WindowPoint> = {}): WindowPoint {
  return {
    at,
    between: false,
    produced: 9_007_199_254_740_991,
    events: 41_000,
    low: 40_100,
    high: null,
    by: "position",
    committedAt: at - 44_321,
    ...more,
  };
}

test("points come back as they went in, over the boundary of a partition", async () => {
  const { db } = await server.create();
  await keepWindowPartitions(db, new Date(start));
  const points = [
    point(start),
    point(start + 5_000, { by: null, events: null }),
    point(start + 10_000),
    point(start + 12_000, { between: true, events: null, low: null, by: null, committedAt: null }),
  ];
  await savePoints(
    db,
    "eu",
    points.map((p) => ({ connector: "orders", point: p })),
  );
  expect(await readPoints(db, orders, always)).toEqual(points);
  console.log(
    await readSparks(db, new Date(start - 3_500_000), 30, new Date(start + 20_000)),
    await readNewestProduced(db, "eu"),
  );
});
