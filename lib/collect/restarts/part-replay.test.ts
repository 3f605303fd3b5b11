import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runStart } from "@/lib/debezium/events/run-context";
import { PartReplay, type RunLook } from "./part-replay";
import { PartitionLog, RecordsGone } from "./partition-log";
import { factsReader } from "./record-facts";
import { firstOfRun } from "./run-start";
import { postgresChange, RunLog, readerOf, runIdAt, tombstoneOf } from "./testing/run-log";

const topic = "shop.public.orders";
const config = {
  "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
  "topic.prefix": "shop",
};
const began = Date.parse("2026-11-30T10:00:00.000Z");

function partOf(log: RunLog) {
  const reader = readerOf(new Map([[topic, log]]));
  const facts = factsReader("postgresql", config, null);
  const partition = new PartitionLog(reader, facts, { topic, partition: 0, topicId: null });
  return { partition, part: new PartReplay(partition, reader, facts.kind, null) };
}

/** Lays down runs, each the changes from a first to before a last; with a delete's tombstone now and then. */
function laidDown(runs: readonly { from: number; to: number }[]): { log: RunLog; ids: string[] } {
  const log = new RunLog();
  let at = began;
  const ids = runs.map(({ from, to }) => {
    at += 1_000;
    const runId = runIdAt(at);
    for (let n = from; n < to; n++) {
      at += 1;
      log.append(postgresChange(n, runId, at, n % 5 === 0 ? "d" : "c"));
      if (n % 5 === 0) log.append(tombstoneOf(n, at));
    }
    return runId;
  });
  return { log, ids };
}

function lookFor(log: RunLog, runId: string, some: Partial<RunLook> = {}): RunLook {
  const from = log.records.find((r) => r.timestamp >= (runStart(runId) ?? 0))?.offset ?? log.end;
  return {
    runId,
    from,
    to: log.end,
    ended: false,
    atDeath: null,
    now: null,
    maxBytes: 1e9,
    ...some,
  };
}

describe("one partition's part of a replay", () => {
  test("is what the new run produced again, between its first record and the mark's", async () => {
    const { log, ids } = laidDown([
      { from: 0, to: 100 },
      { from: 71, to: 140 },
    ]);
    const { part } = partOf(log);
    await part.look(lookFor(log, ids[1] ?? ""));
    expect(part).toMatchObject({ over: true, count: { count: 29, fault: null } });
    expect(part.first?.offset).toBe(120);
  });

  test("reaches up to the highest of all earlier runs, where the one before died in the middle of a replay", async () => {
    const { log, ids } = laidDown([
      { from: 0, to: 100 },
      { from: 60, to: 75 },
      { from: 60, to: 70 },
      { from: 60, to: 120 },
    ]);
    const { part } = partOf(log);
    await part.look(lookFor(log, ids[3] ?? ""));
    expect(part).toMatchObject({ over: true, count: { count: 40 } });
  });

  test("is counted as far as the run has got, and goes on at the next look", async () => {
    const { log, ids } = laidDown([{ from: 0, to: 100 }]);
    const { part } = partOf(log);
    const runId = runIdAt(began + 60_000);
    await part.look(lookFor(log, runId));
    expect(part).toMatchObject({ over: false, first: null });
    for (let n = 80; n < 90; n++) log.append(postgresChange(n, runId, began + 60_010));
    await part.look(lookFor(log, runId));
    expect(part).toMatchObject({ over: false, count: { count: 10 } });
    for (let n = 90; n < 101; n++) log.append(postgresChange(n, runId, began + 60_020));
    await part.look(lookFor(log, runId, { maxBytes: 1 }));
    expect(part.over).toBe(false);
    while (!part.over) await part.look(lookFor(log, runId, { maxBytes: 1 }));
    expect(part.count?.count).toBe(20);
    expect(ids).toHaveLength(1);
  });

  test("is over where a later run has begun", async () => {
    const { log, ids } = laidDown([
      { from: 0, to: 50 },
      { from: 40, to: 44 },
      { from: 40, to: 60 },
    ]);
    const { part } = partOf(log);
    const next = log.records.findIndex((r) => r.timestamp > (runStart(ids[2] ?? "") ?? 0));
    await part.look(lookFor(log, ids[1] ?? "", { to: next, ended: true }));
    expect(part).toMatchObject({ over: true, count: { count: 4 } });
  });

  test("nothing was before: a first start replays nothing", async () => {
    const { log, ids } = laidDown([{ from: 0, to: 10 }]);
    const { part } = partOf(log);
    await part.look(lookFor(log, ids[0] ?? ""));
    expect(part).toMatchObject({ over: true, reached: null, count: null });
  });

  test("retention took what would have to be read", async () => {
    const { log } = laidDown([{ from: 0, to: 30 }]);
    const { part } = partOf(log);
    const runId = runIdAt(began + 60_000);
    for (let n = 10; n < 20; n++) log.append(postgresChange(n, runId, began + 60_010));
    await part.look(lookFor(log, runId));
    for (let n = 20; n < 40; n++) log.append(postgresChange(n, runId, began + 60_010));
    log.earliest = log.end - 5;
    await expect(part.look(lookFor(log, runId))).rejects.toThrow(/Retention removed offsets/);
  });

  test("a topic that was made again has no replay to measure", async () => {
    const { log, ids } = laidDown([
      { from: 0, to: 30 },
      { from: 20, to: 40 },
    ]);
    log.recreated = true;
    const { part } = partOf(log);
    await expect(part.look(lookFor(log, ids[1] ?? ""))).rejects.toThrow(RecordsGone);
  });

  test("records of the run before behind those of the new one are told, not counted", async () => {
    const { log, ids } = laidDown([
      { from: 0, to: 30 },
      { from: 20, to: 25 },
    ]);
    log.append(postgresChange(30, ids[0] ?? "", began + 90_000));
    log.append(postgresChange(26, ids[1] ?? "", began + 90_001));
    const { part } = partOf(log);
    await expect(part.look(lookFor(log, ids[1] ?? ""))).rejects.toThrow(/two tasks wrote at the same time/);
  });

  test("values that hold no position are told, not counted", async () => {
    const { log } = laidDown([{ from: 0, to: 10 }]);
    const runId = runIdAt(began + 60_000);
    log.append({ ...postgresChange(9, runId, began + 60_010), value: Buffer.from('{"id":1}') });
    const { part } = partOf(log);
    await expect(part.look(lookFor(log, runId))).rejects.toThrow(/cannot be measured/);
  });

  test("equals a set of all that was delivered before, for any runs, in a few reads each", async () => {
    const run = fc.record({ back: fc.nat(40), length: fc.integer({ min: 0, max: 120 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(run, { minLength: 2, maxLength: 5 }), async (steps) => {
        let reached = 0;
        // A start never lies before an earlier one: what was committed stays so.
        let committed = 0;
        const runs = steps.map(({ back, length }) => {
          const from = Math.max(committed, reached - back);
          committed = from;
          reached = Math.max(reached, from + length);
          return { from, to: from + length };
        });
        const { log, ids } = laidDown(runs);
        const newest = runs.length - 1;
        const earlier = new Set(runs.slice(0, newest).flatMap(({ from, to }) => numbers(from, to)));
        const { from, to } = runs[newest] ?? { from: 0, to: 0 };
        const duplicates = numbers(from, to).filter((n) => earlier.has(n)).length;
        const { part } = partOf(log);
        await part.look(lookFor(log, ids[newest] ?? ""));
        expect(part.count?.count ?? 0).toBe(duplicates);
      }),
      { numRuns: 40 },
    );
  });
});

describe("where a run begins", () => {
  test("is found from any place before it, and from one inside it", async () => {
    const { log, ids } = laidDown([
      { from: 0, to: 300 },
      { from: 290, to: 600 },
    ]);
    const truth = log.records.findIndex(({ headers }) =>
      headers.some(({ value }) => value?.toString() === ids[1]),
    );
    for (const from of [0, 1, truth - 1, truth, truth + 1, truth + 200, log.end - 1]) {
      const { partition } = partOf(log);
      log.fetches = 0;
      expect((await firstOfRun(partition, ids[1] ?? "", from, log.end))?.offset).toBe(truth);
      expect(log.fetches).toBeLessThan(200);
    }
    const { partition } = partOf(log);
    expect(await firstOfRun(partition, runIdAt(began + 999_999), 0, log.end)).toBeNull();
  });
});

function numbers(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);
}
