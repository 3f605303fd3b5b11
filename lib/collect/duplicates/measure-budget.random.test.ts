import fc from "fast-check";
import { expect, test } from "vitest";
import { postgresChange, runIdAt, tombstoneOf } from "@/lib/collect/restarts/testing/run-log";
import type { NotMeasurable } from "@/lib/observed/duplicates";
import { type Carried, carriedSchema, measurePartition } from "./measure-partition";
import { MadeUpLog } from "./testing/made-up-log";
import { copiesIn, inShort, isDelete, type MadeRecord, randomRuns } from "./testing/random-runs";

const base = 1_800_000_000_000;
const numRuns = process.env.TIDEMARK_LONG ? 400 : 12;
const KB = 1024;

const request = {
  topic: "shop.public.orders",
  partition: 0,
  topicId: null,
  type: null,
  config: null,
  starts: [],
  registry: null,
  wholeBytes: 0,
};

function logOf(records: readonly MadeRecord[], ids: boolean, batchSize: number) {
  const made = ({ run, n, kind }: MadeRecord) =>
    kind === "tombstone"
      ? tombstoneOf(n, 0)
      : postgresChange(n, ids ? runIdAt(base + run * 1_000) : null, base, opOf(kind, n));
  return new MadeUpLog(
    records.length,
    (offset) => made(records[offset] as MadeRecord),
    (offset) => base + offset * 10,
    batchSize,
  );
}

const opOf = (kind: string, n: number) => (kind === "snapshot" ? "r" : isDelete(n) ? "d" : "c");

interface Told {
  firstOffset: number;
  lastOffset: number;
  count: number;
  bound: string;
}

/** No shrinking: each of these takes seconds. */
const runs = { numRuns, endOnFailure: true };

/** Nothing is left out in silence: each copy lies in a replay that was told, and exact counts are those of a set. */
function expectAll(found: readonly Told[], notes: readonly NotMeasurable[], copies: readonly number[]) {
  if (notes.some(({ slug }) => slug === "budget")) return;
  const untold = copies.filter((at) => !found.some((r) => r.firstOffset <= at && at <= r.lastOffset));
  expect(untold).toEqual([]);
  const sum = found.reduce((all, { count }) => all + count, 0);
  if (found.every(({ bound }) => bound === "exact")) expect(sum).toBe(copies.length);
  else expect(sum).toBeGreaterThanOrEqual(copies.length);
}

/** A place in a log, as a share of it. */
const place = fc.noBias(fc.integer({ min: 0, max: 1000 })).map((n) => n / 1000);

const budgets = fc.oneof(
  fc.constantFrom(KB, 16 * KB, 64 * KB, 300 * KB, 64 * KB * KB),
  fc.integer({ min: KB, max: 1000 * KB }),
);

const looked = fc.asyncProperty(
  randomRuns(),
  fc.record({ maxBytes: budgets, identityBytes: budgets, batchSize: fc.integer({ min: 1, max: 40 }) }),
  fc.array(place, { maxLength: 3 }),
  async (records, { batchSize, ...limits }, cuts) => {
    const log = logOf(records, true, batchSize);
    const found = new Map<number, Told>();
    const notes: NotMeasurable[] = [];
    let carried: Carried | null = null;
    let from = 0;
    for (const end of [...cuts.map((cut) => Math.floor(cut * log.end)), log.end].sort((a, b) => a - b))
      while (from < end) {
        const look = await measurePartition(log.reader(), {
          ...request,
          ...limits,
          from,
          to: end,
          carried,
        });
        expect(look.found.to).toBeGreaterThan(from);
        for (const replay of look.found.replays) found.set(replay.firstOffset, replay);
        notes.push(...look.found.notMeasurable);
        expect(look.found.falls, inShort(records)).toEqual([]);
        carried = carriedSchema.parse(JSON.parse(JSON.stringify(look.carried)));
        from = look.found.to;
      }
    expectAll([...found.values()], notes, copiesIn(records));
    expect(notes).toEqual([]);
  },
);

test("whatever a look may read, nothing is left out in silence, and each look gets on", async () => {
  await fc.assert(looked, runs);
});

test.each([
  [329449914, "3"],
  [558984090, "166"],
  [847617015, "265"],
  [-1985058263, "311"],
  [-667019929, "3"],
  [-130228296, "87"],
])("runs that take turns where one is counted by position: seed %i, path %s", async (seed, path) => {
  await fc.assert(looked, { seed, path, numRuns: 1, endOnFailure: true });
});

test("of a range that begins anywhere, what came again in it is found", async () => {
  await fc.assert(
    fc.asyncProperty(
      randomRuns(),
      fc.tuple(place, place),
      fc.integer({ min: 1, max: 40 }),
      async (records, ends, batchSize) => {
        const log = logOf(records, true, batchSize);
        const [from, to] = ends.map((end) => Math.floor(end * log.end)).sort((a, b) => a - b) as [
          number,
          number,
        ];
        const { found } = await measurePartition(log.reader(), {
          ...request,
          ...{ from, to, carried: null, maxBytes: 64 * KB * KB },
        });
        const copies = copiesIn(records).filter((at) => at >= from && at < to);
        const name = `${from}-${to}\n${inShort(records)}`;
        expect(
          found.replays.reduce((sum, { count }) => sum + count, 0),
          name,
        ).toBe(copies.length);
        for (const { firstOffset, lastOffset } of found.replays) {
          expect(copies, name).toContain(firstOffset);
          expect(copies, name).toContain(lastOffset);
        }
        expect(found.falls, name).toEqual([]);
        expect(found.runs.every(({ firstOffset }) => firstOffset >= from)).toBe(true);
      },
    ),
    runs,
  );
});

test("a change that alone takes a look's bytes comes again once, and no record beside it is lost", async () => {
  const run = (offset: number) => runIdAt(base + (offset < 300 ? 0 : 1_000));
  const made = (offset: number) => postgresChange(offset < 300 ? offset : offset - 20, run(offset), base);
  const large = (offset: number) => {
    const { value, ...record } = made(offset);
    const row = JSON.parse(String(value));
    return { ...record, value: Buffer.from(JSON.stringify({ ...row, after: { n: "x".repeat(500_000) } })) };
  };
  const isLarge = (offset: number) => offset === 299 || offset === 319;
  const log = new MadeUpLog(
    420,
    (n) => (isLarge(n) ? large(n) : made(n)),
    (n) => base + n * 10,
    1,
  );
  for (const maxBytes of [100 * KB, 320 * KB, 640 * KB, 1_200 * KB]) {
    const told: Told[] = [];
    let carried: Carried | null = null;
    for (let from = 0; from < log.end; ) {
      const { wholeBytes: _, ...of } = request;
      const measured = await measurePartition(log.reader(), { ...of, from, to: log.end, carried, maxBytes });
      told.push(...measured.found.replays);
      from = measured.found.to;
      carried = measured.carried;
    }
    const lost = Array.from({ length: 20 }, (_, i) => 300 + i).filter(
      (at) => !told.some((r) => r.firstOffset <= at && at <= r.lastOffset),
    );
    expect({ maxBytes, lost }).toEqual({ maxBytes, lost: [] });
  }
});
