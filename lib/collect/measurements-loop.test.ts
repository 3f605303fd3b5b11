import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { LogReadError } from "@/lib/kafka/log/log-reader";
import type { Measurement, ScanResult } from "@/lib/observed/duplicates";
import type { Failure } from "@/lib/observed/observation";
import type { Database } from "@/lib/store/database";
import {
  askMeasurement,
  cancelMeasurement,
  type MeasurementAsked,
  readMeasurement,
} from "@/lib/store/measurements";
import { saveRestart } from "@/lib/store/restarts";
import { partitionFound, replayAt } from "@/lib/store/sample-duplicates";
import { restartAt } from "@/lib/store/sample-windows";
import { queryOn, startTestServer, type TestServer } from "@/lib/store/test-server";
import type { BrokerProbe } from "./cluster-probe";
import type { ClusterWatch } from "./cluster-watch";
import { measurePartition, type PartitionRequest } from "./duplicates/measure-partition";
import type { Instruments } from "./measurements/instruments";
import { askedTopics } from "./measurements/testing/asked-topics";
import { Measurements } from "./measurements-loop";
import { CLUSTER, connector, events, T } from "./replay-window/testing/known-connector";
import { RecordsGone } from "./restarts/partition-log";
import { postgresChange, runIdAt } from "./restarts/testing/run-log";
import { scanTopic, type TopicScan } from "./scan/scan-topic";

const TOPIC = "shop.public.a";
const carried = { version: 1 as const, topicId: null, at: 0, writers: [] };
/** An instrument that finds nothing but a start of a run in what it is asked for. */
const measured = ({ topic, partition, from, to }: PartitionRequest, more = {}) => ({
  found: partitionFound(topic, partition, {
    ...{ from, to, bytesRead: 100 },
    runs: [{ runId: null, taskId: null, firstOffset: from, at: new Date(T).toISOString() }],
    ...more,
  }),
  carried: { ...carried, at: to },
});
const scanResult: ScanResult = {
  ...{ topic: TOPIC, from: null, to: null, records: 30, events: 30, duplicates: 3, rate: 0.1 },
  ...{ interval: [0.03, 0.26], sampled: 27, share: 1, reReads: 0, snapshotOverlap: 0, keyOrderViolations: 0 },
  ...{ uncommittedCopies: 0, violations: [], notMeasurable: [], bytesRead: 3_000 },
};
const scanned: TopicScan = { result: scanResult, why: "end", reached: [] };

let server: TestServer;
let db: Database;
let url: string;
let { topics, brokers } = askedTopics();
let watch: ClusterWatch;
let asked: PartitionRequest[];
let instruments: Instruments;
let stop: AbortController;
let loop: Measurements;

beforeAll(async () => {
  server = await startTestServer();
  ({ db, url } = await server.create());
}, 60_000);
afterAll(() => server.stop(), 60_000);
beforeEach(async () => {
  await queryOn(url, "TRUNCATE measurement, restart");
  ({ topics, brokers } = askedTopics());
  topics.topic(TOPIC, 2);
  topics.write(TOPIC, 0, events("shop", 1_000, 20, T));
  topics.write(TOPIC, 1, events("shop", 2_000, 10, T));
  asked = [];
  instruments = {
    bisect: async (_, request) => {
      asked.push(request);
      return measured(request);
    },
    scan: async () => scanned,
  };
  watch = watchOf(brokers);
  stop = new AbortController();
  loop = opened();
});
afterEach(async () => {
  stop.abort();
  await loop.ended();
});

function watchOf(probe: BrokerProbe | null): ClusterWatch {
  const failure: Failure = { kind: "internal", sentence: "not asked", remedy: null };
  const unasked = async () => ({ failure });
  const rest = { readRoot: unasked, listConnectors: unasked, readTopics: unasked, readOffsets: unasked };
  return {
    probe: { ...rest, brokers: probe, close: async () => undefined },
    brokers: [],
    offsetTopic: null,
    cluster: { name: CLUSTER, connect: null, kafka: null, failingSince: null, hasBrokers: probe !== null },
    connectors: new Map([["shop-cdc", connector("shop-cdc", "shop", [TOPIC])]]),
    followed: new Set(),
    deletedOldAt: 0,
  };
}
const opened = (maxBytesPerSecond = 1_000) =>
  new Measurements({
    ...{ db, watches: [watch], instruments, signal: stop.signal, registryOf: () => null },
    ...{ maxBytesPerSecond, pauseMs: 1 },
  });
const ask = (more: Partial<MeasurementAsked> = {}) =>
  askMeasurement(db, { cluster: CLUSTER, topic: TOPIC, method: "bisect", from: null, to: null, ...more });
const now = async ({ id }: Measurement) => (await readMeasurement(db, id)) as Measurement;
/** Asks, lets the loop run it, and returns what became of it. */
async function run(more: Partial<MeasurementAsked> = {}): Promise<Measurement> {
  const one = await ask(more);
  await loop.look();
  await loop.ended();
  return now(one);
}
async function until(what: () => Promise<boolean> | boolean) {
  while (!(await what())) await sleep(20);
}

test("measures every partition as it is now, with what is known of its connector, and stores what it found", async () => {
  await saveRestart(db, restartAt(T + 5, { cluster: CLUSTER, connector: "shop-cdc" }));
  const replay = replayAt(7, { topic: TOPIC, partition: 1, count: 4 });
  instruments.bisect = async (_, request) => {
    asked.push(request);
    return measured(request, { replays: request.partition === 1 ? [replay] : [] });
  };
  const done = await run();
  expect(done).toMatchObject({ state: "done", failure: null, done: 30, total: 30, bytesRead: 200 });
  expect(done.result?.partitions.map(({ partition, from, to }) => [partition, from, to])).toEqual([
    [0, 0, 20],
    [1, 0, 10],
  ]);
  expect(done.result?.partitions[1]?.replays).toMatchObject([{ firstOffset: replay.firstOffset, count: 4 }]);
  expect(asked[0]).toMatchObject({
    ...{ topicId: `id 0 of ${TOPIC}`, from: 0, to: 20, carried: null, type: "postgresql", starts: [T + 5] },
    config: { "topic.prefix": "shop" },
  });
  expect(await queryOn(url, "SELECT replays, duplicates FROM measurement")).toEqual([
    { replays: 1, duplicates: "4" },
  ]);
});

test("a time range is measured from its first record to before the first that lies beyond it", async () => {
  await run({ from: new Date(T + 5), to: new Date(T + 8) });
  expect(asked.map(({ partition, from, to }) => [partition, from, to])).toEqual([
    [0, 5, 8],
    [1, 5, 8],
  ]);
  // A partition that has no record as young as that is left out.
  asked = [];
  const late = await run({ from: new Date(T + 15) });
  expect(asked.map(({ partition, from, to }) => [partition, from, to])).toEqual([[0, 15, 20]]);
  expect(late).toMatchObject({ state: "done", total: 5, done: 5 });
});

test("goes on where the bytes of one call ended, and says what it could not get over", async () => {
  instruments.bisect = async (_, request) => {
    asked.push(request);
    const end = Math.min(request.to, request.from + 8);
    return measured({ ...request, to: request.partition === 1 ? request.from : end });
  };
  const done = await run();
  expect(asked.map(({ partition, from, carried: known }) => [partition, from, known?.at])).toEqual([
    [0, 0, undefined],
    [0, 8, 8],
    [0, 16, 16],
    [1, 0, undefined],
    [1, 0, 0],
  ]);
  const [whole, none] = done.result?.partitions ?? [];
  expect(whole).toMatchObject({ from: 0, to: 20, notMeasurable: [] });
  expect(none?.notMeasurable).toMatchObject([
    { slug: "budget", reason: expect.stringContaining("Offsets 0 to 9 were not measured") },
  ]);
});

test("the real instrument finds what came again in the range, by the topic's own events", async () => {
  instruments.bisect = measurePartition;
  watch.connectors.clear();
  topics.topic("orders", 2);
  const [first, second] = [runIdAt(T), runIdAt(T + 50_000)];
  const written = (from: number, to: number, run: string, at: number) =>
    Array.from({ length: to - from }, (_, i) => {
      const { key, value, timestamp } = postgresChange(from + i, null, at + i);
      return { key: key.toString(), value, run, timestamp };
    });
  topics.write("orders", 0, written(0, 100, first, T));
  topics.write("orders", 0, written(88, 140, second, T + 60_000));
  topics.write("orders", 1, written(500, 510, second, T + 60_000));
  const all = await run({ topic: "orders" });
  expect(all).toMatchObject({ state: "done", failure: null, done: 162, total: 162 });
  const replay = {
    firstOffset: 100,
    lastOffset: 111,
    count: 12,
    firstCopyOf: 88,
    lastCopyOf: 99,
    runAfter: second,
  };
  expect(all.result?.partitions.map(({ replays }) => replays)).toMatchObject([[replay], []]);
  // What was there before the range is known all the same.
  const late = await run({ topic: "orders", from: new Date(T + 60_000) });
  expect(late.result?.partitions[0]).toMatchObject({ from: 100, replays: [replay] });
  expect(await run({ topic: "orders", to: new Date(T + 60_000) })).toMatchObject({
    result: { partitions: [{ from: 0, to: 100, replays: [] }] },
  });
});

test("a scan is asked for the same range, and is its result", async () => {
  const scans: Parameters<Instruments["scan"]>[1][] = [];
  instruments.scan = async (_, request) => {
    scans.push(request);
    request.progress?.({ done: 12, total: 20, bytes: 900 });
    return scanned;
  };
  const done = await run({ method: "scan", from: new Date(T + 5) });
  expect(done).toMatchObject({ state: "done", total: 20, result: { partitions: [], scan: scanResult } });
  expect(scans).toMatchObject([
    {
      ...{ topic: TOPIC, type: "postgresql", maxBytesPerSecond: 1_000 },
      partitions: [
        { partition: 0, from: 5, to: 20 },
        { partition: 1, from: 5, to: 10 },
      ],
    },
  ]);
  expect(scans[0]?.secret.length).toBe(8);
});

test("a scan goes on from where it was when a leader comes back, and is none of a topic that was made again", async () => {
  const state = { partition: 0, topicId: null, from: 0, next: 9, samples: new Uint8Array(3), bytes: 5 };
  const failure: Failure = { kind: "server-error", sentence: "it has no leader at the moment", remedy: null };
  const resumed: unknown[] = [];
  instruments.scan = async (_, request) => {
    resumed.push(request.resume);
    if (resumed.length > 1) return scanned;
    await request.checkpoint?.(state);
    throw new LogReadError(failure, { topic: TOPIC, partition: 0, offset: 9 });
  };
  expect(await run({ method: "scan" })).toMatchObject({ state: "done", result: { scan: scanResult } });
  expect(resumed).toEqual([[], [state]]);
  instruments.scan = async () => ({ ...scanned, why: "recreated" });
  expect((await run({ method: "scan" })).failure).toMatchObject({
    sentence: expect.stringContaining("deleted and made again"),
  });
});

test("both instruments find the same", async () => {
  instruments = { bisect: measurePartition, scan: scanTopic };
  loop = opened(1_000_000_000);
  topics.topic("orders");
  const [first, second] = [runIdAt(T), runIdAt(T + 50_000)];
  for (const [from, to, id] of [
    [0, 400, first],
    [390, 500, second],
  ] as const) {
    const records = Array.from({ length: to - from }, (_, i) => {
      const { key, value, timestamp } = postgresChange(from + i, null, T + i);
      return { key: key.toString(), value, run: id, timestamp };
    });
    topics.write("orders", 0, records);
  }
  await run({ topic: "orders" });
  const scan = await run({ topic: "orders", method: "scan" });
  expect(scan).toMatchObject({ state: "done", done: 510, total: 510 });
  expect(scan.result?.scan).toMatchObject({ events: 510, duplicates: 10, share: 1, keyOrderViolations: 0 });
  expect(await queryOn(url, "SELECT method, duplicates FROM measurement ORDER BY method")).toEqual([
    { method: "bisect", duplicates: "10" },
    { method: "scan", duplicates: "10" },
  ]);
});

test("a topic that several connectors write is measured by what its events tell", async () => {
  watch.connectors.set("crm-cdc", connector("crm-cdc", "crm", [TOPIC]));
  await run();
  expect(asked[0]).toMatchObject({ type: null, config: null, starts: [] });
});

test("what cannot be measured ends with a sentence and what to do", async () => {
  topics.topic("empty");
  topics.topic("plain");
  topics.write("plain", 0, [{ value: '{"hello":1}', timestamp: T }]);
  topics.topic("secret");
  const denied: Failure = {
    kind: "forbidden",
    sentence: "not allowed to see it",
    remedy: "Grant it: kafka-acls.sh",
  };
  topics.failing.set("secret", denied);
  instruments.bisect = async (_, request) => measured(request, { runs: [] });
  const failure = async (more: Partial<MeasurementAsked>) => {
    const { state, failure: why, result } = await run(more);
    expect([state, result]).toEqual(["failed", null]);
    expect(why?.remedy).toEqual(expect.stringMatching(/.{10}/));
    return why?.sentence;
  };
  expect(await failure({ topic: "gone" })).toBe("Topic gone cannot be measured: topic gone does not exist.");
  expect(await failure({ topic: "secret" })).toBe("Topic secret cannot be measured: not allowed to see it.");
  expect(await failure({ topic: "empty" })).toMatch(/^Topic empty holds no record: nothing was written/);
  expect(await failure({ topic: "plain" })).toMatch(/^Topic plain holds no change events of Debezium/);
  expect(await failure({ from: new Date(T + 60_000) })).toBe(
    `Topic ${TOPIC} holds no record from ${new Date(T + 60_000).toISOString()}, by the records' own timestamps.`,
  );
  expect(await failure({ from: new Date(T), to: new Date(T) })).toMatch(/ends before it begins/);
  // One that holds changes, in which nothing was found, has none.
  watch.connectors.clear();
  expect(await run()).toMatchObject({ state: "done", failure: null });
  topics.down = { kind: "unreachable", sentence: "no broker answers", remedy: null };
  expect(await failure({})).toBe(`Topic ${TOPIC} cannot be measured: no broker answers.`);
  watch = watchOf(null);
  loop = opened();
  expect(await failure({})).toBe(`No brokers are configured for cluster ${CLUSTER}.`);
});

test("a leader that is away for a moment is waited for; a topic that changes under it, and a fault, are told", async () => {
  const away: Failure = { kind: "server-error", sentence: "it has no leader at the moment", remedy: null };
  const at = { topic: TOPIC, partition: 0, offset: 7 };
  let left = 3;
  instruments.bisect = async (_, request) => {
    if (left-- > 0) throw new LogReadError(away, at);
    return measured(request);
  };
  expect(await run()).toMatchObject({ state: "done", done: 30 });
  left = 1_000;
  expect((await run()).failure).toEqual({
    sentence: `Partition 0 of ${TOPIC} cannot be read at offset 7: it has no leader at the moment.`,
    remedy: expect.any(String),
  });
  instruments.bisect = async () => {
    throw new RecordsGone(`Topic ${TOPIC} was deleted and made again.`);
  };
  expect((await run()).failure).toMatchObject({
    sentence: expect.stringContaining("deleted and made again"),
  });
  instruments.bisect = async () => {
    throw new Error("of the engine\nwith a second line");
  };
  expect((await run()).failure).toMatchObject({
    sentence: "A fault of Tidemark's own ended it: of the engine",
  });
});

/** An instrument that tells of progress and does not end before it is told to. */
function endless() {
  const told: AbortSignal[] = [];
  instruments.bisect = async (_, request) => {
    asked.push(request);
    request.progress?.({ offset: request.from + 7, bytes: 777 });
    const { signal } = request;
    if (signal) told.push(signal);
    await new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve()));
    return measured(request);
  };
  return told;
}

test("tells how far it is while it runs, is cancelled in the middle, and the next one may run", async () => {
  const told = endless();
  const one = await ask();
  await loop.look();
  await until(async () => (await now(one)).done === 7);
  expect(await now(one)).toMatchObject({ state: "running", total: 30, bytesRead: 777 });
  await cancelMeasurement(db, one.id);
  await loop.ended();
  expect(told[0]?.aborted).toBe(true);
  expect(await now(one)).toMatchObject({ state: "cancelled", result: null, failure: null });
});

test("runs two at a time; a third waits for its turn", async () => {
  endless();
  const all = [await ask(), await ask({ to: new Date(T + 7) }), await ask({ to: new Date(T + 9) })];
  await loop.look();
  await until(() => asked.length === 2);
  await loop.look();
  const states = async () => (await Promise.all(all.map(now))).map(({ state }) => state);
  expect(await states()).toEqual(["running", "running", "waiting"]);
  await cancelMeasurement(db, all[0]?.id ?? "");
  await until(async () => {
    await loop.look();
    return asked.length === 3;
  });
  expect(await states()).toEqual(["cancelled", "running", "running"]);
});

test("a collector that stops gives back what it has not ended, and another one measures it", async () => {
  endless();
  const one = await ask();
  await loop.look();
  await until(() => asked.length === 1);
  stop.abort();
  await loop.ended();
  expect(await now(one)).toMatchObject({ state: "waiting", done: 0, startedAt: null });
  stop = new AbortController();
  instruments.bisect = async (_, request) => measured(request);
  loop = opened();
  await loop.look();
  await loop.ended();
  expect(await now(one)).toMatchObject({ state: "done", done: 30 });
});

test("one that another collector took over is left to it", async () => {
  const told = endless();
  const one = await ask();
  await loop.look();
  await until(() => asked.length === 1);
  await queryOn(url, "UPDATE measurement SET owner = 'another'");
  await loop.ended();
  expect(told[0]?.aborted).toBe(true);
  expect(await now(one)).toMatchObject({ state: "running", result: null });
});
