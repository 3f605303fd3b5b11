import { afterEach, describe, expect, test } from "vitest";
import { LogReadError } from "./log-reader";
import { batchOf, logOf, offsets, partitionOf, topicOf } from "./testing/fake-log";
import { closeAll, connect, hundred, setUp } from "./testing/fake-reads";

afterEach(closeAll);

const t = { topic: "t", partition: 0 };
const committed = (offset: number) => [
  batchOf({ offsets: [offset], producerId: 1, transactional: true }),
  batchOf({ offsets: [offset + 1], producerId: 1, marker: "commit" }),
];

describe("the record at an offset", () => {
  test("is had with one batch", async () => {
    const { broker, reader } = await setUp();
    expect(await reader.recordAt(t, 37, "read_uncommitted")).toEqual({
      offset: 37,
      timestamp: 1_789_367_000_007,
      key: Buffer.from("k0037"),
      value: Buffer.from("v0037"),
      headers: [],
    });
    expect(broker.fetchesAsked.map((f) => f.maxBytes)).toEqual([1]);
    expect([broker.offsetsAsked, broker.metadataAsked.length]).toEqual([0, 1]);
  });

  test("is the next one where it was compacted, deleted, or is a marker", async () => {
    const log = [
      batchOf({ offsets: [20, 25], lastOffset: 29 }),
      ...committed(30),
      batchOf({ offsets: [32], producerId: 1, marker: "commit" }),
      batchOf({ offsets: [40] }),
    ];
    const { reader } = await setUp(topicOf(partitionOf(20, 41, log)));
    const at = async (offset: number) => (await reader.recordAt(t, offset, "read_committed"))?.offset;
    expect([await at(0), await at(21), await at(26), await at(31), await at(33)]).toEqual([
      20, 25, 30, 40, 40,
    ]);
  });

  test("KAF-19: is none at the end, nor beyond it", async () => {
    const { reader } = await setUp();
    expect(await reader.recordAt(t, 100, "read_uncommitted")).toBeNull();
    expect(await reader.recordAt(t, 2_000, "read_uncommitted")).toBeNull();
    const compacted = await setUp(topicOf(partitionOf(0, 100, logOf(0, 50, 10))));
    expect(await compacted.reader.recordAt(t, 60, "read_uncommitted")).toBeNull();
  });

  test("of a long aborted stretch takes few fetches", async () => {
    const aborted = offsets(0, 2_000).map((offset) =>
      batchOf({ offsets: [offset], producerId: 2, transactional: true }),
    );
    const log = [
      ...aborted,
      batchOf({ offsets: [2_000], producerId: 2, marker: "abort" }),
      ...committed(2_001),
    ];
    const { broker, reader } = await setUp(topicOf(partitionOf(0, 2_003, log)));
    broker.onFetch = () => ({ aborted: [{ producerId: 2n, firstOffset: 0n }] });
    expect((await reader.recordAt(t, 0, "read_committed"))?.offset).toBe(2_001);
    expect(broker.fetchesAsked.length).toBeLessThan(6);
    expect((await reader.recordAt(t, 0, "read_uncommitted"))?.offset).toBe(0);
  });
});

describe("the newest record", () => {
  test("is had with one batch", async () => {
    const { broker, reader } = await setUp();
    expect((await reader.newest(t, "read_uncommitted"))?.offset).toBe(99);
    expect(broker.fetchesAsked.map((f) => f.offset)).toEqual([98]);
  });

  test("lies before the marker of its transaction", async () => {
    const log = [...logOf(0, 50, 10), ...committed(50)];
    const { broker, reader } = await setUp(topicOf(partitionOf(0, 52, log)));
    expect((await reader.newest(t, "read_committed"))?.offset).toBe(50);
    expect(broker.fetchesAsked.length).toBeLessThan(3);
  });

  test("lies before aborted records, markers, an open transaction, and what compaction left of them", async () => {
    const log = [
      ...logOf(0, 500, 10),
      ...offsets(500, 900).map((offset) =>
        batchOf({ offsets: [offset], producerId: 2, transactional: true }),
      ),
      batchOf({ offsets: [900], producerId: 2, marker: "abort" }),
      batchOf({ offsets: [950], producerId: 3, transactional: true }),
    ];
    const topic = topicOf(partitionOf(0, 951, log, { stable: 950n }));
    const { broker, reader } = await setUp(topic);
    broker.onFetch = (asked) => {
      const aborted = asked.isolation === 1 ? [{ producerId: 2n, firstOffset: 500n }] : [];
      const open = logOf(0, 500, 10)
        .concat(log.slice(50, -1))
        .filter((b) => last(b) >= asked.offset);
      return asked.isolation === 1 ? { aborted, records: Buffer.concat(open) } : {};
    };
    expect((await reader.newest(t, "read_committed"))?.offset).toBe(499);
    expect((await reader.newest(t, "read_uncommitted"))?.offset).toBe(950);
    expect(broker.fetchesAsked.length).toBeLessThan(20);
  });

  test("lies before a gap up to the end", async () => {
    const { reader } = await setUp(topicOf(partitionOf(0, 5_000, logOf(0, 50, 10))));
    expect((await reader.newest(t, "read_uncommitted"))?.offset).toBe(49);
  });

  test("is none in a topic that is empty, or holds markers only", async () => {
    const { reader } = await setUp(topicOf(partitionOf(7, 7, [])));
    expect(await reader.newest(t, "read_committed")).toBeNull();
    const markers = offsets(0, 20).map((o) => batchOf({ offsets: [o], producerId: 1, marker: "commit" }));
    const other = await setUp(topicOf(partitionOf(0, 20, markers)));
    expect(await other.reader.newest(t, "read_committed")).toBeNull();
  });

  test("KAF-18: is not looked for in a topic that is not there, which stays so", async () => {
    const { broker, reader } = await setUp();
    const absent = { topic: "shop-signal", partition: 0 };
    await expect(reader.newest(absent, "read_committed")).rejects.toThrow(LogReadError);
    await expect(reader.recordAt(absent, 0, "read_committed")).rejects.toThrow("does not exist");
    expect([...broker.topics.keys()]).toEqual(["t"]);
  });
});

test("neither hangs where the broker is away", async () => {
  const { broker } = await setUp(hundred());
  const reader = connect(broker, 300);
  await broker.stop();
  await expect(reader.recordAt(t, 1, "read_uncommitted")).rejects.toThrow("connection refused");
  await expect(reader.newest(t, "read_uncommitted")).rejects.toThrow("connection refused");
});

function last(batch: Buffer): number {
  return Number(batch.readBigInt64BE(0)) + batch.readInt32BE(23);
}
