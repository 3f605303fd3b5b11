import { afterEach, expect, test } from "vitest";
import { readCleanupPolicies } from "./cleanup-policies";
import { type KafkaConnection, openKafka } from "./connection";
import { type FakeTopic, startFakeBroker } from "./testing/fake-broker";

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
const topic = (policy: string): FakeTopic => ({
  partitions: [{ earliest: 0n, latest: 1n }],
  settings: { "cleanup.policy": { value: policy, source: 1 } },
});

test("each topic's policy; one that may not be read says so, and spoils no other", async () => {
  const { k } = await setUp({
    a: topic("compact"),
    b: topic("compact,delete"),
    secret: { ...topic("compact"), settingsError: 29 },
  });
  const { value } = await readCleanupPolicies(k, ["a", "b", "secret"]);
  expect(value?.get("a")).toBe("compact");
  expect(value?.get("b")).toBe("compact,delete");
  expect(value?.get("secret")).toMatchObject({
    kind: "forbidden",
    sentence: expect.stringContaining("DescribeConfigs on topic secret"),
  });
});

test("1,200 topics are asked for in pieces, and all answered", async () => {
  const names = Array.from({ length: 1_200 }, (_, i) => `topic-${i}`);
  const { k } = await setUp(Object.fromEntries(names.map((n) => [n, topic("delete")])));
  const { value } = await readCleanupPolicies(k, names);
  expect(value?.size).toBe(1_200);
  expect(new Set(value?.values())).toEqual(new Set(["delete"]));
});

test("a broker that is away is a failure, not an empty answer", async () => {
  const { k, stop } = await setUp({ a: topic("compact") });
  await stop();
  expect((await readCleanupPolicies(k, ["a"])).failure?.kind).toBe("unreachable");
});
