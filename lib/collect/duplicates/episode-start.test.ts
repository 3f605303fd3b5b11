import { expect, test } from "vitest";
import { postgresChange, runIdAt } from "@/lib/collect/restarts/testing/run-log";
import { deliveredRecord } from "@/lib/debezium/events/delivered-record";
import { Marks } from "@/lib/measure/duplicates/marks";
import { partFrom } from "@/lib/measure/duplicates/run-parts";
import { EpisodeStart } from "./episode-start";
import type { LaneStart } from "./lane-start";

const base = 1_800_000_000_000;
const change = (n: number, offset: number, run = 1) =>
  deliveredRecord(
    { ...postgresChange(n, runIdAt(base + run * 1_000), base), offset, timestamp: base + offset },
    { topic: "shop.public.orders", partition: 0 },
    null,
    null,
  );

/** A run that was taken for dead at change 599, of 30,000 that were reached. */
function takenForDead(): EpisodeStart {
  const [before, first] = [change(30_000, 30_000, 0), change(500, 30_001)];
  const earlier = partFrom(change(0, 0, 0), 30_001);
  const lane: LaneStart = {
    lane: first.lane,
    first,
    marks: new Marks([before]),
    standing: "below",
    stretches: [{ part: earlier, from: 500, to: 600 }],
    upTo: change(599, 30_100),
    rests: [{ part: earlier, from: 600, to: 30_001 }],
    lostBelow: null,
  };
  return new EpisodeStart(partFrom(first, 30_101), [lane], 0);
}

test("what a run that was taken for dead goes on with asks for the rest of what was reached, once", () => {
  const start = takenForDead();
  expect(start.lacks(change(598, 30_200))).toBe(false);
  expect(start.lacks(change(600, 30_200))).toBe(true);
  expect(start.rests()).toMatchObject([{ from: 600, to: 30_001 }]);
  expect(start.lacks(change(600, 30_200))).toBe(false);
});

test("where the rest is too much to be read, what comes again of it is counted by position, however much", () => {
  const start = takenForDead();
  start.rests();
  start.countByPosition();
  for (let n = 600; n <= 30_001; n++) start.look(change(n, 30_000 + n), "new");
  expect(start.isOpen).toBe(false);
  expect(start.withLost([])).toMatchObject([
    { firstOffset: 30_600, lastOffset: 60_000, count: 29_401, bound: "at-most", firstCopyOf: null },
  ]);
});
