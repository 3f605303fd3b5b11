import { expect, test } from "vitest";
import { postgresChange, runIdAt } from "@/lib/collect/restarts/testing/run-log";
import { carriedSchema, measurePartition, type PartitionRequest } from "./measure-partition";
import { MadeUpLog } from "./testing/made-up-log";

const base = 1_800_000_000_000;
const runs = [0, 1, 2].map((run) => runIdAt(base + run * 1_000));

const changes = (from: number, to: number, run: number | null) =>
  Array.from({ length: to - from }, (_, i) =>
    postgresChange(from + i, run === null ? null : (runs[run] as string), base),
  );

function logOf(records: ReturnType<typeof changes>) {
  // Two minutes between two records: no run that was taken for dead is looked for so long.
  return new MadeUpLog(
    records.length,
    (offset) => records[offset] ?? null,
    (offset) => base + offset * 120_000,
  );
}

const measure = (log: MadeUpLog, of: Partial<PartitionRequest> = {}) =>
  measurePartition(log.reader(), {
    ...{ topic: "shop.public.orders", partition: 0, topicId: null, from: 0, to: log.end, carried: null },
    ...{ type: null, config: null, starts: [], registry: null, maxBytes: 64 * 1024 * 1024 },
    ...of,
  });

test("a small partition is read once, and every copy in it is found: late ones of a dead run, and doubled batches", async () => {
  const log = logOf([
    ...changes(0, 1000, 0),
    ...changes(900, 1900, 1),
    ...changes(1000, 1010, 0),
    ...changes(1900, 2000, 1),
    ...changes(1984, 3000, 1),
  ]);
  const { found } = await measure(log);
  expect(found.replays).toMatchObject([
    { firstOffset: 1000, count: 100, evidence: "run-id", causeInLog: null },
    { firstOffset: 2000, count: 10, runAfter: runs[0], causeInLog: "worker-lost" },
    { firstOffset: 2110, count: 16, evidence: "whole", causeInLog: "producer-retry" },
  ]);
  expect(found).toMatchObject({ sure: "whole", spacing: null, falls: [], notMeasurable: [] });
  expect(found.runs.map(({ firstOffset }) => firstOffset)).toEqual([0, 1000]);
  expect(found.bytesRead).toBeLessThan(log.end * 800);
});

test("what it leaves is enough to go on: a replay at its end, and marks", async () => {
  const log = logOf([...changes(0, 1000, 0), ...changes(900, 2000, 1), ...changes(1990, 2100, 2)]);
  for (const end of [1050, 1500, 2105]) {
    const first = await measure(log, { to: end });
    expect(first.found.sure).toBe("whole");
    const carried = carriedSchema.parse(JSON.parse(JSON.stringify(first.carried)));
    const rest = await measure(log, { from: end, carried });
    const counts = new Map(
      [...first.found.replays, ...rest.found.replays].map((r) => [r.firstOffset, r.count]),
    );
    expect([...counts]).toEqual([
      [1000, 100],
      [2100, 10],
    ]);
  }
});

test("without run ids nothing hides between samples", async () => {
  const log = logOf([...changes(0, 3000, null), ...changes(2995, 4000, null)]);
  const { found } = await measure(log);
  expect(found.replays).toMatchObject([{ firstOffset: 3000, lastOffset: 3004, count: 5, firstCopyOf: 2995 }]);
  expect(found).toMatchObject({ sure: "whole", spacing: null });
});

test("copies of what retention removed are told by position", async () => {
  const log = logOf([...changes(0, 1000, 0), ...changes(800, 3000, 1)]);
  log.earliest = 900;
  const { found } = await measure(log);
  expect(found.replays).toMatchObject([
    { firstOffset: 1000, lastOffset: 1199, count: 200, bound: "at-most", firstCopyOf: null, lastCopyOf: 999 },
  ]);
});

test("what is larger, or begins later, is not read whole", async () => {
  const log = logOf([...changes(0, 3000, 0), ...changes(2990, 3000, 1)]);
  expect((await measure(log, { wholeBytes: 1_000_000 })).found.sure).toBe("complete");
  expect((await measure(log, { from: 16 })).found.sure).toBe("complete");
  expect((await measure(log, { maxBytes: 500_000 })).found.sure).toBe("complete");
});
