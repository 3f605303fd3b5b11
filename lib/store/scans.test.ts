import { afterAll, beforeAll, expect, test } from "vitest";
import type { ScanResult } from "@/lib/observed/duplicates";
import {
  dropScanPartition,
  keepOnlyScans,
  readScanPartitions,
  readScanResults,
  type ScanPartition,
  saveScanPartition,
  saveScanResult,
  scanGroup,
} from "./scans";
import { queryOn, startTestServer, type TestServer } from "./test-server";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
}, 60_000);
afterAll(() => server.stop(), 60_000);

const now = new Date(Date.UTC(2026, 4, 29, 12));
const scanned = (next: number, more: Partial<ScanPartition> = {}): ScanPartition => ({
  ...{ topic: "orders", partition: 0, topicId: "a", from: 5, next, bytes: 7 * next },
  samples: Buffer.from(`up to ${next}`),
  ...more,
});
const orders = { cluster: "eu", topic: "orders" };
const textOf = (rows: ScanPartition[]) =>
  rows.map((row) => ({ ...row, samples: Buffer.from(row.samples).toString() }));

test("a cluster has one secret and one group, whoever asks first", async () => {
  const { db } = await server.create();
  const asked = await Promise.all([1, 2, 3, 4].map(() => scanGroup(db, "eu")));
  expect(new Set(asked.map(({ groupId }) => groupId)).size).toBe(1);
  expect(asked[0]?.secret.length).toBe(8);
  expect(await scanGroup(db, "eu")).toEqual(asked[0]);
  expect((await scanGroup(db, "us")).groupId).not.toBe(asked[0]?.groupId);
});

test("samples and offset change together, and only from where the scan went on", async () => {
  const { db } = await server.create();
  expect(await saveScanPartition(db, "eu", null, scanned(10), now)).toBe(true);
  expect(await saveScanPartition(db, "eu", null, scanned(12), now)).toBe(false);
  expect(await saveScanPartition(db, "eu", scanned(10), scanned(20), now)).toBe(true);
  // Who had it before goes on from 10 as well.
  expect(await saveScanPartition(db, "eu", scanned(10), scanned(15), now)).toBe(false);
  expect(await saveScanPartition(db, "eu", scanned(20, { topicId: "b" }), scanned(30), now)).toBe(false);
  await saveScanPartition(db, "eu", null, scanned(3, { partition: 1, topicId: null }), now);
  expect(
    await saveScanPartition(
      db,
      "eu",
      { next: 3, topicId: null },
      scanned(4, { partition: 1, topicId: null }),
      now,
    ),
  ).toBe(true);
  expect(textOf(await readScanPartitions(db, orders))).toEqual([
    { ...scanned(20), samples: "up to 20" },
    { ...scanned(4, { partition: 1, topicId: null }), samples: "up to 4" },
  ]);
  expect(await readScanPartitions(db, { ...orders, partition: 1 })).toHaveLength(1);
});

test("of two who save at once one does", async () => {
  const { db } = await server.create();
  await saveScanPartition(db, "eu", null, scanned(1), now);
  const saved = await Promise.all(
    [2, 3, 4, 5].map((next) => saveScanPartition(db, "eu", scanned(1), scanned(next), now)),
  );
  expect(saved.filter(Boolean)).toHaveLength(1);
});

test("what begins anew, or is scanned no more, is forgotten", async () => {
  const { db } = await server.create();
  await saveScanPartition(db, "eu", null, scanned(10), now);
  await dropScanPartition(db, "eu", scanned(9));
  expect(await readScanPartitions(db, orders)).toHaveLength(1);
  await dropScanPartition(db, "eu", scanned(10));
  expect(await readScanPartitions(db, orders)).toEqual([]);
  await saveScanPartition(db, "eu", null, scanned(10), now);
  await saveScanPartition(db, "eu", null, scanned(10, { topic: "lines" }), now);
  await keepOnlyScans(db, "eu", ["lines"]);
  expect(await readScanPartitions(db, orders)).toEqual([]);
  expect(await readScanPartitions(db, { ...orders, topic: "lines" })).toHaveLength(1);
});

test("figures come back; those of another version are left out", async () => {
  const { db, url } = await server.create();
  const result: ScanResult = {
    ...{ topic: "orders", from: null, to: null, records: 3, events: 3, duplicates: 1, rate: 1 / 3 },
    ...{ interval: [0.1, 0.5], sampled: 2, share: 0.5, keyShare: 0.25, reReads: 0, snapshotOverlap: 0 },
    ...{ keyOrderViolations: 0, uncommittedCopies: 0, violations: [], notMeasurable: [], bytesRead: 9 },
  };
  await saveScanResult(db, "eu", { ...result, duplicates: 0 }, now);
  await saveScanResult(db, "eu", result, now);
  expect(await readScanResults(db, "eu")).toEqual(new Map([["orders", result]]));
  await queryOn(url, `UPDATE scan_topic SET result = '{"rows": 1}'`);
  expect(await readScanResults(db, "eu")).toEqual(new Map());
});
