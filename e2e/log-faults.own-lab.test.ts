import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import kafkajs from "kafkajs";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { READ_ONLY } from "@/lab/access";
import { openLab } from "@/lab/open-lab";
import { BROKER_NAMES } from "@/lab/state";
import { statusOf } from "@/lab/status";
import { followTopics, type TopicSink } from "@/lib/collect/offset-topic/follow-topics";
import { type KafkaConnection, openKafka } from "@/lib/kafka/connection";
import { describeCluster } from "@/lib/kafka/describe-cluster";
import {
  type DescribedTopic,
  type FetchedBatch,
  LogReadError,
  type LogReader,
  type ReadEnd,
} from "@/lib/kafka/log/log-reader";
import { openLogReader } from "@/lib/kafka/log/open-log-reader";
import type { LogRecord } from "@/lib/kafka/log/record";
import { asAdmin } from "./as-admin";
import { eventually } from "./dashboard";

/** Three brokers with access control. The first is the controller: the partitions that lose their leader lie on the others. */
const lab = openLab(mkdtempSync(join(tmpdir(), "lab-faults-")));
let connection: KafkaConnection;
/** The reader in question. */
let reader: LogReader;
/** Another one, so that looking how things are teaches the first one nothing. */
let onlooker: LogReader;
let topics = 0;

beforeAll(async () => {
  await lab.up({ secure: true, only: "broker", brokers: 3 });
  connection = openKafka({ name: "lab", connect: { urls: [lab.connectUrl] }, kafka: lab.kafkaSettings() });
});
beforeEach(async () => {
  for (const name of BROKER_NAMES) await lab.start(name);
  await eventually("all brokers are in the cluster", 30_000, async () => {
    const cluster = await describeCluster(connection);
    return cluster.value?.brokers.length === BROKER_NAMES.length;
  });
  await lab.grant(READ_ONLY);
  reader = openLogReader(connection);
  onlooker = openLogReader(connection);
});
afterAll(async () => {
  await connection?.close();
  await lab.reset();
});

/** What was acknowledged of a topic: value by offset. */
type Acknowledged = Map<number, string>;

/** Of one batch that `write` makes, roughly. */
const BATCH_BYTES = 2_200;
const HOUR = 3_600_000;
/** The time of the record at offset 0; each later one is a second later. */
const began = Date.now() - HOUR;

/** A topic with its partitions on these brokers, the leader first; ready to be written to when it returns. */
async function makeTopic(
  partitions: number[][],
  config: Record<string, string> = {},
  topic = `faults-${topics++}`,
): Promise<string> {
  const replicaAssignment = partitions.map((replicas, partition) => ({ partition, replicas }));
  const configEntries = Object.entries(config).map(([name, value]) => ({ name, value }));
  await asAdmin(lab, (admin) =>
    admin.createTopics({ topics: [{ topic, replicaAssignment, configEntries }], waitForLeaders: false }),
  );
  for (const [partition, replicas] of partitions.entries()) {
    await ledBy(topic, replicas[0] ?? 0, partition);
    expect(await onlooker.ends([{ topic, partition }], "latest")).toEqual([0]);
  }
  return topic;
}

async function describedAs(topic: string): Promise<DescribedTopic> {
  const look = await onlooker.describe([topic]);
  const found = look.failure ?? look.value.get(topic);
  if (!found || "kind" in found) throw new Error(found?.sentence ?? "not described");
  return found;
}

/** Waits until this broker leads the partition; -1: none. */
const ledBy = (topic: string, node: number, partition = 0) =>
  eventually(`broker ${node} leads ${topic}`, 30_000, async () => {
    const look = await onlooker.describe([topic]);
    const found = look.value?.get(topic);
    if (!found || "kind" in found) return null;
    return found.partitions[partition]?.leader === node ? true : null;
  });

/** Writes batches of ten records from this offset on, and gives what the brokers acknowledged. */
async function write(topic: string, from: number, batches: number, word = "record", partition = 0) {
  const acknowledged: Acknowledged = new Map();
  const producer = lab.kafka().producer({
    allowAutoTopicCreation: false,
    createPartitioner: kafkajs.Partitioners.LegacyPartitioner,
  });
  await producer.connect();
  try {
    for (let first = from; first < from + batches * 10; first += 10) {
      const numbers = range(first, first + 10);
      const messages = numbers.map((i) => ({
        partition,
        value: `${word} ${i}`.padEnd(200),
        timestamp: String(began + i * 1_000),
      }));
      const [sent] = await producer.send({ topic, acks: -1, messages });
      messages.forEach(({ value }, i) => void acknowledged.set(Number(sent?.baseOffset) + i, value));
    }
  } finally {
    await producer.disconnect();
  }
  expect([...acknowledged.keys()]).toEqual(range(from, from + batches * 10));
  return acknowledged;
}

interface WholeRead {
  end: ReadEnd;
  records: LogRecord[];
}

/** Reads to the end, and does something once, as soon as the batch at this offset is looked at. */
async function readWhole(
  read: AsyncGenerator<FetchedBatch, ReadEnd>,
  offset = -1,
  act: () => unknown = () => {},
): Promise<WholeRead> {
  const records: LogRecord[] = [];
  for (;;) {
    const step = await read.next();
    if (step.done) return { end: step.value, records };
    records.push(...step.value.records());
    if (step.value.baseOffset === offset) await act();
  }
}

/** Takes batches until one reaches beyond this offset. */
async function readUpTo(read: AsyncGenerator<FetchedBatch, ReadEnd>, offset: number): Promise<LogRecord[]> {
  const records: LogRecord[] = [];
  while ((records.at(-1)?.offset ?? 0) < offset) {
    const step = await read.next();
    if (step.done) throw new Error("the read ended early");
    records.push(...step.value.records());
  }
  return records;
}

/** A read in small pieces: of what it reads at most six batches are on their way when a batch is looked at. */
const slowRead = (topic: string, by: LogReader = reader) =>
  by.read({ topic, partition: 0, from: 0, isolation: "read_committed", fetchBytes: 3 * BATCH_BYTES });

const range = (first: number, end: number) => Array.from({ length: end - first }, (_, i) => first + i);
const told = (records: readonly LogRecord[]) => records.map((r) => [r.offset, r.value?.toString()]);

/** What single questions get, against what was acknowledged. */
async function checkSingles(by: LogReader, topic: string, acknowledged: Acknowledged): Promise<void> {
  const at = { topic, partition: 0 };
  const end = acknowledged.size;
  const [earliest, latest, stable, times, found, newest] = await Promise.all([
    by.ends([at], "earliest"),
    by.ends([at], "latest"),
    by.ends([at], "last-stable"),
    by.offsetsForTime([0, 42_000, HOUR * 2].map((after) => ({ ...at, timestamp: began + after }))),
    by.recordAt(at, 77, "read_committed"),
    by.newest(at, "read_committed"),
  ]);
  expect([earliest, latest, stable, times]).toEqual([
    [0],
    [end],
    [end],
    [{ offset: 0, timestamp: began }, { offset: 42, timestamp: began + 42_000 }, null],
  ]);
  expect(found && told([found])).toEqual([[77, acknowledged.get(77)]]);
  expect(newest && told([newest])).toEqual([[end - 1, acknowledged.get(end - 1)]]);
}

async function failureOf(work: Promise<unknown>): Promise<{ error: LogReadError; took: number }> {
  const since = performance.now();
  const error = await work.then(
    () => new Error("it was read"),
    (e: unknown) => e,
  );
  if (!(error instanceof LogReadError)) throw error;
  return { error, took: performance.now() - since };
}

test("three brokers are one cluster, reached with and without TLS", async () => {
  expect((await describeCluster(connection)).value?.brokers).toHaveLength(3);
  expect((await statusOf(lab))?.processes).toMatchObject(
    BROKER_NAMES.map((name) => ({ name, running: true })),
  );
  const topic = await makeTopic([[2], [3]]);
  const settings = lab.kafkaSettings("tidemark", { tls: true });
  const secure = openKafka({ name: "lab", connect: { urls: [lab.connectUrl] }, kafka: settings });
  const partitions = [0, 1].map((partition) => ({ topic, partition }));
  expect(await openLogReader(secure).ends(partitions, "latest")).toEqual([0, 0]);
  await secure.close();
});

describe("a leader that changes in the middle of a read", () => {
  test("by a reassignment, while records are deleted: what is gone is told exactly, the rest read once", async () => {
    const topic = await makeTopic([[2]]);
    const acknowledged = await write(topic, 0, 40);
    const { end, records } = await readWhole(slowRead(topic), 60, async () => {
      await asAdmin(lab, async (admin) => {
        await admin.fetchTopicOffsets(topic); // it deletes from topics only that it has met
        await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: "255" }] });
        const partitionAssignment = [{ partition: 0, replicas: [3] }];
        await admin.alterPartitionReassignments({ topics: [{ topic, partitionAssignment }] });
      });
      await ledBy(topic, 3);
    });
    const [gap] = end.deleted;
    expect(end).toMatchObject({ why: "end", next: 400, deleted: [{ to: 255 }] });
    expect(gap?.from).toBeGreaterThanOrEqual(70);
    expect(gap?.from).toBeLessThanOrEqual(130);
    const left = [...acknowledged].filter(([offset]) => offset < (gap?.from ?? 0) || offset >= 255);
    expect(told(records)).toEqual(left);
    expect(await reader.ends([{ topic, partition: 0 }], "earliest")).toEqual([255]);
  });

  /** A reader that knows the leader from before asks single questions meanwhile. */
  async function readThrough(topic: string, acknowledged: Acknowledged, fault: () => unknown): Promise<void> {
    const other = openLogReader(connection);
    await checkSingles(other, topic, acknowledged);
    let singles: Promise<void> = Promise.resolve();
    const { end, records } = await readWhole(slowRead(topic), 60, async () => {
      await fault();
      singles = checkSingles(other, topic, acknowledged);
      singles.catch(() => {}); // told of below
    });
    await singles;
    expect(end).toMatchObject({ why: "end", next: 400, deleted: [] });
    expect(told(records)).toEqual([...acknowledged]);
  }

  test("by a graceful stop of its broker: all records once and in order", async () => {
    const topic = await makeTopic([[3, 2]]);
    const acknowledged = await write(topic, 0, 40);
    await readThrough(topic, acknowledged, () => lab.stop("broker-3"));
    expect((await describedAs(topic)).partitions[0]?.leader).toBe(2);
  });

  test("since its broker freezes: all records once and in order", async () => {
    const topic = await makeTopic([[2, 3]]);
    const acknowledged = await write(topic, 0, 40);
    const { pid } = lab.state.processes["broker-2"] ?? {};
    if (!pid) throw new Error("there is no second broker");
    try {
      await readThrough(topic, acknowledged, () => process.kill(pid, "SIGSTOP"));
      expect((await describedAs(topic)).partitions[0]?.leader).toBe(3);
    } finally {
      process.kill(pid, "SIGCONT");
    }
    // It wakes up as one that led.
    expect(told((await readWhole(slowRead(topic))).records)).toEqual([...acknowledged]);
  });

  test("by a kill -9 of its broker: all records once and in order, as kafkajs's consumer reads them", async () => {
    const topic = await makeTopic([[2, 3, 1]]);
    const acknowledged = await write(topic, 0, 40);
    const [before] = (await describedAs(topic)).partitions;
    await readThrough(topic, acknowledged, () => lab.crash("broker-2", { stayDown: true }));
    const [after] = (await describedAs(topic)).partitions;
    expect([1, 3]).toContain(after?.leader);
    expect(after?.leaderEpoch).toBeGreaterThan(before?.leaderEpoch ?? 0);

    const more = await write(topic, 400, 5);
    const next = reader.read({ topic, partition: 0, from: 400, isolation: "read_committed" });
    expect(told((await readWhole(next)).records)).toEqual([...more]);
    await lab.start("broker-2");
    const all = [...acknowledged, ...more];
    expect(told((await readWhole(slowRead(topic))).records)).toEqual(all);
    expect(await consume(topic, all.length)).toEqual(all);
  });
});

test("the only broker of a partition is killed and comes back in the middle of a read: it goes on", async () => {
  const topic = await makeTopic([[3]]);
  const acknowledged = await write(topic, 0, 40);
  let back: Promise<void> = Promise.resolve();
  const { end, records } = await readWhole(slowRead(topic), 60, () => {
    back = lab.crash("broker-3");
  });
  await back;
  expect(end).toMatchObject({ why: "end", next: 400, deleted: [] });
  expect(told(records)).toEqual([...acknowledged]);
});

test("the only in-sync replica is down: a clear end within the reader's patience, and all is well when it is back", async () => {
  const topic = await makeTopic([[3, 2]]);
  const lossy = await makeTopic([[3, 2]], { "unclean.leader.election.enable": "true" });
  const acknowledged = await write(topic, 0, 20);
  const kept = await write(lossy, 0, 20);
  await lab.stop("broker-2");
  const later = await write(topic, 200, 20);
  const lost = await write(lossy, 200, 20);
  const { topicId } = await describedAs(lossy);
  const [underWay, slower] = [slowRead(lossy), slowRead(lossy)];
  const read = await readUpTo(underWay, 300);
  await readUpTo(slower, 300);

  await lab.stop("broker-3");
  const patience = 1_000;
  const impatient = openLogReader(connection, patience);
  const at = { topic, partition: 0 };
  const { error, took } = await failureOf(readWhole(slowRead(topic, impatient)));
  const sentence = `partition 0 of topic ${topic} has no leader`;
  expect(error.message).toBe(`topic ${topic}, partition 0, offset 0: ${sentence}`);
  expect(error.failure).toMatchObject({
    kind: "server-error",
    remedy: expect.stringContaining("replicas run"),
  });
  expect(took).toBeLessThan(patience + 1_500);
  const failed = { kind: "server-error", sentence, remedy: error.failure.remedy };
  expect(await impatient.ends([at], "latest")).toEqual([failed]);
  expect(await impatient.offsetsForTime([{ ...at, timestamp: began }])).toEqual([failed]);
  for (const one of [impatient.newest(at, "read_committed"), impatient.recordAt(at, 5, "read_committed")])
    expect((await failureOf(one)).error.message).toContain(sentence);

  // A replica that lacks records may not lead where none may be lost; where they may, they are lost.
  await lab.start("broker-2");
  await ledBy(lossy, 2);
  expect((await failureOf(readWhole(slowRead(topic, impatient)))).error.message).toBe(error.message);
  const { end, records } = await readWhole(underWay);
  expect(end).toMatchObject({ why: "recreated", next: 0 });
  const seen = [...read, ...records];
  expect(told(seen)).toEqual([...kept, ...lost].slice(0, seen.length));
  const beyond = { topic: lossy, partition: 0, from: 390, topicId, isolation: "read_committed" } as const;
  expect((await readWhole(reader.read(beyond))).end).toMatchObject({ why: "recreated", next: 0 });
  expect(told((await readWhole(slowRead(lossy))).records)).toEqual([...kept]);
  // Cut, and grown past what was read: none of the others is taken for what followed.
  const others = await write(lossy, 200, 60, "another");
  const late = await readWhole(slower);
  expect(late.end).toMatchObject({ why: "recreated", next: 0 });
  expect(told(late.records)).toEqual([...lost].slice(110, 110 + late.records.length));
  expect(told((await readWhole(slowRead(lossy))).records)).toEqual([...kept, ...others]);

  await lab.start("broker-3");
  const healed = await readWhole(slowRead(topic));
  expect(healed.end).toMatchObject({ why: "end", next: 400, deleted: [] });
  expect(told(healed.records)).toEqual([...acknowledged, ...later]);
  expect(await impatient.ends([at], "latest")).toEqual([400]);
});

test("a topic deleted and made again on another broker: recreated, and a next read reads the new one", async () => {
  const topic = await makeTopic([[2]]);
  const acknowledged = await write(topic, 0, 40);
  let others: Acknowledged = new Map();
  const { end, records } = await readWhole(slowRead(topic), 60, async () => {
    others = await makeAgain(topic, [[3]], 60);
  });
  expect(end).toMatchObject({ why: "recreated", next: 0 });
  expect(records.length).toBeGreaterThanOrEqual(70);
  expect(told(records)).toEqual([...acknowledged].slice(0, records.length));
  const again = await readWhole(slowRead(topic));
  expect(again.end).toMatchObject({ why: "end", next: 600 });
  expect(told(again.records)).toEqual([...others]);
});

test("Read taken away in the middle of a read: it says what is needed and where it stood, and goes on from there", async () => {
  const topic = await makeTopic([[2, 3]]);
  const acknowledged = await write(topic, 0, 40);
  const right = { operation: "READ", topic: "*" } as const;
  const records: LogRecord[] = [];
  const reading = async () => {
    for await (const batch of slowRead(topic)) {
      records.push(...batch.records());
      if (batch.baseOffset !== 60) continue;
      await lab.revoke([right]);
      // The brokers hear of it a little later than the controller.
      await eventually("the right is gone", 10_000, () =>
        onlooker.newest({ topic, partition: 0 }, "read_committed").then(
          () => null,
          () => true,
        ),
      );
    }
  };
  const { error } = await failureOf(reading());
  const { offset } = error.at;
  expect(error.message).toBe(
    `topic ${topic}, partition 0, offset ${offset}: not allowed to read the records (needs Read on topic ${topic})`,
  );
  expect(error.failure).toMatchObject({
    kind: "forbidden",
    remedy: expect.stringContaining(`--operation Read --topic '${topic}'`),
  });
  expect(records.length).toBe(offset);
  expect(offset).toBeLessThan(200);
  await lab.grant([right]);
  const rest = await eventually("it is read again", 10_000, () =>
    readWhole(reader.read({ topic, partition: 0, from: offset, isolation: "read_committed" })).catch(
      () => null,
    ),
  );
  expect(told([...records, ...rest.records])).toEqual([...acknowledged]);
});

test("an offset topic that is made again, or overtaken by retention, is read again from its start, and says so", async () => {
  const topic = await makeTopic([[2], [3]]);
  const sink = new Sink();
  const follower = followTopics(reader);
  const poll = async () => (await follower.poll([topic], sink)).get(topic);
  const first = [await write(topic, 0, 3), await write(topic, 0, 2, "record", 1)];
  expect(await poll()).toBeNull();
  expect(sink.taken(topic)).toEqual(first.map((one) => [...one]));

  const second = await makeAgain(topic, [[3], [2]], 5);
  expect(await poll()).toMatchObject({ sentence: expect.stringContaining("was deleted and made again") });
  expect(sink.taken(topic)).toEqual([[], []]);
  expect(await poll()).toBeNull();
  expect(sink.taken(topic)).toEqual([[...second], []]);

  const third = await write(topic, 50, 3);
  await asAdmin(lab, async (admin) => {
    await admin.fetchTopicOffsets(topic);
    await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: "75" }] });
  });
  expect(await poll()).toMatchObject({
    sentence: expect.stringContaining("were deleted before they could be read"),
  });
  expect(await poll()).toBeNull();
  expect(sink.taken(topic)).toEqual([[...third].filter(([offset]) => offset >= 75), []]);
});

/** What was taken of topics with two partitions since they were last begun. */
class Sink implements TopicSink {
  private readonly records = new Map<string, LogRecord[][]>();

  taken(topic: string) {
    return (this.records.get(topic) ?? [[], []]).map(told);
  }
  async begin(topic: string): Promise<void> {
    this.records.set(topic, [[], []]);
  }
  async start(): Promise<void> {}
  async take(topic: string, partition: number, records: readonly LogRecord[]): Promise<void> {
    this.records.get(topic)?.[partition]?.push(...records);
  }
  async forget(topic: string): Promise<void> {
    this.records.delete(topic);
  }
}

/** Deletes a topic, makes it again on other brokers and writes batches to its first partition. */
async function makeAgain(topic: string, partitions: number[][], batches: number): Promise<Acknowledged> {
  await asAdmin(lab, (admin) => admin.deleteTopics({ topics: [topic] }));
  await eventually(`${topic} is gone`, 15_000, async () =>
    (await asAdmin(lab, (admin) => admin.listTopics())).includes(topic) ? null : true,
  );
  await makeTopic(partitions, {}, topic);
  return write(topic, 0, batches, "another");
}

/** The first so many records as kafkajs's own consumer reads them. */
async function consume(topic: string, count: number): Promise<[number, string | undefined][]> {
  const consumer = lab.kafka().consumer({ groupId: `faults-${Date.now()}`, allowAutoTopicCreation: false });
  const found: [number, string | undefined][] = [];
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  await consumer.run({
    eachMessage: async ({ message }) => void found.push([Number(message.offset), message.value?.toString()]),
  });
  await eventually("kafkajs reads it all", 60_000, async () => (found.length >= count ? true : null));
  await consumer.disconnect();
  return found;
}
