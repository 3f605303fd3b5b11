import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { RecordsGone } from "@/lib/collect/restarts/partition-log";
import { batchOf, offsets, partitionOf, topicOf } from "@/lib/kafka/log/testing/fake-log";
import { closeAll, setUp } from "@/lib/kafka/log/testing/fake-reads";
import { leaderChanges } from "./leader-changes";

afterEach(closeAll);

const topicId = "a".repeat(32);
const where = { topic: "t", partition: 0, topicId: null };

/** Batches by their number of offsets and how much the epoch rises before them. */
function laid(batches: readonly { size: number; rise: number; hole: number }[]) {
  let [at, epoch] = [0, 0];
  const log: Buffer[] = [];
  const changes: { offset: number; epoch: number }[] = [];
  for (const { size, rise, hole } of batches) {
    epoch += rise;
    if (rise > 0 && log.length > 0) changes.push({ offset: at, epoch });
    // What compaction removed of a batch's end, and between batches.
    log.push(
      batchOf({ offsets: offsets(at, at + size), lastOffset: at + size - 1 + hole, leaderEpoch: epoch }),
    );
    at += size + hole * 2;
  }
  return { log, changes, end: at };
}

test("finds every step, however small, with holes that compaction left", async () => {
  const batch = fc.record({
    size: fc.integer({ min: 1, max: 9 }),
    rise: fc.integer({ min: -6, max: 2 }).map((n) => Math.max(0, n)),
    hole: fc.integer({ min: -3, max: 2 }).map((n) => Math.max(0, n)),
  });
  const property = fc.asyncProperty(fc.array(batch, { minLength: 1, maxLength: 30 }), async (batches) => {
    const { log, changes, end } = laid(batches);
    const { reader } = await setUp(topicOf(partitionOf(0, end, log), topicId));
    expect(await leaderChanges(reader, where, 0, end)).toEqual(changes);
    await closeAll();
  });
  await fc.assert(property, { numRuns: 25 });
});

test("one leader is told by two reads, one step by few", async () => {
  const still = Array.from({ length: 2_000 }, () => ({ size: 10, rise: 0, hole: 0 }));
  const one = laid(still);
  const { broker, reader } = await setUp(topicOf(partitionOf(0, one.end, one.log), topicId));
  expect(await leaderChanges(reader, where, 0, one.end)).toEqual([]);
  expect(broker.fetchesAsked.length).toBe(2);
  const two = laid(still.map((b, i) => ({ ...b, rise: i === 777 ? 1 : 0 })));
  const moved = await setUp(topicOf(partitionOf(0, two.end, two.log), topicId));
  expect(await leaderChanges(moved.reader, where, 0, two.end)).toEqual([{ offset: 7_770, epoch: 1 }]);
  expect(moved.broker.fetchesAsked.length).toBeLessThan(20);
  expect(await leaderChanges(moved.reader, where, 7_780, two.end)).toEqual([]);
  expect(await leaderChanges(moved.reader, where, 5, 5)).toEqual([]);
});

test("a topic that was made again has no history to tell", async () => {
  const { log, end } = laid([{ size: 10, rise: 0, hole: 0 }]);
  const { reader } = await setUp(topicOf(partitionOf(0, end, log), topicId));
  await expect(leaderChanges(reader, { ...where, topicId: "b".repeat(32) }, 0, end)).rejects.toThrow(
    RecordsGone,
  );
});
