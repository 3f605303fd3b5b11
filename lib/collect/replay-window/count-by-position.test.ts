import { describe, expect, test } from "vitest";
import type { Isolation } from "@/lib/kafka/log/log-reader";
import { type CoverageCase, capturedCases, madeUpCases } from "@/lib/measure/replay-window/fixtures/read";
import { countByPosition } from "./count-by-position";
import {
  change,
  changes,
  committedAt,
  counted,
  failed,
  offset,
  orders,
  r1,
  r2,
  slugs,
  tombstone,
} from "./testing/counted";
import { EventLog } from "./testing/event-log";
import { eventText, inForceOf } from "./testing/made-up-events";

describe("one run", () => {
  test("counts what comes after the commit, and nothing that lies before", async () => {
    const log = new EventLog();
    log.write(orders, 0, [change(90), change(100), change(105)]);
    log.write(orders, 0, [change(110), change(120)]);
    const { count, ...facts } = await counted(log);
    // 105 follows the COMMIT at 100.
    expect(count).toMatchObject({
      events: 3,
      tombstones: 0,
      reReads: 0,
      spanMs: 15,
      bound: "at-most",
      unread: 0,
    });
    expect(count).toMatchObject({ partitions: 1, probes: 0 });
    expect(facts).toMatchObject({ transactional: false, appendTime: [] });
    expect(facts.runIds).toEqual(new Map([[`${orders}/0`, r1]]));
    const [first, second] = log.of(orders).batches.map(({ bytes }) => bytes.length);
    expect(count.bytes).toBe(Math.round((first ?? 0) / 3 + (second ?? 0)));
    expect(facts.bytesPerRecord).toBe(((first ?? 0) + (second ?? 0)) / 5);
    expect(count.bytesRead).toBe((first ?? 0) + (second ?? 0));
  });

  test("a long range is searched, and only its end is read", async () => {
    const log = new EventLog();
    for (let n = 0; n < 20_000; n += 100) log.write(orders, 0, changes(n, n + 100));
    const at = { ...offset, lsn: 15_000, lsn_commit: 15_000, lsn_proc: 15_000 };
    const { count } = await counted(log, { offset: at, guess: 1_540 });
    expect(count.events).toBe(499);
    expect(count.probes).toBeLessThanOrEqual(6);
    expect(log.batchesRead).toBeLessThan(80);
  });

  test("nothing after the commit is exactly 0", async () => {
    const log = new EventLog();
    log.write(orders, 0, changes(10, 100));
    const { count } = await counted(log);
    expect(count).toMatchObject({ events: 0, bytes: 0, spanMs: null, bound: "exact", notes: [] });
  });

  test("empty partitions are not read, but for who wrote the newest batch", async () => {
    const log = new EventLog();
    log.write(orders, 0, [change(50)], { id: 7n });
    log.marker(orders, 0, "commit", 7n);
    const result = await counted(log, { from: 2, isolation: "read_committed" });
    expect(result.count).toMatchObject({ events: 0, bound: "exact" });
    expect(result.transactional).toBe(true);
  });

  test("topics with the broker's time are named", async () => {
    const log = new EventLog();
    log.write(orders, 0, [change(120)], { id: -1n, appendTime: true });
    expect((await counted(log)).appendTime).toEqual([orders]);
  });

  test("rows of an incremental snapshot count apart, and only while it is in the offset", async () => {
    const log = new EventLog();
    const row = (n: number) => change(n, { op: "r", source: { snapshot: "incremental" } });
    log.write(orders, 0, [row(90), change(100), row(100), change(105), row(105)]);
    const running = {
      ...offset,
      incremental_snapshot_collections: '[{"incremental_snapshot_collections_id":"t"}]',
    };
    expect((await counted(log, { offset: running, guess: 4 })).count).toMatchObject({
      events: 1,
      reReads: 1,
    });
    expect((await counted(log, { guess: 4 })).count).toMatchObject({ events: 1, reReads: 0 });
  });

  test("events of another connector in the same topic do not count", async () => {
    const log = new EventLog();
    const other = eventText("postgresql", "crm", {
      source: { lsn: 900, sequence: '["890","900"]', name: "crm" },
    });
    log.write(orders, 0, [change(105), { value: other, key: "{}", run: r1 }]);
    const result = await counted(log);
    expect(result.count.events).toBe(1);
    expect(slugs(result)).toEqual(["slot-may-be-ahead", "other-connector"]);
  });
});

describe("a replay", () => {
  test.each([
    ["with run ids", r1, r2],
    ["without", null, null],
  ])("a change and its copy count once, %s", async (_, one, two) => {
    const log = new EventLog();
    log.write(orders, 0, [change(90, { run: one }), ...changes(105, 155, { run: one })]);
    log.write(orders, 0, changes(105, 135, { run: two }));
    expect((await counted(log)).count).toMatchObject({ events: 5, bound: "at-most" });
  });

  test("a run that begins where the range was taken to be of one is noticed", async () => {
    const log = new EventLog();
    for (let n = 0; n < 4_000; n += 100) log.write(orders, 0, changes(n, n + 100));
    log.write(orders, 0, changes(3_500, 3_900, { run: r2 }));
    log.write(orders, 0, changes(4_000, 4_100));
    const at = { ...offset, lsn: 3_000, lsn_commit: 3_000, lsn_proc: 3_000 };
    expect((await counted(log, { offset: at, guess: 310 })).count.events).toBe(109);
  });

  test("rows without a key that share an LSN are told apart by their number in each run", async () => {
    const log = new EventLog();
    const row = (run: string) => change(110, { run, key: null });
    log.write(orders, 0, [row(r1), row(r1), row(r1)]);
    log.write(orders, 0, [row(r2), row(r2), row(r2), row(r2)]);
    const result = await counted(log);
    expect(result.count.events).toBe(4);
    expect(slugs(result)).toEqual(["slot-may-be-ahead", "alike"]);
  });

  test("OFF-03: of the events at the offset's LSN the first three, over all partitions and runs, are covered", async () => {
    const log = new EventLog();
    const inside = {
      lsn: 120,
      lsn_proc: 100,
      lsn_commit: 100,
      lsn_events_processed: 3,
      messageType: "INSERT",
    };
    const at120 = (n: number, run = r1) =>
      change(120, {
        run,
        key: `{"id":${n}}`,
        source: { txId: 7, sequence: '["100","120"]' },
        timestamp: committedAt + n,
      });
    log.write(orders, 0, [at120(1), at120(3)]);
    log.write("shop.public.lines", 0, [at120(2), at120(4), at120(5)]);
    const topics = [orders, "shop.public.lines"];
    const asked = { offset: { ...inside, txId: 7, ts_usec: 1 }, topics };
    expect((await counted(log, asked)).count).toMatchObject({ events: 2, spanMs: 1 });
    log.write(orders, 0, [at120(4, r2), at120(5, r2), at120(6, r2)].slice(2));
    expect((await counted(log, asked)).count.events).toBe(3);
  });
});

describe("KAF and EOS cases", () => {
  /** Three of A, committed; two of B, aborted; one of C, committed: offsets 0 to 8. */
  function transactions(): EventLog {
    const log = new EventLog();
    log.write(orders, 0, changes(105, 135), { id: 1n });
    log.marker(orders, 0, "commit", 1n);
    log.write(orders, 0, changes(205, 225), { id: 2n, aborts: true });
    log.marker(orders, 0, "abort", 2n);
    log.write(orders, 0, changes(305, 315), { id: 3n });
    log.marker(orders, 0, "commit", 3n);
    return log;
  }

  test("KAF-02: markers and aborted records take offsets and are not counted by reading", async () => {
    const log = transactions();
    expect(log.of(orders).end).toBe(9);
    const of = async (isolation: Isolation) => (await counted(log, { isolation })).count.events;
    expect(await of("read_committed")).toBe(4);
    expect(await of("read_uncommitted")).toBe(6);
  });

  test("KAF-02: counted by offsets they make it at most 9", async () => {
    const result = await counted(transactions(), { isolation: "read_committed", maxBytes: 0 });
    expect(result.count).toMatchObject({ events: 9, unread: 9, bound: "at-most" });
    expect(slugs(result)).toEqual(["unread"]);
  });

  test("KAF-05: a tombstone goes with the delete before it and is no event", async () => {
    const log = new EventLog();
    log.write(orders, 0, [change(90, { op: "d" }), tombstone(90), change(105, { op: "d" }), tombstone(105)]);
    expect((await counted(log)).count).toMatchObject({ events: 1, tombstones: 1 });
    log.write(orders, 0, [change(105, { op: "d", run: r2 }), tombstone(105, r2)]);
    expect((await counted(log)).count).toMatchObject({ events: 1, tombstones: 1 });
  });

  test("KAF-19: what retention took before it was read is told", async () => {
    const log = new EventLog();
    for (let n = 105; n < 205; n += 20) log.write(orders, 0, changes(n, n + 20));
    log.of(orders).first = 4;
    const result = await counted(log);
    expect(result.count).toMatchObject({ events: 6, bound: "at-least" });
    expect(result.count.notes[0]?.text).toContain("Offsets 0 to 3 of shop.public.orders/0 were deleted");
  });

  test("KAF-19: a topic that was made again has no figure", async () => {
    const log = new EventLog();
    log.write(orders, 0, changes(105, 205));
    log.of(orders).recreated = true;
    expect(await failed(log)).toMatchObject({
      kind: "conflict",
      sentence: expect.stringContaining("topic shop.public.orders was deleted and made again"),
    });
  });

  test("EOS-05: an aborted transaction and its repetition are two changes, whoever reads", async () => {
    const log = new EventLog();
    log.write(orders, 0, [change(110), change(120)], { id: 1n, aborts: true });
    log.marker(orders, 0, "abort", 1n);
    log.write(orders, 0, [change(110, { run: r2 }), change(120, { run: r2 })], { id: 2n });
    log.marker(orders, 0, "commit", 2n);
    for (const isolation of ["read_committed", "read_uncommitted"] as const) {
      const result = await counted(log, { isolation });
      expect(result.count.events).toBe(2);
      expect(result.transactional).toBe(true);
    }
  });
});

/** Each topic of a case one partition, its events one run's. */
async function countCase({ type, config: own, offsets, events }: CoverageCase, guess = 0) {
  const log = new EventLog();
  for (const { topic, key, value } of events) log.write(topic, 0, [{ value, key, run: r1 }]);
  const prefix = String(offsets[0]?.partition.server ?? offsets[0]?.partition.server_id ?? "p");
  const named = { ...own, "topic.prefix": prefix };
  const topics = [...new Set(events.map(({ topic }) => topic))];
  const look = await countByPosition(log.reader(), {
    type,
    config: named,
    inForce: inForceOf(type, named, offsets, committedAt),
    isolation: "read_uncommitted",
    partitions: topics.map((topic) => {
      const to = log.of(topic).end;
      return { topic, partition: 0, topicId: null, from: 0, guess, to, trusted: guess === 0 };
    }),
    maxBytes: 1_000_000,
  });
  if (look.failure) throw new Error(look.failure.sentence);
  return look.value.count;
}

describe.each([
  ["captured", capturedCases],
  ["made up", madeUpCases],
])("through a broker, %s", (_, cases) => {
  test.each(cases)("$name", async (one) => {
    for (const guess of [0, 1]) {
      const { events, bound } = await countCase(one, guess);
      expect({ events, bound }).toEqual({ events: one.again, bound: one.bound });
    }
  });
});
