import fc from "fast-check";
import { expect, test } from "vitest";
import { type DeliveredRecord, deliveredOrder } from "@/lib/debezium/events/delivered-record";
import { IdentityWalk, type WalkOptions } from "./identity-walk";
import { bareRecord, change, changes, log, runAt } from "./testing/delivered";

const [a, b, c] = [runAt(1), runAt(2), runAt(3)];

function walk(records: readonly DeliveredRecord[], options: Partial<WalkOptions> = {}) {
  const made = new IdentityWalk(deliveredOrder("postgresql"), {
    countFrom: 0,
    limit: 1_000_000,
    ...options,
  });
  for (const record of records) made.add(record);
  return made;
}

const span = (replay: { firstOffset: number; lastOffset: number; count: number }) => [
  replay.firstOffset,
  replay.lastOffset,
  replay.count,
];
const spans = (records: readonly DeliveredRecord[], options?: Partial<WalkOptions>) =>
  walk(records, options).replays().map(span);

test("a restart's replay has its first and last copy, where their first copies lie, and both runs", () => {
  expect(walk(log([...changes(0, 10, a), ...changes(6, 15, b)])).replays()).toEqual([
    {
      partition: 0,
      firstOffset: 10,
      lastOffset: 13,
      count: 4,
      bound: "exact",
      firstPosition: "at 6",
      lastPosition: "at 9",
      firstCopyOf: 6,
      lastCopyOf: 9,
      runBefore: a,
      runAfter: b,
      writer: "shop",
      at: new Date(1_789_367_010_000).toISOString(),
      until: new Date(1_789_367_013_000).toISOString(),
      causeInLog: null,
    },
  ]);
});

test("tombstones, rows of snapshots and other writers' changes end no replay; a new change does", () => {
  const other = (offset: number) =>
    change(offset, 77, null, { writer: "other", lane: "other", identity: `other ${offset}` });
  const records = log([
    ...changes(0, 4, a),
    ...changes(2, 3, b),
    (offset) => bareRecord("tombstone", offset),
    (offset) => bareRecord("snapshot", offset),
    other,
    ...changes(3, 6, b),
    ...changes(0, 1, b),
  ]);
  expect(spans(records)).toEqual([
    [4, 8, 2],
    [11, 11, 1],
  ]);
});

test("a run killed in the middle of its replay has one, and so has the next", () => {
  const records = log([...changes(0, 10, a), ...changes(4, 7, b), ...changes(4, 12, c)]);
  expect(spans(records)).toEqual([
    [10, 12, 3],
    [13, 18, 6],
  ]);
  // Without run ids the copies' own order tells.
  const bare = records.map((record) => ({ ...record, runId: null }));
  expect(spans(bare)).toEqual([
    [10, 12, 3],
    [13, 18, 6],
  ]);
});

test("of two tasks that write side by side each has one replay, and the dead one's is named", () => {
  // The new run comes again from 4 on, the old one is not dead and goes on: each delivers 10 to 13.
  const records = log([
    ...changes(0, 10, a),
    ...changes(4, 8, b),
    ...changes(10, 12, a),
    ...changes(8, 14, b),
    ...changes(12, 14, a),
    ...changes(14, 16, b),
  ]);
  const replays = walk(records).replays();
  expect(replays.map(span)).toEqual([
    [10, 19, 8],
    [22, 23, 2],
  ]);
  expect(replays[1]).toMatchObject({ runBefore: b, runAfter: a, causeInLog: "worker-lost" });
});

test("a batch that the producer doubled is a replay within one run", () => {
  const [replay] = walk(log([...changes(0, 6, a), ...changes(3, 6, a), ...changes(6, 9, a)])).replays();
  expect(replay).toMatchObject({
    firstOffset: 6,
    lastOffset: 8,
    count: 3,
    firstCopyOf: 3,
    runBefore: a,
    causeInLog: "producer-retry",
  });
  const blocking = walk(
    log([...changes(0, 6, a), (offset) => bareRecord("snapshot", offset), ...changes(3, 6, a)]),
  );
  expect(blocking.replays()[0]).toMatchObject({ count: 3, causeInLog: null });
});

test("what an earlier run wrote is no producer's, though the run wrote something new between", () => {
  // The run before was not dead: it wrote 10 and 12 while the new one began again at 8.
  const records = log([
    ...changes(0, 10, a),
    ...changes(8, 10, b),
    ...changes(10, 11, a),
    ...changes(12, 13, a),
    ...changes(10, 15, b),
    ...changes(13, 16, a),
  ]);
  expect(
    walk(records)
      .replays()
      .map((replay) => [...span(replay), replay.runBefore, replay.causeInLog]),
  ).toEqual([
    [10, 14, 3, a, null],
    [16, 16, 1, a, null],
    [19, 20, 2, b, "worker-lost"],
  ]);
});

test("copies before `countFrom` are remembered and not counted", () => {
  const records = log([...changes(0, 5, a), ...changes(3, 6, b), ...changes(4, 8, c)]);
  expect(spans(records, { countFrom: 8 })).toEqual([[8, 9, 2]]);
});

test("changes that may share an identity are compared by how many stood at a position in one run", () => {
  const caveat = "The table has no key.";
  const same = (runId: string) => (offset: number) =>
    change(offset, 5, runId, { identity: "one LSN", caveat, rowKey: null });
  const none = walk(log([same(a), same(a), same(a)]));
  expect(none.replays()).toEqual([]);
  expect(none.beside).toBe(2);
  // Killed in the middle: two of the four had been sent.
  const killed = walk(log([...changes(0, 3, a), same(a), same(a), same(b), same(b), same(b), same(b)]));
  expect(killed.replays()).toMatchObject([{ firstOffset: 5, lastOffset: 6, count: 2, bound: "at-most" }]);
  const again = walk(log([same(a), same(a), ...changes(6, 9, a), same(b), same(b), ...changes(6, 9, b)]));
  expect(again.replays()).toMatchObject([{ firstOffset: 5, lastOffset: 9, count: 5 }]);
});

test("a change without identity is told apart, and where there is no more room the count is a lower bound", () => {
  const bare = (offset: number) => change(offset, 4, b, { identity: null });
  const lacking = walk(log([...changes(0, 5, a), ...changes(3, 4, b), bare]));
  expect(lacking.unidentified).toBe(1);
  expect(lacking.replays()).toMatchObject([{ count: 1, bound: "at-least" }]);
  const small = walk(log([...changes(0, 9, a), ...changes(3, 9, b)]), { limit: 5 });
  expect(small.full).toBe(true);
  expect(small.replays()).toMatchObject([{ firstOffset: 9, lastOffset: 10, count: 2, bound: "at-least" }]);
});

/** Writes of tasks that may run side by side, each beginning again where some earlier one was. */
const tasks = fc.array(
  fc.record({
    run: fc.integer({ min: 0, max: 3 }),
    from: fc.nat(40),
    length: fc.integer({ min: 1, max: 12 }),
    between: fc.integer({ min: 0, max: 2 }),
  }),
  { maxLength: 20 },
);

/** By the words of the rule: identities in a set, each run's copies apart, ended by a new change or by going back. */
function naive(records: readonly DeliveredRecord[]): number[][] {
  const first = new Map<string, number>();
  const found: number[][] = [];
  const open = new Map<string | null, { span: number[]; copyOf: number } | null>();
  for (const { kind, identity, offset, runId } of records) {
    if (kind !== "change" || identity === null) continue;
    const copyOf = first.get(identity);
    if (copyOf === undefined) {
      first.set(identity, offset);
      open.set(runId, null);
      continue;
    }
    const current = open.get(runId);
    if (current && current.copyOf < copyOf) {
      current.span[1] = offset;
      current.span[2] = (current.span[2] ?? 0) + 1;
      current.copyOf = copyOf;
    } else {
      const one = { span: [offset, offset, 1], copyOf };
      found.push(one.span);
      open.set(runId, one);
    }
  }
  return found;
}

test("random logs: the same replays as a set of texts finds", () => {
  const property = fc.property(tasks, (written) => {
    const records = log(
      written.flatMap(({ run, from, length, between }) => [
        ...changes(from, from + length, runAt(run)),
        ...Array.from(
          { length: between },
          (_, i) => (offset: number) => bareRecord(i === 0 ? "tombstone" : "snapshot", offset),
        ),
      ]),
    );
    const found = spans(records);
    expect(found).toEqual(naive(records));
  });
  fc.assert(property, { numRuns: 500 });
});

test("identities that differ in digits only have hashes that differ", () => {
  const made = new IdentityWalk(null, { countFrom: 0, limit: 1_000_000 });
  const { position } = change(0, 0);
  for (let n = 0; n < 250_000; n++)
    made.add(
      change(n, 0, null, { identity: `["shop",["${n % 977}","${27_334_000 + n}","t","c"]]`, position }),
    );
  expect(made.copies).toBe(0);
});
