import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { LogReader } from "@/lib/kafka/log/log-reader";
import type { ConnectorReport } from "@/lib/observed/connector";
import type { Failure, Look } from "@/lib/observed/observation";
import type { HistoryTopic } from "@/lib/observed/topic";
import { readClusters } from "@/lib/store/clusters";
import { readConnector, readConnectors } from "@/lib/store/connectors";
import type { Database } from "@/lib/store/database";
import { readFindings } from "@/lib/store/findings";
import { startTestServer, type TestServer } from "@/lib/store/test-server";
import type { ClusterProbe } from "./cluster-probe";
import type { ClusterWatch } from "./cluster-watch";
import { lookAtConnectors } from "./connectors-loop";
import { lookAtHistories } from "./history-loop";
import { judgeWatch } from "./judge-loop";
import { lookAtOffsets } from "./offsets-loop";
import { lookAtTopics } from "./topics-loop";

const limits = {
  unassignedMs: 300_000,
  silentMs: 3_600_000,
  rebalanceMs: 120_000,
  replay: () => ({ events: 10_000, bytes: 268_435_456, spanMs: 300_000 }),
};
const rebalancing: Failure = { kind: "rebalancing", sentence: "Connect is rebalancing.", remedy: null };

function report(name: string, config: Record<string, string>): ConnectorReport {
  const run = { state: "RUNNING", workerId: "w1:8083", version: "3.6.1.Final", trace: null };
  return { name, type: "source", connector: run, tasks: [{ id: 0, ...run }], config, plaintextSecrets: [] };
}
const orders = report("orders-cdc", {
  "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
  "topic.prefix": "shop",
});
const inventory = report("inventory-cdc", {
  "connector.class": "io.debezium.connector.mariadb.MariaDbConnector",
  "topic.prefix": "inv",
  "schema.history.internal.kafka.topic": "inv.schema-history",
});

const kept = (value: string, from: "topic" | "broker" = "topic") => ({ value, from });
const history: HistoryTopic = {
  topic: "inv.schema-history",
  exists: true,
  partitions: 1,
  replicationFactor: 3,
  inSyncReplicas: 3,
  cleanupPolicy: kept("delete"),
  retentionMs: kept("604800000", "broker"),
  retentionBytes: kept("-1"),
  minInsyncReplicas: kept("2"),
  earliest: "0",
  latest: "12",
  failures: [],
};

/** These loops read no records. */
const noLog: LogReader = {
  describe: async () => ({ value: new Map() }),
  ends: async () => [],
  offsetsForTime: async () => [],
  recordAt: async () => null,
  newest: async () => null,
  async *read() {
    yield* [];
    return { why: "end", next: 0, deleted: [], bytes: 0 };
  },
};

/** A cluster that answers what the test last told it to. */
class Probe implements ClusterProbe {
  list: Look<ConnectorReport[]> = { value: [orders, inventory] };
  topics: Look<string[]> = { value: ["shop.public.orders"] };
  end = 100n;
  historyAsked: string[] = [];
  brokers: ClusterProbe["brokers"] = {
    describeCluster: async () => ({ value: { clusterId: "k1", controller: 1, brokers: [] } }),
    listTopics: async () => ({
      value: ["shop.public.orders", "shopping.public.x", "__debezium-heartbeat.shop"],
    }),
    describeHistoryTopic: async (topic) => {
      this.historyAsked.push(topic);
      return { value: history };
    },
    readTopicSettings: async () => ({ value: new Map() }),
    log: noLog,
    readTopicEnds: async (topics) => ({
      value: new Map(topics.map((t) => [t, { partitions: 1, end: this.end }])),
    }),
  };
  readRoot = async () => ({ value: { version: "4.4.0", commit: null, kafkaClusterId: "k1" } });
  listConnectors = async () => this.list;
  readTopics = async () => this.topics;
  readOffsets = async (): Promise<Look<{ offsets: { partition: string; offset: string }[] }>> => ({
    value: { offsets: [{ partition: '{"server":"shop"}', offset: '{"lsn":9007199254740993}' }] },
  });
  close = async () => undefined;
}

describe("the loops over one cluster", () => {
  let server: TestServer;
  let db: Database;
  let probe: Probe;
  let watch: ClusterWatch;

  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    db = (await server.create()).db;
    probe = new Probe();
    watch = {
      probe,
      brokers: ["k1:9092"],
      cluster: { name: "eu-1", connect: null, kafka: null, failingSince: null, hasBrokers: true },
      connectors: new Map(),
      offsetTopic: null,
      followed: new Set(),
      deletedOldAt: 0,
    };
  });

  test("what is seen is stored, each part with the time it was true", async () => {
    const before = Date.now();
    expect(await lookAtConnectors(watch, db)).toBeNull();
    await Promise.all([lookAtOffsets(watch, db), lookAtTopics(watch, db), lookAtHistories(watch, db)]);
    const stored = await readConnector(db, "eu-1", "inventory-cdc");
    expect(stored?.report.value?.connector?.state).toBe("RUNNING");
    expect(stored?.offsets?.value?.offsets[0]?.offset).toBe('{"lsn":9007199254740993}');
    expect(stored?.history?.value?.retentionMs).toEqual({ value: "604800000", from: "broker" });
    expect(stored?.ends?.value?.topics[0]).toMatchObject({ end: "100", perSecond: null });
    for (const part of [stored?.report, stored?.offsets, stored?.topics, stored?.ends, stored?.history])
      expect(part?.trueAt?.getTime()).toBeGreaterThanOrEqual(before);
    expect((await readConnector(db, "eu-1", "orders-cdc"))?.history).toBeNull();
    expect(probe.historyAsked).toEqual(["inv.schema-history"]);
  });

  test("a failed list keeps every connector, with its age and the reason", async () => {
    await lookAtConnectors(watch, db);
    probe.list = { failure: rebalancing };
    expect(await lookAtConnectors(watch, db)).toEqual(rebalancing);
    await lookAtOffsets(watch, db);
    const stored = await readConnectors(db, "eu-1");
    expect(stored.map((c) => c.connector)).toEqual(["inventory-cdc", "orders-cdc"]);
    expect(stored[0]?.report).toMatchObject({ value: { name: "inventory-cdc" }, failure: rebalancing });
    expect(stored[0]?.offsets).toMatchObject({ value: null, failure: rebalancing });
    const [cluster] = await readClusters(db);
    expect(cluster?.connect?.value?.connectors).toHaveLength(2);
    expect(cluster?.failingSince).not.toBeNull();
    probe.list = { value: [orders, inventory] };
    await lookAtConnectors(watch, db);
    expect((await readClusters(db))[0]?.failingSince).toBeNull();
  });

  test("CON-02 a connector that is gone is dropped after one confirming poll, not at once", async () => {
    await lookAtConnectors(watch, db);
    probe.list = { value: [inventory] };
    await lookAtConnectors(watch, db);
    expect((await readConnector(db, "eu-1", "orders-cdc"))?.missingSince).not.toBeNull();
    await lookAtConnectors(watch, db);
    expect(await readConnector(db, "eu-1", "orders-cdc")).toBeNull();
  });

  test("a connector that is gone while the database is away is dropped when it is back", async () => {
    await lookAtConnectors(watch, db);
    probe.list = { value: [inventory] };
    await lookAtConnectors(watch, db);
    const away = { ...db, transaction: () => Promise.reject(new Error("away")), run: db.run } as Database;
    await expect(lookAtConnectors(watch, away)).rejects.toThrow("away");
    await lookAtConnectors(watch, db);
    expect((await readConnectors(db, "eu-1")).map((c) => c.connector)).toEqual(["inventory-cdc"]);
    expect([...watch.connectors.keys()]).toEqual(["inventory-cdc"]);
  });

  test("a loop whose looks all failed says so; one that brought something does not", async () => {
    await lookAtConnectors(watch, db);
    expect(await lookAtOffsets(watch, db)).toBeNull();
    const well = probe.readOffsets;
    const failure: Failure = { kind: "timeout", sentence: "No answer within 10 s.", remedy: null };
    probe.readOffsets = async () => ({ failure });
    expect(await lookAtOffsets(watch, db)).toEqual(failure);
    let asked = 0;
    probe.readOffsets = async () => (asked++ === 0 ? { failure } : well());
    expect(await lookAtOffsets(watch, db)).toBeNull();
  });

  test("CON-13 with topic tracking off, topics are derived from topic.prefix and say so", async () => {
    probe.topics = {
      failure: { kind: "not-supported", sentence: "Topic tracking is disabled.", remedy: null },
    };
    await lookAtConnectors(watch, db);
    await lookAtTopics(watch, db);
    const stored = await readConnector(db, "eu-1", "orders-cdc");
    expect(stored?.topics?.value).toEqual({
      from: "derived",
      why: "Topic tracking is disabled.",
      topics: ["__debezium-heartbeat.shop", "shop.public.orders"],
    });
  });

  test("a finding opens at the next judgement and closes after the remedy; unknown closes nothing", async () => {
    const judge = () => judgeWatch(watch, [watch], limits, new Map(), db);
    await lookAtConnectors(watch, db);
    await lookAtOffsets(watch, db);
    await lookAtHistories(watch, db);
    await judge();
    const open = async () =>
      (await readFindings(db, { connector: "inventory-cdc", state: "open" })).find(
        (f) => f.slug === "history-retention-time",
      );
    expect((await open())?.verdict.outcome).toBe("critical");
    const openedAt = (await open())?.openedAt;

    const brokers = probe.brokers;
    if (!brokers) throw new Error("the probe has brokers");
    const about = "settings" as const;
    const failure: Failure = {
      kind: "forbidden",
      sentence: "not allowed to read the settings",
      remedy: null,
    };
    brokers.describeHistoryTopic = async () => ({
      value: { ...history, retentionMs: null, failures: [{ about, failure }] },
    });
    await lookAtHistories(watch, db);
    await judge();
    expect(await open()).toMatchObject({ openedAt, verdict: { outcome: "critical" } });
    expect((await open())?.unconfirmedWhy).toMatch(/not allowed/i);

    brokers.describeHistoryTopic = async () => ({ value: { ...history, retentionMs: kept("-1") } });
    await lookAtHistories(watch, db);
    await judge();
    expect(await open()).toBeUndefined();
  });

  test("loops that write at the same time do not lose each other's parts", async () => {
    await lookAtConnectors(watch, db);
    for (let i = 0; i < 5; i++) {
      probe.end += 10n;
      await Promise.all([
        lookAtConnectors(watch, db),
        lookAtOffsets(watch, db),
        lookAtTopics(watch, db),
        lookAtHistories(watch, db),
        judgeWatch(watch, [watch], limits, new Map(), db),
      ]);
    }
    const stored = await readConnector(db, "eu-1", "inventory-cdc");
    expect(stored?.ends?.value?.topics[0]?.end).toBe("150");
    expect([stored?.offsets, stored?.topics, stored?.history].every((part) => part?.value)).toBe(true);
    expect(watch.connectors.get("inventory-cdc")?.ends?.value).toEqual(stored?.ends?.value);
  });
});
