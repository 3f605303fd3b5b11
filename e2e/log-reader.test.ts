import { randomUUID } from "node:crypto";
import kafkajs, { type Producer, type ProducerConfig } from "kafkajs";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import { openLab } from "@/lab/open-lab";
import { type KafkaConnection, openKafka } from "@/lib/kafka/connection";
import {
  type FetchedBatch,
  type Isolation,
  LogReadError,
  type LogReader,
  type ReadEnd,
} from "@/lib/kafka/log/log-reader";
import { openLogReader } from "@/lib/kafka/log/open-log-reader";
import type { LogRecord } from "@/lib/kafka/log/record";
import { asAdmin } from "./as-admin";

const lab = openLab(inject("labFolder"));
const run = `log-reader-test.${randomUUID().slice(0, 8)}`;
/** Kinds of request that were sent, in order. */
const asked: string[] = [];
const made: string[] = [];
let connection: KafkaConnection;
let reader: LogReader;

beforeAll(() => {
  const opened = openKafka({ name: "lab", connect: { urls: [lab.connectUrl] }, kafka: lab.kafkaSettings() });
  connection = {
    ...opened,
    ask: (node, build) =>
      opened.ask(node, (versions) => {
        const call = build(versions);
        asked.push(`${call.request.apiName} v${call.request.apiVersion}`);
        return call;
      }),
  };
  reader = openLogReader(connection);
});

afterEach(async () => {
  const there = new Set(await listTopics());
  const topics = made.splice(0).filter((topic) => there.has(topic));
  if (topics.length > 0) await asAdmin(lab, (admin) => admin.deleteTopics({ topics, timeout: 60_000 }));
});

afterAll(() => connection?.close());

const listTopics = () => asAdmin(lab, (admin) => admin.listTopics());

async function asProducer<T>(config: ProducerConfig, work: (producer: Producer) => Promise<T>): Promise<T> {
  const producer = lab.kafka().producer({
    createPartitioner: kafkajs.Partitioners.LegacyPartitioner,
    ...config,
  });
  await producer.connect();
  try {
    return await work(producer);
  } finally {
    await producer.disconnect();
  }
}

/** Ready to be written to when it returns. */
async function makeTopics(names: readonly string[], numPartitions: number): Promise<void> {
  made.push(...names.filter((name) => !made.includes(name)));
  const topics = names.map((topic) => ({ topic, numPartitions, replicationFactor: 1 }));
  await asAdmin(lab, (admin) => admin.createTopics({ topics, waitForLeaders: false, timeout: 60_000 }));
  const partitions = names.flatMap((topic) =>
    from(0, numPartitions).map((partition) => ({ topic, partition })),
  );
  for (const pause of [0, 100, 200, 400, 800, 1_600, 3_200]) {
    await new Promise((done) => setTimeout(done, pause));
    if ((await reader.ends(partitions, "latest")).every((end) => end === 0)) return;
  }
  throw new Error("the topics do not come up");
}

/** Writes batches of ten records, each with its number for a value, or the one given. */
async function writeBatches(topic: string, batches: number, value?: string): Promise<void> {
  await asProducer({}, async (producer) => {
    for (let batch = 0; batch < batches; batch++) {
      const messages = from(0, 10).map((i) => ({ value: (value ?? `${batch * 10 + i}`).padEnd(200) }));
      await producer.send({ topic, acks: -1, messages });
    }
  });
}

/** Of one batch of `writeBatches`, roughly. */
const BATCH_BYTES = 2_200;

async function readWhole(
  read: AsyncGenerator<FetchedBatch, ReadEnd>,
  look: (batch: FetchedBatch) => unknown = () => {},
): Promise<{ end: ReadEnd; records: LogRecord[] }> {
  const records: LogRecord[] = [];
  for (;;) {
    const step = await read.next();
    if (step.done) return { end: step.value, records };
    records.push(...step.value.records());
    await look(step.value);
  }
}

const offsetsOf = (records: readonly LogRecord[]) => records.map((r) => r.offset);
const from = (first: number, end: number) => Array.from({ length: end - first }, (_, i) => first + i);

describe("2,000 partitions", () => {
  test("their ends and offsets for a time take under a second and at most four requests", async () => {
    const topics = from(0, 20).map((i) => `${run}.wide-${i}`);
    await makeTopics(topics, 100);
    const partitions = topics.flatMap((topic) => from(0, 100).map((partition) => ({ topic, partition })));
    const early = Date.now() - 3_600_000;
    // The second record lies an hour after the first, in every other partition.
    for (const topic of topics) {
      const messages = from(0, 100).flatMap((partition) => [
        { partition, value: "a", timestamp: String(early) },
        ...(partition % 2 === 0 ? [{ partition, value: "b", timestamp: String(early + 3_600_000) }] : []),
      ]);
      await asProducer({}, (producer) => producer.send({ topic, acks: -1, messages }));
    }
    reader = openLogReader(connection);
    asked.length = 0;
    const begun = performance.now();
    const ends = await reader.ends(partitions, "latest");
    const times = await reader.offsetsForTime(partitions.map((p) => ({ ...p, timestamp: early + 1 })));
    const took = performance.now() - begun;
    expect(ends).toEqual(partitions.map(({ partition }) => (partition % 2 === 0 ? 2 : 1)));
    const late = { offset: 1, timestamp: early + 3_600_000 };
    expect(times).toEqual(partitions.map(({ partition }) => (partition % 2 === 0 ? late : null)));
    expect(asked.length).toBeLessThanOrEqual(4);
    expect(took).toBeLessThan(1_000);
  });
});

describe("transactions", () => {
  const topic = `${run}.transactions`;
  const at = { topic, partition: 0 };
  const transactional = (name: string) => ({
    transactionalId: `${run}.${name}`,
    maxInFlightRequests: 1,
    idempotent: true,
  });

  test("KAF-02: single records are found past markers and aborted ones; counts are of records, not offsets", async () => {
    await makeTopics([topic], 1);
    await asProducer(transactional("a"), async (producer) => {
      const transaction = async (values: readonly string[], commit: boolean) => {
        const open = await producer.transaction();
        for (const value of values) await open.send({ topic, acks: -1, messages: [{ value }] });
        await (commit ? open.commit() : open.abort());
      };
      await transaction(["a", "b", "c"], true); // 0 to 2, marker 3
      await transaction(["x", "y"], false); // 4 and 5, marker 6
      await transaction(["d"], true); // 7, marker 8
      for (let i = 0; i < 12; i++) await transaction(["z"], false); // 9 to 32
    });

    const text = (record: LogRecord | null) => [record?.offset, record?.value?.toString()];
    const find = async (offset: number, isolation: Isolation) =>
      text(await reader.recordAt(at, offset, isolation));
    expect(await find(1, "read_committed")).toEqual([1, "b"]);
    expect(await find(3, "read_committed")).toEqual([7, "d"]);
    expect(await find(4, "read_committed")).toEqual([7, "d"]);
    expect(await find(4, "read_uncommitted")).toEqual([4, "x"]);
    expect(await reader.recordAt(at, 8, "read_committed")).toBeNull();
    expect(text(await reader.newest(at, "read_committed"))).toEqual([7, "d"]);
    expect(text(await reader.newest(at, "read_uncommitted"))).toEqual([31, "z"]);

    const committed = await readWhole(reader.read({ ...at, from: 0, to: 9, isolation: "read_committed" }));
    expect(offsetsOf(committed.records)).toEqual([0, 1, 2, 7]);
    const uncommitted = await readWhole(
      reader.read({ ...at, from: 0, to: 9, isolation: "read_uncommitted" }),
    );
    expect(offsetsOf(uncommitted.records)).toEqual([0, 1, 2, 4, 5, 7]);
    expect(await reader.ends([at], "latest")).toEqual([33]);
  });

  test("an open one: readers that wait for commits stop before it", async () => {
    await makeTopics([topic], 1);
    const write = (value: string) =>
      asProducer({}, (producer) => producer.send({ topic, acks: -1, messages: [{ value }] }));
    await write("before");
    await asProducer(transactional("b"), async (producer) => {
      const open = await producer.transaction();
      await open.send({ topic, acks: -1, messages: [{ value: "open" }] });
      await write("after");
      expect(await reader.ends([at], "latest")).toEqual([3]);
      expect(await reader.ends([at], "last-stable")).toEqual([1]);
      const { end, records } = await readWhole(reader.read({ ...at, from: 0, isolation: "read_committed" }));
      expect([end.why, end.next, offsetsOf(records)]).toEqual(["end", 1, [0]]);
      expect((await reader.newest(at, "read_committed"))?.value?.toString()).toBe("before");
      await open.abort();
    });
    // The broker answers an abort before the marker is in the log.
    await expect.poll(() => reader.ends([at], "last-stable"), { timeout: 10_000 }).toEqual([4]);
    expect((await reader.newest(at, "read_committed"))?.value?.toString()).toBe("after");
  });
});

describe("a topic that changes while it is read", () => {
  const topic = `${run}.changing`;
  const at = { topic, partition: 0 };
  const range = { ...at, from: 0, isolation: "read_uncommitted", fetchBytes: 3 * BATCH_BYTES } as const;

  test("KAF-19: retention overtakes the reader: what is gone is told, what is left is read", async () => {
    await makeTopics([topic], 1);
    await writeBatches(topic, 40);
    const { end, records } = await readWhole(reader.read(range), async (batch) => {
      if (batch.baseOffset !== 60) return;
      const partitions = [{ partition: 0, offset: "255" }];
      await asAdmin(lab, async (admin) => {
        await admin.fetchTopicOffsets(topic); // it deletes from topics only that it has met
        await admin.deleteTopicRecords({ topic, partitions });
      });
    });
    const [gap] = end.deleted;
    expect(end).toMatchObject({ why: "end", next: 400 });
    expect(end.deleted.length).toBe(1);
    expect(gap?.to).toBe(255);
    expect(gap?.from).toBeGreaterThanOrEqual(70);
    expect(offsetsOf(records)).toEqual([...from(0, gap?.from ?? 0), ...from(255, 400)]);
    expect(await reader.ends([at], "earliest")).toEqual([255]);
    expect((await reader.recordAt(at, 10, "read_uncommitted"))?.offset).toBe(255);
  });

  test("KAF-19: deleted and made again with more records than were read: recreated, no record of the other", async () => {
    await makeTopics([topic], 1);
    await writeBatches(topic, 40);
    const { end, records } = await readWhole(reader.read(range), async (batch) => {
      if (batch.baseOffset !== 60) return;
      await remove(topic);
      await makeTopics([topic], 1);
      await writeBatches(topic, 60, "another");
    });
    expect(end).toMatchObject({ why: "recreated", next: 0 });
    expect(records.every((r, i) => r.offset === i && Number(r.value) === i)).toBe(true);
    expect(records.length).toBeGreaterThanOrEqual(70);
    // It heals: a next read takes the topic as it is.
    const again = await readWhole(reader.read(range));
    expect(again.end).toMatchObject({ why: "end", next: 600 });
    expect(again.records.every((r) => r.value?.toString().trim() === "another")).toBe(true);
  });

  test("deleted and not made again: it does not exist, and is not made", async () => {
    await makeTopics([topic], 1);
    await writeBatches(topic, 40);
    const read = readWhole(reader.read(range), async (batch) => {
      if (batch.baseOffset !== 60) return;
      await remove(topic);
    });
    const error = await read.catch((e: unknown) => e);
    expect(error).toBeInstanceOf(LogReadError);
    expect(error).toMatchObject({ failure: { kind: "not-found" }, at });
    expect(await listTopics()).not.toContain(topic);
  });

  async function remove(name: string): Promise<void> {
    await asAdmin(lab, (admin) => admin.deleteTopics({ topics: [name] }));
    while ((await listTopics()).includes(name)) await new Promise((done) => setTimeout(done, 50));
  }
});

test("KAF-18: reading makes no topic and no group", async () => {
  const topic = `${run}.calm`;
  await makeTopics([topic], 1);
  await writeBatches(topic, 3);
  const state = async () => {
    const { groups } = await asAdmin(lab, (admin) => admin.listGroups());
    // Another reader of the lab may come and go meanwhile.
    const own = groups.map((g) => g.groupId).filter((id) => !/^tidemark-lab-|-test/.test(id));
    const topics = (await listTopics()).filter((t) => t.startsWith(run));
    return { groups: own.sort(), topics: topics.sort() };
  };
  const before = await state();
  const absent = { topic: `${run}.absent`, partition: 0 };
  await readWhole(reader.read({ topic, partition: 0, from: 0, isolation: "read_committed" }));
  await reader.newest({ topic, partition: 0 }, "read_committed");
  const there = { topic, partition: 0 };
  const timed = await reader.offsetsForTime([absent, there].map((p) => ({ ...p, timestamp: 0 })));
  expect(timed).toEqual([
    expect.objectContaining({ kind: "not-found" }),
    expect.objectContaining({ offset: 0 }),
  ]);
  await expect(reader.newest(absent, "read_committed")).rejects.toThrow(
    `topic ${absent.topic} does not exist`,
  );
  await expect(
    readWhole(reader.read({ ...absent, from: 0, to: 10, isolation: "read_committed" })),
  ).rejects.toThrow("does not exist");
  expect((await reader.describe([absent.topic])).value?.get(absent.topic)).toMatchObject({
    kind: "not-found",
  });
  expect(await state()).toEqual(before);
  expect(new Set(asked.map((a) => a.split(" ")[0]))).toEqual(new Set(["Metadata", "ListOffsets", "Fetch"]));
});
