import { expect, test } from "vitest";
import { postgresChange, runIdAt } from "@/lib/collect/restarts/testing/run-log";
import { measurePartition } from "./measure-partition";
import { searchBytesOf } from "./search-bytes";
import { MadeUpLog } from "./testing/made-up-log";

const MB = 1024 * 1024;
const base = 1_800_000_000_000;

test("behind each start of a range that is soon read all is looked through, and a share of a large one", () => {
  expect(searchBytesOf(200 * MB, 60)).toBe(8 * MB);
  expect(searchBytesOf(2_000 * MB, 20)).toBe(0.4 * MB);
  expect(searchBytesOf(2_000 * MB, 1_000)).toBe(0.25 * MB);
  expect(searchBytesOf(100_000 * MB, 1)).toBe(8 * MB);
});

test("what a frozen worker still writes 48 s after its task was given away is found among many starts", async () => {
  const each = 3_100;
  const starts = 20;
  // Each run writes for a minute. Behind the 11th start, 48 s later and between two samples, the run before it writes once more what was sent since.
  const late = { from: 10 * each + 2_400, count: 100 };
  const runOf = (offset: number) => {
    const isLate = offset >= late.from && offset < late.from + late.count;
    return isLate ? 9 : Math.floor(offset / each);
  };
  const changeOf = (offset: number) => {
    if (runOf(offset) === 9 && offset >= late.from) return 10 * each + (offset - late.from);
    return offset;
  };
  const log = new MadeUpLog(
    starts * each,
    (offset) => postgresChange(changeOf(offset), runIdAt(base + runOf(offset) * 60_000), base),
    (offset) => base + offset * 20,
  );
  const { found } = await measurePartition(log.reader(), {
    ...{ topic: "shop.public.orders", partition: 0, topicId: null, type: null, config: null, starts: [] },
    ...{ registry: null, from: 0, to: log.end, carried: null, maxBytes: 1024 * MB },
  });
  expect(found.replays).toMatchObject([
    { firstOffset: late.from, lastOffset: late.from + late.count - 1, count: late.count, bound: "exact" },
  ]);
});
