import { afterEach, expect, test } from "vitest";
import { type KafkaConnection, openKafka } from "./connection";
import { type FakeTopic, startFakeBroker } from "./testing/fake-broker";
import { readTopicSettings } from "./topic-settings";

const opened: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0)) await close();
});

async function setUp(
  topics: Record<string, FakeTopic>,
): Promise<{ k: KafkaConnection; stop(): Promise<void> }> {
  const broker = await startFakeBroker(topics);
  const kafka = { brokers: [broker.address], tls: false as const };
  const k = openKafka({ name: "t", connect: { urls: ["http://localhost:1"] }, kafka });
  opened.push(
    () => k.close(),
    () => broker.stop(),
  );
  return { k, stop: () => broker.stop() };
}
const topic = (policy: string, timestamps = "CreateTime"): FakeTopic => ({
  partitions: [{ earliest: 0n, latest: 1n }],
  settings: {
    "cleanup.policy": { value: policy, source: 1 },
    "message.timestamp.type": { value: timestamps, source: 5 },
  },
});

test("KAF-17: each topic's settings; those that may not be read say so, and spoil no other", async () => {
  const { k } = await setUp({
    a: topic("compact"),
    b: topic("compact,delete", "LogAppendTime"),
    bare: { partitions: [] },
    secret: { ...topic("compact"), settingsError: 29 },
  });
  const { value } = await readTopicSettings(k, ["a", "b", "bare", "secret"]);
  expect(value?.get("a")).toEqual({ cleanupPolicy: "compact", timestampType: "CreateTime" });
  expect(value?.get("b")).toEqual({ cleanupPolicy: "compact,delete", timestampType: "LogAppendTime" });
  expect(value?.get("bare")).toEqual({ cleanupPolicy: null, timestampType: null });
  expect(value?.get("secret")).toMatchObject({
    kind: "forbidden",
    sentence: expect.stringContaining("DescribeConfigs on topic secret"),
  });
});

test("1,200 topics are asked for in pieces, and all answered", async () => {
  const names = Array.from({ length: 1_200 }, (_, i) => `topic-${i}`);
  const { k } = await setUp(Object.fromEntries(names.map((n) => [n, topic("delete")])));
  const { value } = await readTopicSettings(k, names);
  expect(value?.size).toBe(1_200);
  expect([...(value?.values() ?? [])]).toEqual(
    names.map(() => ({ cleanupPolicy: "delete", timestampType: "CreateTime" })),
  );
});

test("a broker that is away is a failure, not an empty answer", async () => {
  const { k, stop } = await setUp({ a: topic("compact") });
  await stop();
  expect((await readTopicSettings(k, ["a"])).failure?.kind).toBe("unreachable");
});
