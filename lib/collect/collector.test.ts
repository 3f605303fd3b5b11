import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { settingsSchema } from "@/lib/config/settings";
import {
  type ConnectDouble,
  fakeCluster,
  hang,
  startConnectDouble,
} from "@/lib/connect/testing/connect-double";
import { type FakeBroker, startFakeBroker } from "@/lib/kafka/testing/fake-broker";
import { readClusters } from "@/lib/store/clusters";
import { readConnector } from "@/lib/store/connectors";
import type { Database } from "@/lib/store/database";
import { readFindings } from "@/lib/store/findings";
import { startTestServer, type TestServer } from "@/lib/store/test-server";
import { runCollector } from "./collector";

/** TOPIC_AUTHORIZATION_FAILED of the Kafka protocol. */
const FORBIDDEN = 29;
const POLL_SECONDS = 0.5;
/** Two polls of the history loop, the judgement that follows, and room for a busy machine. */
const TWO_POLLS_MS = 2 * POLL_SECONDS * 1000 + 4_000;

const running = { state: "RUNNING", worker_id: "w1:8083" };
const inventory = {
  status: { name: "inventory-cdc", connector: running, tasks: [{ id: 0, ...running }], type: "source" },
  info: {
    name: "inventory-cdc",
    type: "source",
    tasks: [{ connector: "inventory-cdc", task: 0 }],
    config: {
      "connector.class": "io.debezium.connector.mariadb.MariaDbConnector",
      "topic.prefix": "inv",
      "schema.history.internal.kafka.topic": "inv.schema-history",
    },
  },
  topics: ["inv.inventory.products"],
  offsets: { offsets: [{ partition: { server: "inv" }, offset: { file: "binlog.000001", pos: 4 } }] },
};
const whole = {
  partitions: [{ earliest: 0n, latest: 40n }],
  settings: {
    "cleanup.policy": { value: "delete", source: 5 },
    "retention.ms": { value: "-1", source: 1 },
    "retention.bytes": { value: "-1", source: 5 },
    "min.insync.replicas": { value: "1", source: 5 },
  },
};

let server: TestServer;
let db: Database;
let broker: FakeBroker;
let well: ConnectDouble;
let dead: ConnectDouble;
let stop: AbortController;
let collecting: Promise<void>;

beforeEach(async () => {
  server = await startTestServer();
  db = (await server.create()).db;
  broker = await startFakeBroker({ "inv.schema-history": { ...whole, settingsError: FORBIDDEN } });
  well = await startConnectDouble({ behaviour: fakeCluster({ "inventory-cdc": inventory }) });
  dead = await startConnectDouble({ behaviour: hang });
  const settings = settingsSchema.parse({
    poll: {
      connectors: POLL_SECONDS,
      offsets: POLL_SECONDS,
      topics: POLL_SECONDS,
      schemaHistory: POLL_SECONDS,
    },
    clusters: [
      { name: "well", connect: { urls: [well.url] }, kafka: { brokers: [broker.address] } },
      { name: "dead", connect: { urls: [dead.url] } },
    ],
  });
  stop = new AbortController();
  collecting = runCollector({ settings, db, version: "test", signal: stop.signal, log: () => undefined });
});

afterEach(async () => {
  stop.abort();
  await Promise.all([well.close(), dead.close(), broker.stop()]);
  await collecting;
  await server.stop();
});

async function within<T>(milliseconds: number, look: () => Promise<T | undefined | false>): Promise<T> {
  const until = Date.now() + milliseconds;
  for (;;) {
    const seen = await look();
    if (seen) return seen;
    if (Date.now() > until) throw new Error(`not within ${milliseconds} ms`);
    await sleep(50);
  }
}

const retention = async () =>
  (await readFindings(db, { cluster: "well", connector: "inventory-cdc", state: "open" })).find(
    (f) => f.slug === "history-retention-time",
  );

test("KAF-17 settings that may not be read are unknown, name the right, and heal within two polls", async () => {
  const finding = await within(20_000, async () => {
    const open = await retention();
    return open?.verdict.sentence.includes("DescribeConfigs") ? open : undefined;
  });
  expect(finding.verdict.outcome).toBe("unknown");
  expect(finding.verdict.sentence).toContain("inv.schema-history");
  const seen = await readConnector(db, "well", "inventory-cdc");
  expect(seen?.history?.value).toMatchObject({
    exists: true,
    earliest: "0",
    latest: "40",
    retentionMs: null,
  });

  broker.topics.set("inv.schema-history", whole);
  await within(TWO_POLLS_MS, async () => (await retention()) === undefined);
});

test("a cluster that hangs is said to, and the other one goes on", async () => {
  const cluster = (name: string) => async () =>
    (await readClusters(db)).find((c) => c.name === name)?.connect;
  const failing = await within(25_000, async () => {
    const connect = await cluster("dead")();
    return connect?.failure ? connect : undefined;
  });
  expect(failing).toMatchObject({ value: null, failure: { kind: "timeout" } });
  const before = (await cluster("well")())?.trueAt ?? new Date(0);
  await within(TWO_POLLS_MS, async () => ((await cluster("well")())?.trueAt ?? before) > before);
  const open = await within(5_000, async () => {
    const found = await readFindings(db, { cluster: "dead", connector: null, state: "open" });
    return found.length > 0 && found;
  });
  expect(open.map((f) => [f.slug, f.verdict.outcome])).toContainEqual(["connect-unreachable", "critical"]);
  expect(Math.max(...dead.mostOpen.values())).toBe(1);
});
