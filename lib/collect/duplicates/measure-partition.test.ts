import { expect, test } from "vitest";
import { postgresChange, runIdAt } from "@/lib/collect/restarts/testing/run-log";
import { measurePartition } from "./measure-partition";
import { MadeUpLog } from "./testing/made-up-log";

const runs = [runIdAt(1_800_000_000_000), runIdAt(1_800_000_100_000), runIdAt(1_800_000_200_000)];
const at = (offset: number) => 1_800_000_000_000 + offset * 10;

/** A record as text gives it: change number and run. */
function logOf(records: readonly (readonly [number, number])[]) {
  return new MadeUpLog(
    records.length,
    (offset) => {
      const [n, run] = records[offset] as readonly [number, number];
      return postgresChange(n, runs[run] ?? null, at(offset));
    },
    at,
  );
}

const request = {
  topic: "shop.public.orders",
  partition: 0,
  topicId: null,
  from: 0,
  carried: null,
  type: null,
  config: null,
  starts: [],
  registry: null,
  maxBytes: 64 * 1024 * 1024,
};

test("finds what a run produced again", async () => {
  const records: [number, number][] = [];
  for (let n = 0; n < 1000; n++) records.push([n, 0]);
  for (let n = 800; n < 3000; n++) records.push([n, 1]);
  for (let n = 2999; n < 4000; n++) records.push([n, 2]);
  const log = logOf(records);
  const { found } = await measurePartition(log.reader(), { ...request, to: log.end });
  expect(found.replays).toMatchObject([
    {
      firstOffset: 1000,
      lastOffset: 1199,
      count: 200,
      firstCopyOf: 800,
      lastCopyOf: 999,
      bound: "exact",
      evidence: "run-id",
    },
    { firstOffset: 3200, lastOffset: 3200, count: 1, firstCopyOf: 3199 },
  ]);
});
