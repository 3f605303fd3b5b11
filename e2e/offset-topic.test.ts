import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import type { Lab } from "@/lab/lab";
import { openLab } from "@/lab/open-lab";
import type { JudgedConnector } from "@/lib/checks/judged";
import { runCollector } from "@/lib/collect/collector";
import { settingsSchema } from "@/lib/config/settings";
import { canonicalJson } from "@/lib/debezium/canonical-json";
import { parseJson } from "@/lib/debezium/json";
import { type CommitOf, commitsKeptMs, readCommitsBetween } from "@/lib/store/commits";
import { readConnector } from "@/lib/store/connectors";
import type { Database } from "@/lib/store/database";
import { readLoops } from "@/lib/store/loops";
import { startTestServer, type TestServer } from "@/lib/store/test-server";
import { eventually } from "./dashboard";

const CLUSTER = "lab";
const TOPIC = "connect-offsets";
const CONNECTORS = ["orders-cdc", "inventory-cdc"] as const;
/** Commits of each connector that the test waits for while the writer writes, at a flush every 5 s. */
const FRESH_COMMITS = 4;

/** What a client of another make reads from the topic: the second method. */
interface Truth {
  connector: string;
  partition: string;
  offset: string | null;
  at: string;
  kafkaPartition: number;
  kafkaOffset: number;
}

describe("the offset topic, followed without being named, against kafkajs's consumer", () => {
  let lab: Lab;
  let server: TestServer;
  let db: Database;
  let collecting: Promise<void>;
  const stop = new AbortController();
  const stored = new Map<string, CommitOf[]>();
  let truth: Truth[];
  let before: Date;

  beforeAll(async () => {
    lab = openLab(inject("labFolder"));
    server = await startTestServer();
    db = (await server.create()).db;
    const settings = settingsSchema.parse({
      clusters: [{ name: CLUSTER, connect: { urls: [lab.connectUrl] }, kafka: { brokers: lab.brokers } }],
      poll: { connectors: 1, offsets: 1, topics: 30, schemaHistory: 30 },
    });
    before = new Date();
    collecting = runCollector({ settings, db, version: "test", signal: stop.signal, log: () => undefined });
    const writing = new AbortController();
    const written = lab.write({ rate: 10, signal: writing.signal });
    for (const name of CONNECTORS)
      await eventually(`fresh commits of ${name}`, 90_000, async () => {
        const fresh = await commitsOf(name, before);
        return fresh.length >= FRESH_COMMITS ? fresh : null;
      });
    writing.abort();
    await written;
    for (const name of CONNECTORS) stored.set(name, await commitsOf(name, new Date(0)));
    truth = await readTruth(lab);
  });
  afterAll(async () => {
    stop.abort();
    await collecting;
    await server?.stop();
  });

  const commitsOf = (connector: string, from: Date) =>
    readCommitsBetween(db, { cluster: CLUSTER, connector }, { from, to: new Date(Date.now() + 3_600_000) });
  const known = async (name: string): Promise<JudgedConnector> => {
    const found = await readConnector(db, CLUSTER, name);
    if (!found) throw new Error(`${name} is not known`);
    return found;
  };

  test("each commit that is stored is a record of the topic, its time included, and none is left out", () => {
    for (const name of CONNECTORS) {
      const ours = (stored.get(name) ?? []).map(({ topic, ...rest }) => {
        expect(topic).toBe(TOPIC);
        return rest;
      });
      expect(ours.length).toBeGreaterThanOrEqual(FRESH_COMMITS);
      const last = Math.max(...ours.map((c) => c.kafkaOffset));
      const kept = new Date(before.getTime() - commitsKeptMs + 60_000).toISOString();
      const theirs = truth.filter((t) => t.connector === name && t.kafkaOffset <= last && t.at > kept);
      expect([...ours].sort(byPlace)).toEqual([...theirs].sort(byPlace));
    }
  });

  test("the stored offset is the newest commit, and says when it was committed", async () => {
    for (const name of CONNECTORS) {
      const { offsets, commits } = await known(name);
      expect(offsets).toMatchObject({ failure: null, value: { from: "topic" } });
      expect(commits).toMatchObject({ failure: null, value: { topics: [TOPIC] } });
      expect(offsets?.value?.offsets.length).toBeGreaterThan(0);
      for (const { partition, offset, committedAt } of offsets?.value?.offsets ?? []) {
        const newest = commits?.value?.partitions.find((p) => p.partition === partition)?.commits.at(-1);
        expect({ offset, at: committedAt }).toEqual({ offset: newest?.offset, at: newest?.at });
        const same = truth.find((t) => t.connector === name && t.kafkaOffset === newest?.kafkaOffset);
        // It may be newer than what the other client read.
        if (same) expect(same).toMatchObject({ offset, at: committedAt, partition });
      }
    }
  });

  test("REST gives the same offsets, though it is asked no more", async () => {
    for (const name of CONNECTORS) {
      await eventually(`REST and the topic agree on ${name}`, 30_000, async () => {
        const rest = await fetch(`${lab.connectUrl}/connectors/${name}/offsets`);
        const { offsets } = parseJson(await rest.text()) as {
          offsets: { partition: object; offset: object }[];
        };
        const ours = (await known(name)).offsets?.value?.offsets.map((o) => [o.partition, o.offset]);
        const theirs = offsets.map((o) => [
          canonicalJson(o.partition as never),
          canonicalJson(o.offset as never),
        ]);
        return JSON.stringify(ours) === JSON.stringify(theirs.sort());
      });
    }
  });

  test("the loop says that it runs, and that nothing is wrong", async () => {
    const loop = (await readLoops(db)).find((l) => l.name === "offset topic");
    expect(loop).toMatchObject({ cluster: CLUSTER, failure: null });
    expect(loop?.runs).toBeGreaterThan(3);
  });
});

const byPlace = (a: Omit<Truth, "offset">, b: Omit<Truth, "offset">) =>
  a.kafkaPartition - b.kafkaPartition || a.kafkaOffset - b.kafkaOffset;

/** Every record of the topic whose key is a connector's, up to its end as it is now. */
async function readTruth(lab: Lab): Promise<Truth[]> {
  const kafka = lab.kafka();
  const admin = kafka.admin();
  await admin.connect();
  const ends = await admin.fetchTopicOffsets(TOPIC);
  const groupId = `offset-topic-test-${Date.now()}`;
  const consumer = kafka.consumer({ groupId, allowAutoTopicCreation: false, readUncommitted: false });
  const found: Truth[] = [];
  const left = new Set(ends.filter((e) => Number(e.high) > Number(e.low)).map((e) => e.partition));
  consumer.on(consumer.events.END_BATCH_PROCESS, ({ payload }) => {
    const end = ends.find((e) => e.partition === payload.partition);
    if (Number(payload.lastOffset) + 1 >= Number(end?.high)) left.delete(payload.partition);
  });
  await consumer.connect();
  await consumer.subscribe({ topic: TOPIC, fromBeginning: true });
  await consumer.run({
    eachMessage: async ({ partition: kafkaPartition, message }) => {
      const [connector, partition] = JSON.parse(message.key?.toString() ?? "[]");
      if (typeof connector !== "string") return;
      const value = message.value?.toString();
      found.push({
        connector,
        partition: canonicalJson(partition),
        offset: value === undefined ? null : canonicalJson(parseJson(value)),
        at: new Date(Number(message.timestamp)).toISOString(),
        kafkaPartition,
        kafkaOffset: Number(message.offset),
      });
    },
  });
  for (let waited = 0; left.size > 0 && waited < 30_000; waited += 100) await sleep(100);
  expect([...left]).toEqual([]);
  await consumer.disconnect();
  await admin.deleteGroups([groupId]);
  await admin.disconnect();
  return found;
}
