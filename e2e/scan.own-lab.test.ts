import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { orderEvent } from "@/bench/events";
import { createTopic } from "@/lab/create-topic";
import { openLab } from "@/lab/open-lab";
import { scanTopic } from "@/lib/collect/scan/scan-topic";
import { type KafkaConnection, openKafka } from "@/lib/kafka/connection";
import { openLogReader } from "@/lib/kafka/log/open-log-reader";
import { limitsOf } from "@/lib/measure/duplicates/samples";
import type { ScanResult } from "@/lib/observed/duplicates";
import type { Database } from "@/lib/store/database";
import { readScanPartitions, readScanResults, scanGroup } from "@/lib/store/scans";
import { startTestServer, type TestServer } from "@/lib/store/test-server";
import { eventually } from "./dashboard";

const lab = openLab(mkdtempSync(join(tmpdir(), "lab-scan-")));
const PARTITIONS = 4;
const EVENTS = 6_000;
/** Sent again: the last of each partition so far, at each of these shares of all. */
const replays = [0.3, 0.6, 0.9];
const REPLAYED = 250;
let connection: KafkaConnection;
let server: TestServer;
let broker = "";
const collectors: ChildProcess[] = [];

beforeAll(async () => {
  [server] = await Promise.all([startTestServer(), lab.up({ only: "broker" })]);
  broker = lab.brokers[0] ?? "";
  connection = openKafka({
    name: "lab",
    connect: { urls: ["http://127.0.0.1:1"] },
    kafka: { brokers: [broker], tls: false },
  });
}, 120_000);
afterEach(() => {
  for (const collector of collectors.splice(0)) collector.kill("SIGKILL");
});
afterAll(async () => {
  await connection?.close();
  await Promise.all([server?.stop(), lab.reset()]);
});

/** Changes over all partitions, and replays of the end of each. */
async function fill(topic: string): Promise<void> {
  const admin = lab.kafka().admin();
  const producer = lab.kafka().producer({ allowAutoTopicCreation: false });
  await Promise.all([admin.connect(), producer.connect()]);
  await createTopic(admin, { topic, numPartitions: PARTITIONS, replicationFactor: 1 });
  const message = (change: number) => ({ ...orderEvent(change), partition: change % PARTITIONS });
  const messages: ReturnType<typeof message>[] = [];
  for (let change = 0; change < EVENTS; change++) {
    messages.push(message(change));
    if (replays.some((share) => Math.round(share * EVENTS) === change))
      for (let again = change - REPLAYED + 1; again <= change; again++) messages.push(message(again));
  }
  for (let at = 0; at < messages.length; at += 100)
    await producer.send({ topic, messages: messages.slice(at, at + 100), acks: -1 });
  await Promise.all([admin.disconnect(), producer.disconnect()]);
}

/** What one scan in one go finds, with the same secret. */
async function inOneGo(topic: string, db: Database, limits = { identities: 4_000, keys: 500 }) {
  const log = openLogReader(connection);
  const partitions = Array.from({ length: PARTITIONS }, (_, partition) => ({ topic, partition }));
  const ends = await log.ends(partitions, "last-stable");
  const described = await log.describe([topic]);
  const found = described.value?.get(topic);
  const { secret } = await scanGroup(db, "lab");
  const { result } = await scanTopic(log, {
    ...{ topic, type: "postgresql", config: null, registry: null, secret },
    topicId: found && "topicId" in found ? found.topicId : null,
    partitions: partitions.map(({ partition }, i) => ({ partition, from: 0, to: Number(ends[i]) })),
    limits: limitsOf(PARTITIONS, limits),
  });
  return result;
}

function collect(url: string, topic: string): ChildProcess {
  const program = ["--import", "tsx", "e2e/scan-collector.ts", broker, url, topic];
  const collector = spawn(process.execPath, program, { stdio: ["ignore", "ignore", "inherit"] });
  collectors.push(collector);
  return collector;
}

const nextOf = async (db: Database, topic: string) =>
  (await readScanPartitions(db, { cluster: "lab", topic })).reduce((sum, { next }) => sum + next, 0);

const all = EVENTS + replays.length * REPLAYED;

async function ended(db: Database, topic: string): Promise<ScanResult> {
  return eventually("the scan is at the end", 60_000, async () => {
    const result = (await readScanResults(db, "lab")).get(topic);
    return result?.records === all ? result : null;
  });
}

test("killed half-way and started again, it ends with the figures of one scan", async () => {
  const { db, url } = await server.create();
  await fill("scan.killed");
  const expected = await inOneGo("scan.killed", db);
  expect(expected.share).toBeLessThan(1);
  const exact = await inOneGo("scan.killed", db, { identities: 100_000, keys: 100_000 });
  expect(exact).toMatchObject({
    share: 1,
    events: all,
    duplicates: replays.length * REPLAYED,
    keyOrderViolations: 0,
  });
  const first = collect(url, "scan.killed");
  await eventually(
    "a third is read",
    30_000,
    async () => (await nextOf(db, "scan.killed")) > all / 3 || null,
  );
  first.kill("SIGKILL");
  await once(first, "exit");
  const reached = await nextOf(db, "scan.killed");
  expect(reached).toBeLessThan(all);
  collect(url, "scan.killed");
  const { bytesRead, ...result } = await ended(db, "scan.killed");
  expect({ ...result, bytesRead: expected.bytesRead }).toEqual(expected);
}, 180_000);

test("a second collector joins and takes its part, the first is killed: the figures stay those of one scan", async () => {
  const { db, url } = await server.create();
  await fill("scan.joined");
  const expected = await inOneGo("scan.joined", db);
  const first = collect(url, "scan.joined");
  await eventually("some is read", 60_000, async () => (await nextOf(db, "scan.joined")) > 500 || null);
  collect(url, "scan.joined");
  const { groupId } = await scanGroup(db, "lab");
  const admin = lab.kafka().admin();
  await admin.connect();
  const members = await eventually("two collectors share the partitions", 60_000, async () => {
    const { groups } = await admin.describeGroups([groupId]);
    const [group] = groups;
    return group?.state === "Stable" && group.members.length === 2 ? group.members : null;
  });
  expect(members).toHaveLength(2);
  // Membership is all: nothing is ever committed.
  expect(await admin.fetchOffsets({ groupId, topics: ["scan.joined"] })).toEqual([
    {
      topic: "scan.joined",
      partitions: expect.toSatisfy((of: { offset: string }[]) => of.every(({ offset }) => offset === "-1")),
    },
  ]);
  await admin.disconnect();
  first.kill("SIGKILL");
  const { bytesRead, ...result } = await ended(db, "scan.joined");
  expect({ ...result, bytesRead: expected.bytesRead }).toEqual(expected);
}, 180_000);
