import { afterEach, describe, expect, test } from "vitest";
import type { ClusterSettings } from "@/lib/config/settings";
import { type KafkaConnection, openKafka } from "./connection";
import { describeCluster } from "./describe-cluster";
import { describeHistoryTopic } from "./history-topic";
import { listTopics } from "./list-topics";
import { type FakeBroker, type FakeTopic, startFakeBroker } from "./testing/fake-broker";
import { readTopicEnds } from "./topic-ends";

const opened: { close?(): Promise<void>; stop?(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await (one.close?.() ?? one.stop?.());
});

function connect(...brokers: string[]): KafkaConnection {
  const cluster: ClusterSettings = {
    name: "t",
    connect: { urls: ["http://localhost:1"] },
    kafka: { brokers, tls: false },
  };
  const k = openKafka(cluster);
  opened.push(k);
  return k;
}

async function setUp(topics: Record<string, FakeTopic>): Promise<{ k: KafkaConnection; broker: FakeBroker }> {
  const broker = await startFakeBroker(topics);
  opened.push(broker);
  return { broker, k: connect(broker.address) };
}

const one = { earliest: 0n, latest: 40n };
const goodSettings = {
  "cleanup.policy": { value: "delete", source: 5 },
  "retention.ms": { value: "604800000", source: 4 },
  "retention.bytes": { value: "-1", source: 1 },
  "min.insync.replicas": { value: "1", source: 3 },
};

describe("describeHistoryTopic", () => {
  test("tells the parts, and where each setting comes from", async () => {
    const { k } = await setUp({
      h: { partitions: [{ earliest: 3n, latest: 9_007_199_254_740_993n }], settings: goodSettings },
    });
    expect((await describeHistoryTopic(k, "h")).value).toEqual({
      topic: "h",
      exists: true,
      partitions: 1,
      replicationFactor: 1,
      inSyncReplicas: 1,
      cleanupPolicy: { value: "delete", from: "built-in" },
      retentionMs: { value: "604800000", from: "broker" },
      retentionBytes: { value: "-1", from: "topic" },
      minInsyncReplicas: { value: "1", from: "broker" },
      earliest: "3",
      latest: "9007199254740993",
      failures: [],
    });
  });

  test("KAF-17 settings denied: the permission is named, the offsets are shown", async () => {
    const { k } = await setUp({ "schema-changes.shop": { partitions: [one], settingsError: 29 } });
    const { value } = await describeHistoryTopic(k, "schema-changes.shop");
    expect(value).toMatchObject({
      exists: true,
      earliest: "0",
      latest: "40",
      retentionMs: null,
      cleanupPolicy: null,
    });
    expect(value?.failures).toEqual([
      {
        about: "settings",
        failure: {
          kind: "forbidden",
          sentence: "not allowed to read the settings (needs DescribeConfigs on topic schema-changes.shop)",
          remedy: expect.stringContaining("--operation DescribeConfigs --topic 'schema-changes.shop'"),
        },
      },
    ]);
  });

  test("a topic that may not be seen is not called absent", async () => {
    const { k } = await setUp({ h: { partitions: [one], metadataError: 29, settingsError: 29 } });
    const { value } = await describeHistoryTopic(k, "h");
    expect(value).toMatchObject({ exists: null, partitions: null, earliest: null });
    expect(value?.failures.map((f) => f.about)).toEqual(["metadata", "settings", "offsets"]);
    expect(value?.failures[0]?.failure.sentence).toContain("needs Describe on topic h");
  });

  test("KAF-18 one that is being created exists, without offsets yet", async () => {
    const { k } = await setUp({ h: { partitions: [], metadataError: 5 } });
    const { value } = await describeHistoryTopic(k, "h");
    expect(value).toMatchObject({ exists: true, latest: null });
    expect(value?.failures[0]?.failure.sentence).toContain("being created");
  });
});

describe("readTopicEnds", () => {
  test("sums the partitions, in two requests for all topics", async () => {
    const { k, broker } = await setUp({
      a: {
        partitions: [
          { earliest: 0n, latest: 5n },
          { earliest: 0n, latest: 7n },
        ],
      },
      b: { partitions: [{ earliest: 2n, latest: 9_007_199_254_740_993n }] },
    });
    const { value } = await readTopicEnds(k, ["a", "b", "a"]);
    expect(value).toEqual(
      new Map([
        ["a", { partitions: 2, end: 12n }],
        ["b", { partitions: 1, end: 9_007_199_254_740_993n }],
      ]),
    );
    expect([broker.metadataAsked.length, broker.offsetsAsked]).toEqual([1, 1]);
  });

  test("one topic's failure is its own", async () => {
    const { k } = await setUp({
      good: { partitions: [one] },
      hidden: { partitions: [one], metadataError: 29 },
      leaderless: { partitions: [one, { leader: -1, ...one }] },
      denied: { partitions: [{ ...one, offsetError: 29 }] },
    });
    const { value } = await readTopicEnds(k, ["good", "hidden", "leaderless", "denied", "absent"]);
    expect(value?.get("good")).toEqual({ partitions: 1, end: 40n });
    expect(value?.get("hidden")).toMatchObject({ kind: "forbidden" });
    expect(value?.get("leaderless")).toMatchObject({
      sentence: "partition 1 of topic leaderless has no leader",
    });
    expect(value?.get("denied")).toMatchObject({
      kind: "forbidden",
      sentence: expect.stringContaining("read the offsets"),
    });
    expect(value?.get("absent")).toMatchObject({
      kind: "not-found",
      sentence: "topic absent does not exist",
    });
  });
});

test.each([
  ["of Kafka 0.11", { metadata: 4, listOffsets: 2 }],
  ["of Kafka 2.0", { metadata: 6, listOffsets: 3 }],
  ["of Kafka 2.4", { metadata: 9, listOffsets: 5 }],
  ["of Kafka 2.8", { metadata: 10, listOffsets: 5 }],
  ["newer than that", { metadata: 12, listOffsets: 5 }],
])("brokers %s are understood", async (_, newest) => {
  const broker = await startFakeBroker({ h: { partitions: [one, one] }, x: { partitions: [] } }, { newest });
  opened.push(broker);
  const k = connect(broker.address);
  expect((await readTopicEnds(k, ["h"])).value?.get("h")).toEqual({ partitions: 2, end: 80n });
  expect((await listTopics(k)).value).toEqual(["h", "x"]);
  expect((await describeCluster(k)).value).toEqual({
    clusterId: "fake",
    controller: 1,
    brokers: [{ id: 1, address: broker.address }],
  });
});

test("brokers older than Kafka 0.11 are said to be", async () => {
  const broker = await startFakeBroker({ h: { partitions: [one] } }, { newest: { metadata: 3 } });
  opened.push(broker);
  expect((await listTopics(connect(broker.address))).failure).toEqual({
    kind: "not-supported",
    sentence: "the brokers are older than Kafka 0.11",
    remedy: "Tidemark needs Kafka 0.11 or newer.",
  });
});

test("KAF-18 looking creates nothing, and a missing topic does not spoil the next question", async () => {
  const { k, broker } = await setUp({ "shop.public.orders": { partitions: [one] } });
  expect((await describeHistoryTopic(k, "schema-changes.shop")).value).toMatchObject({
    exists: false,
    failures: [],
  });
  const ends = (await readTopicEnds(k, ["shop-signal", "shop.public.orders"])).value;
  expect(ends?.get("shop-signal")).toMatchObject({ kind: "not-found" });
  expect(ends?.get("shop.public.orders")).toEqual({ partitions: 1, end: 40n });
  expect((await listTopics(k)).value).toEqual(["shop.public.orders"]);
  expect((await describeCluster(k)).value?.brokers).toEqual([{ id: 1, address: broker.address }]);
  expect([...broker.topics.keys()]).toEqual(["shop.public.orders"]);
  expect(broker.metadataAsked.every((m) => !m.mayCreate)).toBe(true);
  // Asking for the cluster asks for no topic: an empty list, not "all".
  expect(broker.metadataAsked.at(-1)?.topics).toEqual([]);
});

describe("a broker that was away", () => {
  test("is asked again over a new connection, at once", async () => {
    const { k, broker } = await setUp({ h: { partitions: [one] } });
    expect((await listTopics(k)).value).toEqual(["h"]);
    await broker.stop();
    const away = await listTopics(k);
    expect(away.failure).toMatchObject({
      kind: "unreachable",
      sentence: expect.stringContaining("connection refused"),
    });
    opened.push(
      await startFakeBroker({ h2: { partitions: [one] } }, { port: Number(broker.address.split(":")[1]) }),
    );
    expect((await listTopics(k)).value).toEqual(["h2"]);
  });

  test("is passed over for another", async () => {
    const { broker } = await setUp({ h: { partitions: [one] } });
    expect((await listTopics(connect("127.0.0.1:1", broker.address))).value).toEqual(["h"]);
  });
});

test("a closed connection and one without brokers say so", async () => {
  const cluster: ClusterSettings = { name: "t", connect: { urls: ["http://localhost:1"] } };
  expect((await listTopics(openKafka(cluster))).failure).toMatchObject({ kind: "not-configured" });
  const { k } = await setUp({});
  await k.close();
  expect((await listTopics(k)).failure).toMatchObject({ kind: "internal" });
});
