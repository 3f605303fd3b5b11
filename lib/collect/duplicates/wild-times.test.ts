import { expect, test } from "vitest";
import { postgresChange, runIdAt } from "@/lib/collect/restarts/testing/run-log";
import { scanTopic } from "@/lib/collect/scan/scan-topic";
import { partitionDuplicatesSchema, scanResultSchema } from "@/lib/observed/duplicates";
import { measurePartition } from "./measure-partition";
import { MadeUpLog } from "./testing/made-up-log";

const topic = "shop.public.orders";
const T = 1_800_000_000_000;
const all = { topic, partition: 0, from: 0, to: 420 };
const common = { type: null, config: null, registry: null };

/** 400 changes, of which the last 20 come again by another run. */
function logOf(withIds: boolean, time: (offset: number) => number) {
  const make = (offset: number) =>
    postgresChange(
      offset < 400 ? offset : offset - 20,
      withIds ? runIdAt(T + (offset < 400 ? 0 : 1_000)) : null,
      T,
    );
  return new MadeUpLog(420, make, time).reader();
}

const clocks: [name: string, time: (offset: number) => number][] = [
  ["microseconds", (offset) => (T + offset) * 1_000],
  ["the largest", () => Number(2n ** 63n - 1n)],
  ["none", () => -1],
  ["before 1970", (offset) => -(T + offset) * 1_000],
  ["none, and then the largest", (offset) => (offset < 405 ? -1 : Number(2n ** 63n - 1n))],
];

test.each(clocks)("timestamps that no date can hold are no reason not to count: %s", async (_, time) => {
  for (const withIds of [true, false])
    for (const wholeBytes of [0, 2 ** 20]) {
      const { found } = await measurePartition(logOf(withIds, time), {
        ...{ ...all, ...common, topicId: null, carried: null, starts: [], maxBytes: 2 ** 28, wholeBytes },
      });
      expect(partitionDuplicatesSchema.parse(found)).toEqual(found);
      expect(found.replays.map(({ firstOffset, count }) => [firstOffset, count])).toEqual([[400, 20]]);
    }
  const { result } = await scanTopic(logOf(true, time), {
    ...{ ...common, topic, topicId: null, partitions: [all], secret: Buffer.from("8 bytes!") },
  });
  expect(scanResultSchema.parse(result)).toEqual(result);
  expect(result.duplicates).toBe(20);
});
