import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { batchOf, id, logOf, offsets, partitionOf, topicOf } from "./testing/fake-log";
import {
  closeAll,
  connect,
  failureOf,
  hundred,
  range,
  readWhole,
  script,
  setUp,
  size,
  start,
} from "./testing/fake-reads";

afterEach(closeAll);

/** Milliseconds that the work takes. */
async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

describe("a leader that changes", () => {
  test.each([
    ["by id and epoch", { fetch: 13, metadata: 12 }, 1],
    ["by name and epoch", { fetch: 11, metadata: 7 }, 1],
    ["by name", { fetch: 11, metadata: 6 }, -1],
  ])("is followed while reading: %s", async (_, newest, epoch) => {
    const first = await start({ t: hundred() }, { newest });
    const second = await start({}, { id: 2, newest });
    second.topics = first.topics;
    first.peers = [first, second];
    second.peers = first.peers;
    const partition = first.topics.get("t")?.partitions[0];
    const { end, offsets: found } = await readWhole(
      connect(first).read({ ...range, fetchBytes: size }),
      (batch) => {
        if (!partition || batch.baseOffset !== 40) return;
        partition.leader = 2;
        partition.leaderEpoch = 1;
      },
    );
    expect(found).toEqual(offsets(0, 100));
    expect(end).toMatchObject({ why: "end", next: 100 });
    expect(first.fetchesAsked.at(-1)?.offset).toBe(50);
    expect(second.fetchesAsked.map((f) => f.offset)).toEqual([50, 60, 70, 80, 90]);
    expect(new Set(second.fetchesAsked.map((f) => f.leaderEpoch))).toEqual(new Set([epoch]));
  });

  test.each([
    ["none at the moment", 5],
    ["not this one", 6],
    ["its disk failed", 56],
    ["fenced", 74],
    ["not heard of it yet", 75],
    ["a topic it has not heard of yet", 100],
    ["unknown server error", -1],
  ])("%s: asked again, after a look at who leads", async (_, error) => {
    const { broker, reader } = await setUp();
    script(broker, { error }, { error });
    expect((await readWhole(reader.read(range))).offsets).toEqual(offsets(0, 100));
    expect(broker.metadataAsked.length).toBe(3);
  });

  test("none for longer than the reader waits: the read fails, and says where", async () => {
    const { broker } = await setUp();
    const reader = connect(broker, 400);
    broker.onFetch = () => ({ error: 6 });
    const error = await failureOf(reader.read({ ...range, from: 7 }));
    expect(error.message).toBe("topic t, partition 0, offset 7: topic t just changed its leader");
    expect(error.failure.kind).toBe("server-error");
    expect(error.at).toEqual({ topic: "t", partition: 0, offset: 7 });
    // The pauses grow: 50, 100 and 200 ms.
    expect(broker.fetchesAsked.length).toBe(4);
  });

  test("a partition without one is waited for", async () => {
    const { broker, reader } = await setUp();
    const partition = broker.topics.get("t")?.partitions[0];
    if (partition) partition.leader = -1;
    setTimeout(() => {
      if (partition) partition.leader = 1;
    }, 150);
    expect((await readWhole(reader.read(range))).offsets).toEqual(offsets(0, 100));
  });
});

describe("a broker that goes away", () => {
  test("and hangs up on a fetch: asked again over a new connection", async () => {
    const { broker, reader } = await setUp();
    script(broker, {}, { instead: "hang up" }, { instead: "hang up" }, { instead: "hang up" });
    expect((await readWhole(reader.read({ ...range, fetchBytes: size }))).offsets).toEqual(offsets(0, 100));
  });

  test("and comes back: the read goes on where it was", async () => {
    const { broker, reader } = await setUp();
    const port = Number(broker.address.split(":")[1]);
    const { offsets: found } = await readWhole(reader.read({ ...range, fetchBytes: size }), async (batch) => {
      if (batch.baseOffset !== 40) return;
      await broker.stop();
      setTimeout(() => void start({ t: hundred() }, { port }), 300);
    });
    expect(found).toEqual(offsets(0, 100));
  });

  test("and stays away", async () => {
    const { broker } = await setUp();
    const read = connect(broker, 500).read({ ...range, fetchBytes: size });
    await read.next();
    await broker.stop();
    const error = await failureOf(read);
    expect(error.failure).toMatchObject({ kind: "unreachable", remedy: expect.stringContaining("brokers") });
    expect(error.message).toMatch(/^topic t, partition 0, offset \d+: .*connection refused/);
  });

  test("and is silent: less is asked for, and the read goes on", async () => {
    const { broker } = await setUp();
    script(broker, { instead: "silence" });
    const { offsets: found } = await readWhole(connect(broker, 20_000).read(range));
    expect(found).toEqual(offsets(0, 100));
    const [asked = 0, again = 0] = broker.fetchesAsked.map((f) => f.maxBytes);
    expect(again).toBe(asked / 2);
  });
});

describe("a broker that throttles", () => {
  test("is left alone as long as it asks for, and the read goes on", async () => {
    const { broker, reader } = await setUp();
    script(broker, { leaveOut: true, throttleMs: 200 }, { records: Buffer.alloc(0), throttleMs: 200 });
    let read: number[] = [];
    const took = await timed(async () => {
      read = (await readWhole(reader.read(range))).offsets;
    });
    expect(read).toEqual(offsets(0, 100));
    expect(took).toBeGreaterThanOrEqual(390);
    expect(broker.metadataAsked.length).toBe(1);
  });

  test("while it gives records: the next fetch waits", async () => {
    const { broker, reader } = await setUp();
    script(broker, { throttleMs: 300 });
    const took = await timed(() => readWhole(reader.read({ ...range, fetchBytes: size * 5 })));
    expect(took).toBeGreaterThanOrEqual(290);
    expect(broker.fetchesAsked.length).toBe(2);
  });

  test("is waited for longer than for one in trouble", async () => {
    const { broker } = await setUp();
    script(broker, { leaveOut: true, throttleMs: 700 });
    expect((await readWhole(connect(broker, 100).read(range))).offsets).toEqual(offsets(0, 100));
  });
});

describe("what cannot be read", () => {
  test("no right to: the permission is named", async () => {
    const { broker, reader } = await setUp();
    broker.onFetch = () => ({ error: 29 });
    const { failure } = await failureOf(reader.read(range));
    expect(failure).toEqual({
      kind: "forbidden",
      sentence: "topic t, partition 0, offset 0: not allowed to read the records (needs Read on topic t)",
      remedy: expect.stringContaining("--operation Read --topic 't'"),
    });
    expect(broker.fetchesAsked.length).toBe(1);
  });

  test("no right to see it", async () => {
    const { broker, reader } = await setUp();
    const topic = broker.topics.get("t");
    if (topic) topic.metadataError = 29;
    const { failure } = await failureOf(reader.read(range));
    expect(failure).toMatchObject({
      kind: "forbidden",
      remedy: expect.stringContaining("--operation Describe"),
    });
  });

  test("a damaged batch: those before it are read", async () => {
    const { broker, reader } = await setUp();
    const log = logOf(0, 100, 10);
    log[3]?.writeUInt8(0x7f, 100);
    broker.topics.set("t", topicOf(partitionOf(0, 100, log)));
    const found: number[] = [];
    const read = readWhole(reader.read(range), (batch) => found.push(batch.baseOffset));
    await expect(read).rejects.toThrow("topic t, partition 0, offset 30: damaged");
    expect(found).toEqual([0, 10, 20]);
    expect((await readWhole(reader.read({ ...range, from: 40 }))).offsets).toEqual(offsets(40, 100));
  });

  test("a damaged length: the fetch that it led astray is not used", async () => {
    const { broker, reader } = await setUp();
    const log = logOf(0, 100, 10);
    // The hop over the headers believes it: the second batch seems to reach far into the third.
    log[1]?.writeInt32BE(size * 2 - 12, 8);
    broker.topics.set("t", topicOf(partitionOf(0, 100, log)));
    const error = await failureOf(reader.read({ ...range, fetchBytes: size * 4 }));
    expect(error.at.offset).toBe(10);
  });

  test("earlier offsets only", async () => {
    const { broker, reader } = await setUp();
    broker.onFetch = () => ({ records: batchOf({ offsets: offsets(0, 10) }) });
    const error = await failureOf(reader.read({ ...range, from: 50 }));
    expect(error.message).toContain("offset 50: the broker answers with earlier offsets only");
  });

  test.each([
    ["nothing", "", ""],
    ["an answer that ends early", "0000000000", "0000000000"],
    ["a list longer than the answer", "000000000000000000007fffffff", "00000000000000000000ffffffff07"],
    ["a length that is none", "00000000000000000000ffffffffff", "00000000000000000000ffffffffffff"],
  ])("%s", async (_, byName, byId) => {
    for (const [fetch, hex] of [
      [11, byName],
      [13, byId],
    ] as const) {
      const { broker } = await setUp(hundred(), { newest: { fetch } });
      broker.onFetch = () => ({ instead: Buffer.from(hex, "hex") });
      const { failure } = await failureOf(connect(broker, 300).read(range));
      expect(failure.sentence).toMatch(/^topic t, partition 0, offset 0: the (broker's )?answer /);
    }
  });

  test("an answer without the partition", async () => {
    const { broker } = await setUp();
    broker.onFetch = () => ({ leaveOut: true });
    const { failure } = await failureOf(connect(broker, 300).read(range));
    expect(failure.sentence).toContain("the broker's answer leaves out the partition");
  });

  test("an offset that is none", async () => {
    const { reader } = await setUp();
    await expect(readWhole(reader.read({ ...range, from: -1 }))).rejects.toThrow(RangeError);
    await expect(readWhole(reader.read({ ...range, from: 0.5 }))).rejects.toThrow(RangeError);
  });

  test("a partition that the topic has not", async () => {
    const { reader } = await setUp();
    const { failure } = await failureOf(reader.read({ ...range, partition: 3 }));
    expect(failure.sentence).toContain("topic t has no partition 3, only 1");
  });
});

describe("a read that is cancelled", () => {
  /** Aborts after a while and reads; how long it took to end after that. */
  async function cancelled(read: ReturnType<ReturnType<typeof connect>["read"]>, stop: AbortController) {
    let at = 0;
    setTimeout(() => {
      at = performance.now();
      stop.abort();
    }, 150);
    const { end, offsets: found } = await readWhole(read);
    return { end, found, took: performance.now() - at };
  }

  test.each([
    ["while a fetch hangs", { instead: "silence" }],
    ["while the leader is looked for", { error: 6 }],
    ["while the broker wants to be left alone", { leaveOut: true, throttleMs: 60_000 }],
  ] as const)("%s", async (_, reply) => {
    const { broker, reader } = await setUp();
    broker.onFetch = (asked) => (asked.offset < 30 ? {} : reply);
    const stop = new AbortController();
    const read = reader.read({ ...range, fetchBytes: size, signal: stop.signal });
    const { end, found, took } = await cancelled(read, stop);
    expect(end).toMatchObject({ why: "cancelled", next: 30 });
    expect(found).toEqual(offsets(0, 30));
    expect(took).toBeLessThan(1_000);
  });

  test("between two batches, and before the first", async () => {
    const { broker, reader } = await setUp();
    const stop = new AbortController();
    const { end, offsets: found } = await readWhole(
      reader.read({ ...range, signal: stop.signal }),
      (batch) => {
        if (batch.baseOffset === 20) stop.abort();
      },
    );
    expect(found).toEqual(offsets(0, 30));
    expect(end).toMatchObject({ why: "cancelled", next: 30 });
    const asked = broker.fetchesAsked.length;
    const before = await readWhole(reader.read({ ...range, signal: stop.signal }));
    expect(before.end).toEqual({ why: "cancelled", next: 0, deleted: [], bytes: 0 });
    expect(broker.fetchesAsked.length).toBe(asked);
  });

  test("by leaving the loop: the fetch under way is given up in silence", async () => {
    const { broker, reader } = await setUp();
    broker.onFetch = (asked) => (asked.offset < 10 ? {} : { instead: "hang up" });
    for await (const _ of reader.read({ ...range, fetchBytes: size })) break;
    await sleep(200);
    broker.onFetch = undefined;
    expect((await readWhole(reader.read(range))).offsets).toEqual(offsets(0, 100));
  });
});

test("one partition's hanging fetch does not fail another's read", async () => {
  const broker = await start({ t: hundred(), u: { ...hundred(), topicId: id("b") } });
  const reader = connect(broker, 20_000);
  broker.onFetch = (asked) => (asked.topic === "u" ? { instead: "silence" } : {});
  const stop = new AbortController();
  const hanging = readWhole(reader.read({ ...range, topic: "u", signal: stop.signal }));
  const { offsets: found } = await readWhole(reader.read({ ...range, fetchBytes: size }));
  expect(found).toEqual(offsets(0, 100));
  stop.abort();
  expect((await hanging).end.why).toBe("cancelled");
});

test("when a connection is given up, what else waits on it is asked again at once", async () => {
  const broker = await start({ t: hundred(), u: { ...hundred(), topicId: id("b") } });
  const reader = connect(broker, 20_000);
  let silent = 2;
  broker.onFetch = () => (silent-- > 0 ? { instead: "silence" } : {});
  const early = readWhole(reader.read({ ...range, topic: "u" }));
  await sleep(4_000);
  // The first is given up after 8 s: the second's answer is not waited for until 12.
  expect(await timed(() => readWhole(reader.read(range)))).toBeLessThan(6_500);
  expect((await early).offsets).toEqual(offsets(0, 100));
});
