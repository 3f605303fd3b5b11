import { createHash, randomBytes } from "node:crypto";
import fc from "fast-check";
import kafkajs, { type Consumer, type KafkaMessage, type Producer, type Transaction } from "kafkajs";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { createTopic } from "@/lab/create-topic";
import { type JavaClient, type JavaProducer, type JavaRecord, openJavaClient } from "@/lab/java-client";
import { openLab } from "@/lab/open-lab";
import { openKafka } from "@/lib/kafka/connection";
import type { Isolation, LogReader } from "@/lib/kafka/log/log-reader";
import { openLogReader } from "@/lib/kafka/log/open-log-reader";
import { eventually } from "./dashboard";
import { teachCodecs } from "./kafkajs-codecs";

/** A record as it was read, its headers as kafkajs has them: by name, a list where a name occurs twice. */
interface Read {
  offset: number;
  timestamp: number;
  key: string | null;
  value: string | null;
  headers: Record<string, (string | null)[]>;
}

/** A record that was written, where the broker said that it lies. */
interface Written extends JavaRecord {
  offset: number;
  /** False once its transaction was aborted. */
  committed: boolean;
}

type Codec = JavaProducer["codec"];
/** One thing that a writer does: a batch alone, or as part of its transaction, which is begun where none is open. */
type Act = { writer: number; partition: number; records: JavaRecord[] } | { writer: number; end: boolean };

interface Writer {
  transactional: boolean;
  begin(): Promise<void>;
  /** @returns the offset of each record */
  write(topic: string, partition: number, records: readonly JavaRecord[]): Promise<number[]>;
  end(commit: boolean): Promise<void>;
}

const lab = openLab(inject("labFolder"));
const PREFIX = "java-client-test";
const PARTITIONS = 2;
const ISOLATIONS: readonly Isolation[] = ["read_committed", "read_uncommitted"];
const CODECS: readonly Codec[] = ["none", "gzip", "snappy", "lz4", "zstd"];
const topics: string[] = [];
let java: JavaClient;
let connection: ReturnType<typeof openKafka>;
let reader: LogReader;
let writers: Writer[];
const producers: Producer[] = [];

beforeAll(async () => {
  teachCodecs();
  java = openJavaClient(lab);
  connection = openKafka({ name: "lab", connect: { urls: [lab.connectUrl] }, kafka: lab.kafkaSettings() });
  reader = openLogReader(connection);
  const run = Math.random().toString(36).slice(2);
  writers = [
    ...CODECS.map((codec) => javaWriter(`plain-${codec}`, codec, null)),
    ...CODECS.map((codec) => javaWriter(`tx-${codec}`, codec, `${PREFIX}-${run}-${codec}`)),
    // Nothing for Node.js 20 writes zstd.
    ...(await Promise.all(CODECS.slice(0, 4).map((codec) => kafkajsWriter(codec, null)))),
    ...(await Promise.all(
      CODECS.slice(0, 4).map((codec) => kafkajsWriter(codec, `${PREFIX}-js-${run}-${codec}`)),
    )),
  ];
});

afterAll(async () => {
  await connection?.close();
  await java?.close();
  await Promise.all(producers.map((producer) => producer.disconnect()));
  const admin = lab.kafka().admin();
  await admin.connect();
  if (topics.length > 0) await admin.deleteTopics({ topics });
  await admin.disconnect();
});

describe("what Kafka's own client and kafkajs write, our reader reads as kafkajs's consumer does", () => {
  test.each(fc.sample(scripts(), { seed: 20_261_129, numRuns: 4 }).map((script, at) => ({ script, at })))(
    "random batches of all codecs, in and out of transactions that overlap, in both isolation levels ($at)",
    async ({ script }) => {
      const topic = await newTopic({});
      const written = await play(script, topic);
      expect(written.flat().length).toBeGreaterThan(50);
      for (const isolation of ISOLATIONS) {
        const theirs = await byKafkajs(topic, isolation);
        for (const [partition, records] of written.entries()) {
          const truth = records
            .filter((one) => isolation === "read_uncommitted" || one.committed)
            .map(asRead);
          expect(await byOurs(topic, partition, isolation), `ours, ${isolation}`).toEqual(truth);
          expect(theirs[partition], `kafkajs, ${isolation}`).toEqual(truth);
        }
      }
    },
  );

  test("batches of several blocks, of what compresses and of what does not, by each codec", async () => {
    const topic = await newTopic({});
    const value = (at: number, bytes: number) =>
      at % 2 === 0 ? randomBytes(bytes) : Buffer.alloc(bytes, `{"id":${at},"note":"the same again"}`);
    const truth: Read[] = [];
    for (const codec of CODECS) {
      const records = Array.from({ length: 40 }, (_, at): JavaRecord => {
        return { timestamp: 1_700_000_000_000 + at, key: null, value: value(at, 20_000), headers: [] };
      });
      const offsets = await writer(`plain-${codec}`).write(topic, 0, records);
      truth.push(...records.map((record, at) => asRead({ ...record, offset: offsets[at] ?? -1 })));
    }
    const batches: string[] = [];
    for await (const { codec, count } of reader.read({
      topic,
      partition: 0,
      from: 0,
      isolation: "read_committed",
    }))
      batches.push(`${codec} ${count}`);
    expect(batches).toEqual(CODECS.map((codec) => `${codec} 40`));
    expect(await byOurs(topic, 0, "read_committed")).toEqual(truth);
    const marker = (await writeMarkers(topic, ["none"])).map(asRead);
    expect((await byKafkajs(topic, "read_committed"))[0]).toEqual([...truth, marker[0]]);
  });

  test("the order of headers, and names that occur twice, are as written", async () => {
    const topic = await newTopic({});
    const names = ["b", "a", "b", "c", "a"];
    const headers = names.map((name, at) => ({ name, value: at === 3 ? null : Buffer.from([at]) }));
    await writer("plain-lz4").write(topic, 0, [{ timestamp: 1, key: null, value: Buffer.alloc(0), headers }]);
    const record = await reader.recordAt({ topic, partition: 0 }, 0, "read_committed");
    expect(record).toEqual({ offset: 0, timestamp: 1, key: null, value: Buffer.alloc(0), headers });
  });

  test("times are the broker's where the topic says so", async () => {
    const topic = await newTopic({ "message.timestamp.type": "LogAppendTime" });
    const [records] = fc.sample(fc.array(record(), { minLength: 5, maxLength: 9 }), { seed: 7, numRuns: 1 });
    const began = Date.now();
    for (const codec of CODECS) await writer(`plain-${codec}`).write(topic, 0, records ?? []);
    await writeMarkers(topic, ["none"]);
    const ours = await byOurs(topic, 0, "read_committed");
    expect(ours).toEqual((await byKafkajs(topic, "read_committed"))[0]);
    for (const { timestamp } of ours) {
      expect(timestamp).toBeGreaterThanOrEqual(began - 1_000);
      expect(timestamp).toBeLessThanOrEqual(Date.now() + 1_000);
    }
  });

  test("an open transaction: committed reading ends before it, and goes on when it is aborted", async () => {
    const topic = await newTopic({});
    const [one] = fc.sample(record(), { seed: 9, numRuns: 1 });
    const records = one ? [one, one] : [];
    const open = writer("tx-snappy");
    await writer("plain-none").write(topic, 0, records);
    await open.begin();
    await open.write(topic, 0, records);
    await writer("plain-zstd").write(topic, 0, records);
    expect(await reader.ends([{ topic, partition: 0 }], "last-stable")).toEqual([2]);
    expect(await reader.ends([{ topic, partition: 0 }], "latest")).toEqual([6]);
    expect((await byOurs(topic, 0, "read_committed")).map(({ offset }) => offset)).toEqual([0, 1]);
    expect((await byOurs(topic, 0, "read_uncommitted")).map(({ offset }) => offset)).toEqual([
      0, 1, 2, 3, 4, 5,
    ]);
    await open.end(false);
    await settled(topic);
    expect((await byOurs(topic, 0, "read_committed")).map(({ offset }) => offset)).toEqual([0, 1, 4, 5]);
    expect((await reader.newest({ topic, partition: 0 }, "read_committed"))?.offset).toBe(5);
  });
});

// ── what is written

function record(): fc.Arbitrary<JavaRecord> {
  const bytes = (maxLength: number) =>
    fc.oneof(
      fc.uint8Array({ maxLength }),
      // What compresses well.
      fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 8 }), fc.nat(maxLength)).map(([part, times]) => {
        return Buffer.alloc(times, part);
      }),
    );
  const nullable = (maxLength: number) =>
    fc.option(bytes(maxLength), { freq: 5 }).map((value) => (value === null ? null : Buffer.from(value)));
  const name = fc.constantFrom("a", "b", "__debezium.context.runId", "ü");
  // kafkajs writes no null in a header.
  const value = bytes(30).map((v) => Buffer.from(v));
  const headers = fc.uniqueArray(fc.record({ name, value }), { maxLength: 3, selector: (h) => h.name });
  // Not in the future, which the broker refuses.
  const timestamp = fc.oneof(fc.nat(1_000), fc.integer({ min: 1_600_000_000_000, max: 1_790_000_000_000 }));
  return fc.record({ timestamp, key: nullable(20), value: nullable(2_000), headers });
}

function scripts(): fc.Arbitrary<Act[]> {
  const writer = fc.nat(17);
  const batch = fc.record({
    writer,
    partition: fc.nat(PARTITIONS - 1),
    records: fc.array(record(), { minLength: 1, maxLength: 12 }),
  });
  const end = fc.record({ writer: fc.integer({ min: 0, max: 17 }), end: fc.boolean() });
  return fc.array(fc.oneof({ weight: 3, arbitrary: batch }, { weight: 2, arbitrary: end }), {
    minLength: 60,
    maxLength: 90,
  });
}

/** Does what the script says, ends what is open, and marks the end of each partition. @returns what lies in each */
async function play(script: readonly Act[], topic: string): Promise<Written[][]> {
  const partitions: Written[][] = Array.from({ length: PARTITIONS }, () => []);
  const open = new Map<Writer, Written[]>();
  const end = async (one: Writer, commit: boolean) => {
    await one.end(commit);
    for (const record of open.get(one) ?? []) record.committed = commit;
    open.delete(one);
  };
  for (const act of script) {
    const one = writers[act.writer];
    if (!one) throw new Error(`no writer ${act.writer}`);
    if ("end" in act) {
      if (open.has(one)) await end(one, act.end);
      continue;
    }
    if (one.transactional && !open.has(one)) {
      await one.begin();
      open.set(one, []);
    }
    const offsets = await one.write(topic, act.partition, act.records);
    const written = act.records.map((record, at) => ({
      ...record,
      offset: offsets[at] ?? -1,
      committed: true,
    }));
    partitions[act.partition]?.push(...written);
    open.get(one)?.push(...written);
  }
  for (const one of [...open.keys()]) await end(one, true);
  const markers = await writeMarkers(topic, ["gzip", "none"]);
  for (const [partition, marker] of markers.entries()) partitions[partition]?.push(marker);
  await settled(topic);
  return partitions;
}

/** Who ends a transaction is answered before the broker has marked each partition. */
async function settled(topic: string): Promise<void> {
  const partitions = Array.from({ length: PARTITIONS }, (_, partition) => ({ topic, partition }));
  const open = async () => {
    const [stable, latest] = [
      await reader.ends(partitions, "last-stable"),
      await reader.ends(partitions, "latest"),
    ];
    return stable.filter((end, at) => end !== latest[at]);
  };
  await expect.poll(open, { timeout: 20_000 }).toEqual([]);
}

const MARKER = Buffer.from("the end");

/** One record more in each partition: who has read it has read all before it. */
async function writeMarkers(topic: string, codecs: readonly Codec[]): Promise<Written[]> {
  const marker: JavaRecord = { timestamp: 1, key: MARKER, value: null, headers: [] };
  const markers: Written[] = [];
  for (let partition = 0; partition < PARTITIONS; partition++) {
    const [offset = -1] = await writer(`plain-${codecs[partition % codecs.length]}`).write(topic, partition, [
      marker,
    ]);
    markers.push({ ...marker, offset, committed: true });
  }
  return markers;
}

const named = new Map<string, Writer>();

function writer(name: string): Writer {
  const found = named.get(name);
  if (!found) throw new Error(`no writer ${name}`);
  return found;
}

function javaWriter(name: string, codec: Codec, transactionalId: string | null): Writer {
  const producer = { name, codec, transactionalId, idempotent: transactionalId !== null || codec !== "gzip" };
  const made: Writer = {
    transactional: transactionalId !== null,
    begin: async () => void (await java.run(producer, { do: "begin" })),
    write: (topic, partition, records) => java.run(producer, { do: "batch", topic, partition, records }),
    end: async (commit) => void (await java.run(producer, { do: commit ? "commit" : "abort" })),
  };
  named.set(name, made);
  return made;
}

async function kafkajsWriter(codec: Codec, transactionalId: string | null): Promise<Writer> {
  const transactional = transactionalId !== null;
  const producer = lab.kafka().producer({
    allowAutoTopicCreation: false,
    ...(transactional ? { transactionalId, idempotent: true, maxInFlightRequests: 1 } : {}),
  });
  await producer.connect();
  producers.push(producer);
  const { None, GZIP, Snappy, LZ4, ZSTD } = kafkajs.CompressionTypes;
  const compression = { none: None, gzip: GZIP, snappy: Snappy, lz4: LZ4, zstd: ZSTD }[codec];
  let transaction: Transaction | null = null;
  // The first one of a new broker has to wait until it coordinates transactions; kafkajs does not.
  if (transactional)
    await eventually("the broker coordinates transactions", 60_000, async () => {
      await (await producer.transaction()).abort();
      return true;
    });
  return {
    transactional,
    begin: async () => {
      transaction = await producer.transaction();
    },
    write: async (topic, partition, records) => {
      const messages = records.map(({ timestamp, key, value, headers }) => ({
        partition,
        key,
        value,
        timestamp: String(timestamp),
        headers: Object.fromEntries(headers.map((header) => [header.name, header.value ?? Buffer.alloc(0)])),
      }));
      const [answer] = await (transaction ?? producer).send({ topic, compression, messages });
      return records.map((_, at) => Number(answer?.baseOffset) + at);
    },
    end: async (commit) => {
      await (commit ? transaction?.commit() : transaction?.abort());
      transaction = null;
    },
  };
}

async function newTopic(settings: Record<string, string>): Promise<string> {
  const topic = `${PREFIX}-${Math.random().toString(36).slice(2)}`;
  const configEntries = Object.entries({ "retention.ms": "-1", ...settings }).map(([name, value]) => ({
    name,
    value,
  }));
  const admin = lab.kafka().admin();
  await admin.connect();
  await createTopic(admin, { topic, numPartitions: PARTITIONS, replicationFactor: 1, configEntries });
  await admin.disconnect();
  topics.push(topic);
  return topic;
}

// ── what is read

/** All that our reader gives of a partition. */
async function byOurs(topic: string, partition: number, isolation: Isolation): Promise<Read[]> {
  const read: Read[] = [];
  for await (const batch of reader.read({ topic, partition, from: 0, isolation })) {
    if (batch.control || (batch.aborted && isolation === "read_committed")) continue;
    for (const one of batch.records()) read.push(asRead(one));
  }
  return read;
}

/** All that kafkajs's own consumer gives of each partition, up to its marker. */
async function byKafkajs(topic: string, isolation: Isolation): Promise<Read[][]> {
  const partitions: Read[][] = Array.from({ length: PARTITIONS }, () => []);
  const groupId = `${topic}-${isolation}`;
  const consumer: Consumer = lab.kafka().consumer({
    groupId,
    allowAutoTopicCreation: false,
    readUncommitted: isolation === "read_uncommitted",
    maxWaitTimeInMs: 200,
  });
  await consumer.connect();
  try {
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    const left = new Set(partitions.keys());
    await new Promise<void>((resolve, reject) => {
      consumer.on(consumer.events.CRASH, ({ payload }) => reject(payload.error));
      consumer
        .run({
          autoCommit: false,
          eachMessage: async ({ partition, message }) => {
            partitions[partition]?.push(ofKafkajs(message));
            if (message.key?.equals(MARKER)) left.delete(partition);
            if (left.size === 0) resolve();
          },
        })
        .catch(reject);
    });
  } finally {
    await consumer.disconnect();
    const admin = lab.kafka().admin();
    await admin.connect();
    await admin.deleteGroups([groupId]).catch(() => {});
    await admin.disconnect();
  }
  return partitions;
}

function ofKafkajs({ offset, timestamp, key, value, headers }: KafkaMessage): Read {
  const pairs = Object.entries(headers ?? {}).flatMap(([name, given]) =>
    [given ?? null].flat().map((one) => ({ name, value: one === null ? null : Buffer.from(one) })),
  );
  return asRead({ offset: Number(offset), timestamp: Number(timestamp), key, value, headers: pairs });
}

function asRead({ offset, timestamp, key, value, headers }: JavaRecord & { offset: number }): Read {
  const text = (bytes: Buffer | null) => (bytes === null ? null : shortly(bytes));
  const byName: Read["headers"] = {};
  for (const header of headers) {
    byName[header.name] = [...(byName[header.name] ?? []), text(header.value)];
  }
  return { offset, timestamp, key: text(key), value: text(value), headers: byName };
}

/** Stands for the bytes, and keeps a difference readable. */
function shortly(bytes: Buffer): string {
  if (bytes.length <= 40) return bytes.toString("hex");
  return `${bytes.length} bytes, SHA-256 ${createHash("sha256").update(bytes).digest("hex")}`;
}
