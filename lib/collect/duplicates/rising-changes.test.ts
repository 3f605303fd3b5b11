import fc from "fast-check";
import { expect, test } from "vitest";
import { postgresChange, runIdAt, tombstoneOf } from "@/lib/collect/restarts/testing/run-log";
import { deliveredRecord } from "@/lib/debezium/events/delivered-record";
import type { LogRecord } from "@/lib/kafka/log/record";
import { measurePartition } from "./measure-partition";
import { RisingChanges } from "./rising-changes";
import { MadeUpLog } from "./testing/made-up-log";

const topic = "shop.public.orders";
const base = 1_800_000_000_000;
type Made = Omit<LogRecord, "offset">;

const change = (n: number, run: number | null, op = "c"): Made =>
  postgresChange(n, run === null ? null : runIdAt(base + run * 1_000), base, op);
const changes = (from: number, to: number, run: number) =>
  Array.from({ length: to - from }, (_, i) => change(from + i, run));
const logged = (made: Made, offset = 1): LogRecord => ({ ...made, offset });
const read = (made: Made) => deliveredRecord(logged(made, 0), { topic, partition: 0 }, null, null);

test("passes what its run goes on to write, with tombstones and rows of a snapshot between", () => {
  const rising = new RisingChanges(read(change(10, 1)));
  const records = [change(11, 1), tombstoneOf(11, 0), change(500, 1, "d"), change(2, 1, "r"), change(501, 1)];
  expect(records.map((made) => rising.passes(logged(made)))).toEqual([true, true, true, true, true]);
});

test.each([
  ["the same change again", change(10, 1)],
  ["one before it", change(3, 1)],
  ["another run's", change(11, 0)],
  ["one without a run id", change(11, null)],
  ["no event", { ...change(11, 1), value: Buffer.from('{"id":1}') }],
  ["a value of a schema registry", { ...change(11, 1), value: Buffer.from([0, 0, 0, 0, 1, 2]) }],
])("does not pass %s", (_, made) => {
  const rising = new RisingChanges(read(change(10, 1)));
  expect(rising.passes(logged(made))).toBe(false);
});

test("whatever it passes stands above all before it", () => {
  const ns = fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10 }), ns, (first, numbers) => {
      const rising = new RisingChanges(read(change(first, 1)));
      let highest = first;
      for (const n of numbers) {
        const passed = rising.passes(logged(change(n, 1)));
        expect(passed).toBe(n > highest);
        if (!passed) return;
        highest = n;
      }
    }),
  );
});

const measured = async (records: readonly Made[], identityBytes?: number) => {
  const made = (offset: number) => records[offset] ?? null;
  const log = new MadeUpLog(records.length, made, (offset) => base + offset * 10, 16);
  const { found } = await measurePartition(log.reader(), {
    ...{ topic, partition: 0, topicId: null, from: 0, to: records.length, carried: null, type: null },
    ...{ config: null, starts: [], registry: null, wholeBytes: 0, maxBytes: 64 * 1024 * 1024 },
    ...(identityBytes === undefined ? {} : { identityBytes }),
  });
  return found;
};

test("what a producer sent twice behind a start is found in what was passed over", async () => {
  const { replays } = await measured([
    ...changes(0, 1_000, 0),
    ...changes(990, 1_500, 1),
    ...changes(1_400, 1_420, 1),
    ...changes(1_500, 4_000, 1),
  ]);
  expect(replays).toMatchObject([
    { firstOffset: 1_000, count: 10, bound: "exact", evidence: "run-id" },
    { firstOffset: 1_510, lastOffset: 1_529, count: 20, firstCopyOf: 1_410, causeInLog: "producer-retry" },
  ]);
});

test("what a run that was taken for dead writes again of what was passed over is found", async () => {
  const { replays } = await measured([
    ...changes(0, 1_000, 0),
    ...changes(990, 1_500, 1),
    ...changes(1_000, 1_300, 0),
    ...changes(1_500, 4_000, 1),
  ]);
  expect(replays).toMatchObject([
    { firstOffset: 1_000, count: 10, runAfter: runIdAt(base + 1_000) },
    { firstOffset: 1_510, lastOffset: 1_809, count: 300, firstCopyOf: 1_010, runAfter: runIdAt(base) },
  ]);
});
