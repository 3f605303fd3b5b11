import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { batchOf, id, logOf, offsets, partitionOf, topicOf } from "./testing/fake-log";
import { closeAll, failureOf, hundred, range, readWhole, script, setUp, size } from "./testing/fake-reads";

afterEach(closeAll);

describe("a range", () => {
  test.each([
    ["of Kafka 0.11", { fetch: 5, listOffsets: 2, metadata: 4 }, 5],
    ["of Kafka 1.1", { fetch: 7, listOffsets: 2, metadata: 5 }, 7],
    ["of Kafka 2.1", { fetch: 10, listOffsets: 4, metadata: 7 }, 10],
    ["of Kafka 2.8", { fetch: 12, listOffsets: 5, metadata: 11 }, 11],
    ["of Kafka 4", { fetch: 18, listOffsets: 11, metadata: 13 }, 13],
  ])("is read from brokers %s", async (_, newest, version) => {
    const { broker, reader } = await setUp(hundred(), { newest });
    const { end, offsets: found } = await readWhole(reader.read(range));
    expect(found).toEqual(offsets(0, 100));
    expect(end).toEqual({ why: "end", next: 100, deleted: [], bytes: size * 10 });
    expect(broker.fetchesAsked.map((f) => f.version)).toEqual([version]);
  });

  test("begins and ends within a batch: each tells of what is wanted of it, and records() holds no other", async () => {
    const { reader } = await setUp();
    const { end, batches, offsets: found } = await readWhole(reader.read({ ...range, from: 25, to: 42 }));
    expect(found).toEqual(offsets(25, 42));
    expect(batches.map((b) => [b.baseOffset, b.lastOffset, b.from, b.to])).toEqual([
      [20, 29, 25, 30],
      [30, 39, 30, 40],
      [40, 49, 40, 42],
    ]);
    expect(batches[0]?.records()[0]).toMatchObject({
      offset: 25,
      key: Buffer.from("k0025"),
      value: Buffer.from("v0025"),
      timestamp: 1_789_367_000_005,
    });
    expect(end).toMatchObject({ why: "end", next: 42 });
  });

  test("beyond the end ends there, and waits for nothing", async () => {
    const { broker, reader } = await setUp();
    const { end } = await readWhole(reader.read({ ...range, from: 90, to: 1_000 }));
    expect(end).toMatchObject({ why: "end", next: 100 });
    expect(broker.fetchesAsked.length).toBe(1);
    expect((await readWhole(reader.read({ ...range, from: 100 }))).end).toMatchObject({
      why: "end",
      next: 100,
    });
    expect((await readWhole(reader.read({ ...range, from: 50, to: 40 }))).end).toMatchObject({ next: 50 });
  });

  test("what is written while it is read is not of it", async () => {
    const { broker, reader } = await setUp();
    const { end } = await readWhole(reader.read({ ...range, fetchBytes: size }), () => {
      broker.topics.set("t", topicOf(partitionOf(0, 200, logOf(0, 200, 10))));
    });
    expect(end).toMatchObject({ why: "end", next: 100 });
  });

  test("the next fetch is under way while a batch is looked at, and no other", async () => {
    const { broker, reader } = await setUp();
    const read = reader.read({ ...range, fetchBytes: size * 3 });
    await read.next();
    await sleep(100);
    expect(broker.fetchesAsked.map((f) => f.offset)).toEqual([0, 30]);
    for (let i = 0; i < 3; i++) await read.next();
    await sleep(100);
    expect(broker.fetchesAsked.map((f) => f.offset)).toEqual([0, 30, 60]);
    await read.return({ why: "cancelled", next: 0, deleted: [], bytes: 0 });
  });

  test("ends after the batch that reaches the budget, and fetches no more than it", async () => {
    const { broker, reader } = await setUp();
    const { end, batches } = await readWhole(reader.read({ ...range, maxBytes: size * 2 + 1 }));
    expect(end).toMatchObject({ why: "budget", next: 30 });
    expect(batches.length).toBe(3);
    expect(broker.fetchesAsked[0]?.maxBytes).toBe(size * 2 + 1);
    expect(end.bytes).toBeLessThanOrEqual(size * 4);
    await sleep(50);
    expect(broker.fetchesAsked.length).toBe(2);
  });

  test("memory is used again for who keeps nothing, and for nobody else", async () => {
    const large = (offset: number) => String(offset).repeat(1_500_000);
    const log = offsets(0, 9).map((offset) => batchOf({ offsets: [offset], value: large }));
    const { reader } = await setUp(topicOf(partitionOf(0, 9, log)));
    for (const keepsNothing of [false, true]) {
      const memories = new Set<ArrayBufferLike>();
      const { batches } = await readWhole(reader.read({ ...range, fetchBytes: 1, keepsNothing }), (batch) => {
        memories.add(batch.body.buffer);
        expect(batch.records()[0]?.value?.toString()).toBe(large(batch.baseOffset));
      });
      if (keepsNothing) expect(memories.size).toBeLessThan(9);
      else expect(batches.map((b) => String(b.records()[0]?.value)[0])).toEqual([..."012345678"]);
    }
  });

  test("many at once take two connections to the broker", async () => {
    const { broker, reader } = await setUp();
    const all = await Promise.all(
      offsets(0, 30).map((from) => readWhole(reader.read({ ...range, from, to: from + 1 }))),
    );
    expect(all.map((one) => one.offsets)).toEqual(offsets(0, 30).map((offset) => [offset]));
    expect(broker.connections).toBe(2);
    expect(broker.metadataAsked.length).toBe(1);
  });
});

describe("answers that bring less than asked for", () => {
  test("a batch larger than a fetch comes whole (KIP-74)", async () => {
    const { reader } = await setUp();
    expect((await readWhole(reader.read({ ...range, fetchBytes: 1 }))).offsets).toEqual(offsets(0, 100));
  });

  test("where it does not, more is asked for", async () => {
    const { broker, reader } = await setUp();
    const all = Buffer.concat(logOf(0, 100, 10));
    broker.onFetch = (asked) => ({
      records: all.subarray((asked.offset / 10) * size, (asked.offset / 10) * size + asked.maxBytes),
    });
    for (const fetchBytes of [5, 100, size + 5]) {
      const { offsets: found } = await readWhole(reader.read({ ...range, fetchBytes }));
      expect(found).toEqual(offsets(0, 100));
    }
    const budget = await readWhole(reader.read({ ...range, maxBytes: 100 }));
    expect(budget.end).toMatchObject({ why: "budget", next: 10 });
  });

  test("a broker that cuts whatever it is asked for is told of", async () => {
    const { broker, reader } = await setUp();
    broker.onFetch = () => ({ records: batchOf({ offsets: offsets(0, 10) }).subarray(0, 50) });
    const error = await failureOf(reader.read(range));
    expect(error.message).toBe(
      `topic t, partition 0, offset 0: the broker gives 50 of ${size} bytes of a batch, whatever it is asked for`,
    );
  });

  test("a batch larger than Tidemark fetches at once is told of", async () => {
    const { broker, reader } = await setUp();
    const huge = batchOf({ offsets: offsets(0, 10) });
    huge.writeInt32BE(100_000_000, 8);
    broker.onFetch = () => ({ records: huge });
    expect((await failureOf(reader.read(range))).failure).toMatchObject({ kind: "too-large" });
  });

  test("nothing left by compaction up to the end: it ends, and doubts it first", async () => {
    const { broker, reader } = await setUp(topicOf(partitionOf(0, 100, logOf(0, 50, 10))));
    const { end, offsets: found } = await readWhole(reader.read(range));
    expect(found).toEqual(offsets(0, 50));
    expect(end).toMatchObject({ why: "end", next: 100 });
    expect(broker.fetchesAsked.map((f) => [f.offset, f.waitMs])).toEqual([
      [0, 0],
      [50, 0],
      [50, 500],
    ]);
  });

  test("gaps within the log are passed over", async () => {
    const log = [
      batchOf({ offsets: [0, 3], lastOffset: 9 }),
      batchOf({ offsets: [40, 44], lastOffset: 49 }),
      batchOf({ offsets: [90] }),
    ];
    const { reader } = await setUp(topicOf(partitionOf(0, 91, log)));
    for (const fetchBytes of [1, 1_000_000]) {
      const { end, offsets: found } = await readWhole(reader.read({ ...range, from: 2, fetchBytes }));
      expect(found).toEqual([3, 40, 44, 90]);
      expect(end).toMatchObject({ why: "end", next: 91 });
    }
  });

  test("an empty answer before the end that was a broker's hesitation", async () => {
    const { broker, reader } = await setUp();
    script(broker, { records: Buffer.alloc(0) });
    expect((await readWhole(reader.read(range))).offsets).toEqual(offsets(0, 100));
  });
});

describe("transactions", () => {
  // As KAF-02 has it: A of 0 to 2 committed, B of 4 and 5 aborted, C of 7 committed.
  const log = [
    batchOf({ offsets: [0, 1, 2], producerId: 1, transactional: true }),
    batchOf({ offsets: [3], producerId: 1, marker: "commit" }),
    batchOf({ offsets: [4, 5], producerId: 2, transactional: true }),
    batchOf({ offsets: [6], producerId: 2, marker: "abort" }),
    batchOf({ offsets: [7], producerId: 3, transactional: true }),
    batchOf({ offsets: [8], producerId: 3, marker: "commit" }),
  ];

  test("KAF-02: nine offsets are four records, or six for who does not wait, and three markers", async () => {
    const { broker, reader } = await setUp(topicOf(partitionOf(0, 9, log)));
    broker.onFetch = (asked) =>
      asked.isolation === 1 ? { aborted: [{ producerId: 2n, firstOffset: 4n }] } : {};
    for (const fetchBytes of [1, 1_000_000]) {
      const committed = await readWhole(reader.read({ ...range, isolation: "read_committed", fetchBytes }));
      expect(committed.offsets).toEqual([0, 1, 2, 7]);
      expect(committed.batches.map((b) => b.aborted)).toEqual([false, false, true, false, false, false]);
      expect(committed.batches.map((b) => b.visible)).toEqual([true, false, false, false, true, false]);
      const uncommitted = await readWhole(reader.read({ ...range, fetchBytes }));
      expect(uncommitted.offsets).toEqual([0, 1, 2, 4, 5, 7]);
      expect(uncommitted.batches.filter((b) => b.control).length).toBe(3);
      expect(new Set(uncommitted.batches.map((b) => b.aborted))).toEqual(new Set([null]));
    }
  });

  test("a reader that waits for commits stops before an open one", async () => {
    const { reader } = await setUp(topicOf(partitionOf(0, 9, log, { stable: 4n })));
    for (const to of [undefined, 9]) {
      const more = to === undefined ? {} : { to };
      const { end, offsets: found } = await readWhole(
        reader.read({ ...range, isolation: "read_committed", ...more }),
      );
      expect(found).toEqual([0, 1, 2]);
      expect(end).toMatchObject({ why: "end", next: 4 });
    }
    const beyond = await readWhole(reader.read({ ...range, isolation: "read_committed", from: 6 }));
    expect(beyond.end).toMatchObject({ why: "end", next: 6 });
  });
});

describe("what retention takes", () => {
  test("KAF-19: offsets deleted before they were read are told, and what is left is read", async () => {
    const { reader } = await setUp(topicOf(partitionOf(1400, 2600, logOf(1400, 2600, 100))));
    const { end, offsets: found } = await readWhole(reader.read({ ...range, from: 1000, to: 2000 }));
    expect(found).toEqual(offsets(1400, 2000));
    expect(end).toMatchObject({ why: "end", next: 2000, deleted: [{ from: 1000, to: 1400 }] });
  });

  test("KAF-19: all of it", async () => {
    const { reader } = await setUp(topicOf(partitionOf(3000, 3100, logOf(3000, 3100, 100))));
    const { end, offsets: found } = await readWhole(reader.read({ ...range, from: 1000, to: 2000 }));
    expect(found).toEqual([]);
    expect(end).toMatchObject({ why: "end", next: 2000, deleted: [{ from: 1000, to: 2000 }] });
  });

  test("KAF-19: overtaken while reading, twice", async () => {
    const { broker, reader } = await setUp();
    const partition = broker.topics.get("t")?.partitions[0];
    const told: number[] = [];
    const onDeleted = ({ from, to }: { from: number; to: number }) => told.push(from, to);
    const reading = reader.read({ ...range, fetchBytes: size, onDeleted });
    const { end, offsets: found } = await readWhole(reading, (batch) => {
      if (!partition) return;
      if (batch.baseOffset === 50) expect(told).toEqual([20, 45]);
      if (batch.baseOffset === 10) partition.earliest = 45n;
      if (batch.baseOffset === 50) partition.earliest = 90n;
      return sleep(20);
    });
    expect(found).toEqual([...offsets(0, 20), ...offsets(45, 60), ...offsets(90, 100)]);
    expect(end).toMatchObject({
      why: "end",
      deleted: [
        { from: 20, to: 45 },
        { from: 60, to: 90 },
      ],
    });
    expect(told).toEqual([20, 45, 60, 90]);
  });
});

describe("a topic deleted and made again", () => {
  test("KAF-19: with fewer records than were read: recreated, next is its first offset", async () => {
    const { reader } = await setUp(topicOf(partitionOf(3, 12, logOf(3, 12, 3))));
    for (const more of [{}, { to: 2000 }]) {
      const { end, offsets: found } = await readWhole(reader.read({ ...range, from: 1400, ...more }));
      expect(found).toEqual([]);
      expect(end).toMatchObject({ why: "recreated", next: 3, deleted: [] });
    }
  });

  test.each([
    ["brokers that know topics by id", 13, 12, id("b"), 0],
    ["brokers that only tell ids", 11, 10, id("b"), 0],
    ["brokers that know no ids, by the leader's epoch", 11, 6, undefined, 4],
  ])("with more records than were read: %s", async (_, fetch, metadata, topicId, epoch) => {
    const log = logOf(0, 100, 10, epoch);
    const { broker, reader } = await setUp(topicOf(partitionOf(0, 100, log, { leaderEpoch: epoch })), {
      newest: { fetch, metadata },
    });
    const { end, offsets: found } = await readWhole(reader.read({ ...range, fetchBytes: size }), (batch) => {
      if (batch.baseOffset === 30)
        broker.topics.set("t", topicOf(partitionOf(0, 500, logOf(0, 500, 10)), topicId));
      return sleep(20);
    });
    expect(end).toMatchObject({ why: "recreated", next: 0 });
    if (fetch === 13) expect(found).toEqual(offsets(0, 40));
  });

  test("since the reader's offset was had: nothing is read", async () => {
    const { reader } = await setUp();
    const { end, batches } = await readWhole(reader.read({ ...range, from: 10, topicId: id("b") }));
    expect(batches).toEqual([]);
    expect(end).toMatchObject({ why: "recreated", next: 0 });
    expect((await readWhole(reader.read({ ...range, from: 100, topicId: id("b") }))).end.why).toBe(
      "recreated",
    );
    expect((await readWhole(reader.read({ ...range, from: 10, topicId: id("a") }))).end.why).toBe("end");
  });

  test("between two reads, it is read as it is now", async () => {
    const { broker, reader } = await setUp();
    await readWhole(reader.read(range));
    broker.topics.set("t", topicOf(partitionOf(0, 20, logOf(0, 20, 10)), id("b")));
    const { end, offsets: found } = await readWhole(reader.read(range));
    expect(found).toEqual(offsets(0, 20));
    expect(end.why).toBe("end");
  });

  test("KAF-18: one that is gone, or never was, is not made, and does not exist", async () => {
    const { broker, reader } = await setUp();
    const never = await failureOf(reader.read({ ...range, topic: "absent" }));
    expect(never.failure).toMatchObject({
      kind: "not-found",
      sentence: expect.stringContaining("absent does not exist"),
    });
    expect(never.at).toEqual({ topic: "absent", partition: 0, offset: 0 });
    const read = reader.read({ ...range, fetchBytes: size });
    await read.next();
    broker.topics.delete("t");
    expect((await failureOf(read)).failure.kind).toBe("not-found");
    expect([...broker.topics.keys()]).toEqual([]);
    expect(broker.metadataAsked.every((m) => !m.mayCreate)).toBe(true);
  });
});
