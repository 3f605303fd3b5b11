import { expect, test } from "vitest";
import { measurePartition } from "@/lib/collect/duplicates/measure-partition";
import { postgresChange, runIdAt } from "@/lib/collect/restarts/testing/run-log";
import type { FoundReplay } from "@/lib/observed/duplicates";
import { atKeptTime } from "./replay-time";
import { MadeUpLog } from "./testing/made-up-log";

const DAY = 86_400_000;
const KEPT = 90 * DAY;
const T = 1_800_000_000_000;

/** Two of 12 changes come again, by a run that began at a time, in records with timestamps. */
async function replay(began: number | null, timestamp: number): Promise<FoundReplay> {
  const run = (i: number) => (began === null ? null : runIdAt(began - (i < 10 ? DAY : 0)));
  const log = new MadeUpLog(
    12,
    (i) => postgresChange(i < 10 ? i : i - 2, run(i), T),
    () => timestamp,
  );
  const range = { topic: "shop.public.orders", partition: 0, from: 0, to: 12 };
  const { found } = await measurePartition(log.reader(), {
    ...{ ...range, type: null, config: null, registry: null, topicId: null, carried: null, starts: [] },
    ...{ maxBytes: 2 ** 28, wholeBytes: 2 ** 20 },
  });
  return found.replays[0] as FoundReplay;
}

const iso = (millis: number) => new Date(millis).toISOString();

test.each<[name: string, began: number | null, timestamp: number, at: number]>([
  ["its records' times", T - 5_000, T - 2_000, T - 2_000],
  ["its records' times, though its worker's clock is ahead", T - 5_000, T + DAY / 2, T + DAY / 2],
  ["when its run began, without timestamps", T - 5_000, -1, T - 5_000],
  ["when its run began, where timestamps are the source's of years ago", T - 5_000, T - 900 * DAY, T - 5_000],
  ["when it was found, where no run is told", null, T - 900 * DAY, T],
  ["when it was found, in records of the future without a run", null, T + 900 * DAY, T],
  ["years ago, where its run is as old", T - 900 * DAY, T - 900 * DAY, T - 900 * DAY],
])("a replay is kept at %s", async (_, began, timestamp, at) => {
  expect(atKeptTime(await replay(began, timestamp), T, KEPT)).toMatchObject({ at: iso(at), until: iso(at) });
});
