import fc from "fast-check";
import { expect, test } from "vitest";
import { FallSearch } from "./fall-search";
import { PartitionLog } from "./partition-log";
import { factsReader } from "./record-facts";
import { postgresChange, RunLog, readerOf } from "./testing/run-log";

const topic = "shop.public.orders";
const config = {
  "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
  "topic.prefix": "shop",
};

function logOf(...runs: [from: number, to: number][]): RunLog {
  const log = new RunLog();
  for (const [from, to] of runs)
    for (let n = from; n < to; n++) log.append(postgresChange(n, null, 1_789_367_000_000 + n));
  return log;
}

function searchIn(log: RunLog, from: number): FallSearch {
  const facts = factsReader("postgresql", config, null);
  const where = { topic, partition: 0, topicId: null };
  return new FallSearch(new PartitionLog(readerOf(new Map([[topic, log]])), facts, where), facts.kind, from);
}

test("the first record that was produced again is where positions fall, from whatever place it is looked for", async () => {
  const some = fc.record({ length: fc.integer({ min: 1, max: 60 }), back: fc.nat(60), from: fc.nat(60) });
  await fc.assert(
    fc.asyncProperty(some, async ({ length, back, from }) => {
      const start = Math.max(0, length - back);
      const log = logOf([0, length], [start, length + 5]);
      const found = await searchIn(log, Math.min(from, length)).look(log.end, 1e9);
      expect(found?.offset ?? null).toBe(start < length ? length : null);
    }),
    { numRuns: 40 },
  );
});

test("it goes on where it had read to, and keeps the highest it met", async () => {
  const log = logOf([0, 30]);
  const search = searchIn(log, 20);
  expect(await search.look(log.end, 1e9)).toBeNull();
  for (let n = 30; n < 35; n++) log.append(postgresChange(n, null, 1_789_367_000_100 + n));
  expect(await search.look(log.end, 1e9)).toBeNull();
  log.append(postgresChange(33, null, 1_789_367_000_200));
  expect((await search.look(log.end, 1e9))?.offset).toBe(35);
  expect(search.top?.offset).toBe(34);
});
