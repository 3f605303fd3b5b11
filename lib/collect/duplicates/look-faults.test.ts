import { afterAll, beforeAll, expect, test } from "vitest";
import type { LogReader } from "@/lib/kafka/log/log-reader";
import type { Failure } from "@/lib/observed/observation";
import { readConnector, saveReports } from "@/lib/store/connectors";
import type { Database } from "@/lib/store/database";
import { readReplays } from "@/lib/store/replays";
import { startTestServer, type TestServer } from "@/lib/store/test-server";
import type { ClusterWatch } from "../cluster-watch";
import { lookAtDuplicates } from "../duplicates-loop";
import { inTurn } from "../in-turn";
import { connector, events } from "../replay-window/testing/known-connector";
import { runIdAt } from "../replay-window/testing/made-up-events";
import { WrittenTopics } from "../replay-window/testing/written-topics";
import { ClusterDuplicates } from "./cluster-duplicates";
import { failingOnce } from "./testing/failing-once";

const TOPIC = "shop.public.a";
const began = Date.now() - 60_000;
/** Records of one batch. */
const BATCH = 40;
/** Changes as runs write them: partition, run, and from which to before which. 30 come again. */
const before = [
  [0, 1, 0, 100],
  [0, 2, 80, 150],
  [1, 1, 500, 520],
] as const;
const after = [
  [0, 3, 145, 200],
  [1, 3, 515, 530],
] as const;
const again = [[0, 4, 170, 210]] as const;
let server: TestServer;
let db: Database;

beforeAll(async () => {
  server = await startTestServer();
  ({ db } = await server.create());
}, 60_000);
afterAll(() => server.stop(), 60_000);

function write(
  topics: WrittenTopics,
  parts: typeof before | typeof after | typeof again,
  clock = (millis: number) => millis,
): void {
  for (const [partition, run, first, end] of parts) {
    const made = events("shop", 1_000 + first * 10, end - first, began + run * 1_000 + first).map((one) => ({
      ...one,
      timestamp: clock(one.timestamp),
    }));
    const runId = runIdAt(began - 10_000 + run * 1_000, run);
    for (let i = 0; i < made.length; i += BATCH)
      topics.write(
        TOPIC,
        partition,
        made.slice(i, i + BATCH).map((one) => ({ ...one, run: runId })),
      );
  }
}

/** A loop over one topic in a cluster of its own. */
function opened(cluster: string) {
  const topics = new WrittenTopics();
  topics.topic(TOPIC, 2);
  const known = { ...connector("shop-cdc", "shop", [TOPIC]), cluster };
  const duplicates = new ClusterDuplicates({
    ...{ cluster, registry: null, bytesPerLook: 64 * 1024 * 1024 },
    signal: new AbortController().signal,
  });
  const failure: Failure = { kind: "internal", sentence: "not asked", remedy: null };
  const unasked = async () => ({ failure });
  const rest = { readRoot: unasked, listConnectors: unasked, readTopics: unasked, readOffsets: unasked };
  const watch: ClusterWatch = {
    probe: { ...rest, brokers: topics.probe, close: async () => undefined },
    brokers: [],
    offsetTopic: null,
    cluster: { name: cluster, connect: null, kafka: null, failingSince: null, hasBrokers: true },
    connectors: new Map([["shop-cdc", known]]),
    followed: new Set(),
    deletedOldAt: 0,
  };
  const look = async (log: LogReader = topics.probe.log) => {
    await saveReports(db, cluster, [known]);
    watch.probe.brokers = { ...topics.probe, log };
    await lookAtDuplicates(watch, duplicates, db);
    const ever = { from: new Date(0), to: new Date("9999-12-31") };
    const replays = (await readReplays(db, { cluster }, ever)).map(({ partition, firstOffset, count }) => [
      partition,
      firstOffset,
      count,
    ]);
    const part = (await readConnector(db, cluster, "shop-cdc"))?.duplicates ?? null;
    const topic = part?.value?.topics[0];
    return { part, topic, replays: replays.sort() };
  };
  return { topics, look };
}

const found = [
  [0, 100, 20],
  [0, 170, 5],
  [1, 20, 5],
];

test("whichever answer of a look fails, it tells nothing wrong, and the next looks find everything once", async () => {
  const calm = opened("calm");
  write(calm.topics, before);
  const first = failingOnce(calm.topics.probe.log, 0);
  await calm.look(first.log);
  write(calm.topics, after);
  const second = failingOnce(calm.topics.probe.log, 0);
  expect((await calm.look(second.log)).replays).toEqual(found);
  const faults = [first, second].flatMap(({ answers }, look) =>
    Array.from({ length: answers() }, (_, i) => ({ look, at: i + 1 })),
  );
  expect(faults.length).toBeGreaterThan(20);
  await inTurn(faults, 8, async (fault) => {
    const name = `answer ${fault.at} of look ${fault.look + 1}`;
    const { topics, look } = opened(name);
    write(topics, before);
    if (fault.look === 1) {
      await look();
      write(topics, after);
    }
    const there = fault.look === 1 ? found : found.slice(0, 1);
    const { part, topic, replays } = await look(failingOnce(topics.probe.log, fault.at).log);
    for (const one of replays) expect(there, name).toContainEqual(one);
    const isWhole =
      part?.failure === null &&
      topic?.records !== null &&
      topic?.behind === 0 &&
      topic.notMeasurable.length === 0;
    if (isWhole) expect(replays, name).toEqual(there);
    if (fault.look === 0) write(topics, after);
    const healed = await look();
    expect(healed.replays, name).toEqual(found);
    expect(healed.topic, name).toMatchObject({
      records: 260,
      behind: 0,
      duplicates: 30,
      replays: 3,
      notMeasurable: [],
    });
  });
});

test.each([
  ["microseconds", (millis: number) => millis * 1_000],
  ["the largest", () => Number(2n ** 63n - 1_024n)],
  ["none", () => -1],
])("records with timestamps that no date can hold are stored as any other: %s", async (name, clock) => {
  const { topics, look } = opened(`clock of ${name}`);
  write(topics, before, clock);
  await look();
  write(topics, after, clock);
  const { part, topic, replays } = await look();
  expect(part).toMatchObject({ failure: null });
  expect(topic).toMatchObject({ records: 260, behind: 0, duplicates: 30, replays: 3, notMeasurable: [] });
  expect(replays).toEqual(found);
});

test("copies that come among records whose times are years old are kept", async () => {
  const { topics, look } = opened("years ago");
  const yearsAgo = (millis: number) => millis - 5 * 365 * 86_400_000;
  write(topics, before, yearsAgo);
  // What is that old is not looked at: replays are not kept for so long.
  expect((await look()).topic).toMatchObject({ records: null });
  write(topics, after, yearsAgo);
  write(topics, again, yearsAgo);
  for (let i = 0; i < 2; i++) {
    const { topic, replays } = await look();
    expect(topic).toMatchObject({ behind: 0, duplicates: 40, replays: 3, notMeasurable: [] });
    expect(replays).toEqual([
      [0, 170, 5],
      [0, 225, 30],
      [1, 20, 5],
    ]);
  }
});
