import fc from "fast-check";
import { expect, test } from "vitest";
import { postgresChange, runIdAt, tombstoneOf } from "@/lib/collect/restarts/testing/run-log";
import { deliveredRecord } from "@/lib/debezium/events/delivered-record";
import { IdentityWalk } from "@/lib/measure/duplicates/identity-walk";
import type { FoundReplay } from "@/lib/observed/duplicates";
import { type Carried, carriedSchema, measurePartition } from "./measure-partition";
import { MadeUpLog } from "./testing/made-up-log";
import { copiesIn, inShort, isDelete, type MadeRecord, randomRuns } from "./testing/random-runs";

const topic = "shop.public.orders";
const base = 1_800_000_000_000;
const at = (offset: number) => base + offset * 10;
const bytesOf = new Map<string, ReturnType<typeof made>>();

function made({ run, n, kind }: MadeRecord, ids: boolean) {
  const runId = ids ? runIdAt(base + run * 1_000) : null;
  if (kind === "tombstone") return tombstoneOf(n, 0);
  return postgresChange(n, runId, base, kind === "snapshot" ? "r" : isDelete(n) ? "d" : "c");
}

function recordOf(record: MadeRecord, ids = true) {
  const name = JSON.stringify([record, ids]);
  const known = bytesOf.get(name) ?? made(record, ids);
  bytesOf.set(name, known);
  return known;
}

function logOf(records: readonly MadeRecord[], ids = true, batchSize = 16) {
  return new MadeUpLog(
    records.length,
    (offset) => recordOf(records[offset] as MadeRecord, ids),
    at,
    batchSize,
  );
}

const request = {
  topic,
  partition: 0,
  topicId: null,
  carried: null,
  type: null,
  config: null,
  starts: [],
  registry: null,
  wholeBytes: 0,
  maxBytes: 256 * 1024 * 1024,
};

function told({ firstOffset, lastOffset, count, firstCopyOf, lastCopyOf, runAfter }: FoundReplay) {
  return { firstOffset, lastOffset, count, firstCopyOf, lastCopyOf, runAfter };
}

function truth(records: readonly MadeRecord[]) {
  const walk = new IdentityWalk(null, { countFrom: 0, limit: 1e6 });
  records.forEach((record, offset) => {
    walk.add(
      deliveredRecord(
        { ...recordOf(record), offset, timestamp: at(offset) },
        { topic, partition: 0 },
        null,
        null,
      ),
    );
  });
  return walk.replays().map((replay) => told({ ...replay, topic, topicId: null, evidence: "whole" }));
}

const sum = (replays: readonly { count: number }[]) => replays.reduce((all, { count }) => all + count, 0);

test("finds the replays that a set of all identities finds", async () => {
  await fc.assert(
    fc.asyncProperty(randomRuns(), fc.integer({ min: 1, max: 40 }), async (records, batchSize) => {
      const log = logOf(records, true, batchSize);
      const name = inShort(records);
      const { found } = await measurePartition(log.reader(), { ...request, from: 0, to: log.end });
      expect(found.replays.map(told), name).toEqual(truth(records));
      expect(sum(found.replays)).toBe(copiesIn(records).length);
      expect(found).toMatchObject({ falls: [], notMeasurable: [], sure: "complete" });
    }),
    { numRuns: 25 },
  );
});

test("in slices it finds what it finds at once", async () => {
  await fc.assert(
    fc.asyncProperty(
      randomRuns(),
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 5 }),
      async (records, cuts) => {
        const log = logOf(records);
        const found = new Map<number, FoundReplay>();
        let carried: Carried | null = null;
        let from = 0;
        for (const to of [...cuts.map((cut) => Math.floor(cut * log.end)), log.end].sort((a, b) => a - b)) {
          const part = await measurePartition(log.reader(), { ...request, from, to, carried });
          for (const replay of part.found.replays) found.set(replay.firstOffset, replay);
          carried = carriedSchema.parse(JSON.parse(JSON.stringify(part.carried)));
          from = part.found.to;
        }
        const replays = [...found.values()].sort((a, b) => a.firstOffset - b.firstOffset);
        expect(replays.map(told), inShort(records)).toEqual(truth(records));
      },
    ),
    { numRuns: 15 },
  );
});
