import type { JudgedConnector, KnownCluster } from "@/lib/checks/judged";
import type { Failure } from "@/lib/observed/observation";
import type { Beat, LoopRun } from "@/lib/observed/process";
import {
  end,
  failing,
  forbidden,
  historyConfig,
  historyTopic,
  mariadb,
  mariadbOffset,
  minute,
  mongodb,
  poll,
  postgres,
  postgresOffset,
  refused,
  report,
  second,
  seen,
  sqlserver,
  stored,
  unreachable,
  withTopics,
  worker,
} from "./scene-facts";
import type { WindowState } from "./scene-series";
import { refusedWindow, windowOf } from "./scene-windows";
import type { PollIntervals } from "./surroundings";

/** A made-up fleet for tests: healthy, damaged, refused, stale, and names that are hard to write into a URL. */
export interface Scene {
  clusters: KnownCluster[];
  connectors: JudgedConnector[];
  loops: LoopRun[];
  beats: Beat[];
  poll: PollIntervals;
}

const trace = `org.apache.kafka.connect.errors.ConnectException: An exception occurred in the change event producer. This connector will be stopped.
\tat io.debezium.pipeline.ErrorHandler.setProducerThrowable(ErrorHandler.java:67)
\tat io.debezium.connector.postgresql.PostgresStreamingChangeEventSource.execute(PostgresStreamingChangeEventSource.java:265)
Caused by: org.postgresql.util.PSQLException: ERROR: replication slot "billing" is active for PID 4411
\tat org.postgresql.core.v3.QueryExecutorImpl.receiveErrorResponse(QueryExecutorImpl.java:2733)
\tat org.postgresql.core.v3.QueryExecutorImpl.processResults(QueryExecutorImpl.java:2420)
\t... 9 more`;

function healthy(now: Date, turn: number): JudgedConnector {
  const config = { "topic.prefix": "shop", "slot.name": "orders_cdc", "heartbeat.interval.ms": "5000" };
  const connector = stored("eu-1", report("orders-cdc", postgres, "3.6.1.Final", config), now);
  const lsn = 113_000_000_000n + BigInt(turn) * 40_960n;
  return withTopics(
    { ...connector, offsets: seen(postgresOffset("shop", lsn, now), now, 3 * second) },
    [
      end("shop.public.orders", "table", 8, `${51_902_126 + turn * 512}`, now, 102.4),
      end("shop.public.customers", "table", 1, "1204880", now, 0.4),
      end("shop.public.audit_nopk", "table", 1, "88", now, 0),
      end("__debezium-heartbeat.shop", "heartbeat", 1, "2280", now, 0.2),
      end("shop.transaction", "transaction", 1, "182044", now, 12),
    ],
    now,
  );
}

function damagedHistory(now: Date): JudgedConnector {
  const config = { "topic.prefix": "inv", ...historyConfig("inv.schema-history") };
  const topic = historyTopic("inv.schema-history", {
    retentionMs: { value: "604800000", from: "broker" },
    replicationFactor: 1,
    inSyncReplicas: 1,
  });
  const connector = stored("eu-1", report("inventory-cdc", mariadb, "3.5.0.Final", config), now);
  return withTopics(
    {
      ...connector,
      offsets: seen(mariadbOffset("inv", now), now, 12 * second),
      history: seen(topic, now, 40 * minute, false),
    },
    [
      end("inv.inventory.products", "table", 1, "41022", now, 3.1),
      end("inv", "schema-change", 1, "12", now, 0),
    ],
    now,
  );
}

function failedTask(now: Date): JudgedConnector {
  const value = report("billing-cdc", postgres, "3.6.1.Final", {
    "topic.prefix": "bill",
    "slot.name": "billing",
  });
  const tasks = value.tasks?.map((t) => ({ ...t, state: "FAILED", trace })) ?? null;
  const connector = stored("eu-1", { ...value, tasks }, now);
  return { ...connector, offsets: seen(postgresOffset("bill", 112_980_000_000n, now), now, 14 * minute) };
}

function severalPartitions(now: Date): JudgedConnector {
  const value = report("erp-cdc", sqlserver, "3.4.2.Final", {
    "topic.prefix": "erp",
    "database.names": "sales,stock,hr",
    ...historyConfig("erp.history"),
  });
  const run = { state: "RUNNING", workerId: worker, version: "3.4.2.Final", trace: null };
  const connector = stored("eu-1", { ...value, tasks: [0, 1, 2].map((id) => ({ ...run, id })) }, now);
  const offsets = ["sales", "stock", "hr"].map((database, i) => ({
    partition: `{"server":"erp","database":"${database}"}`,
    offset: `{"commit_lsn":"0000002c:00000${i}a8:0003","change_lsn":"NULL","snapshot":null,"event_serial_no":1}`,
  }));
  return {
    ...connector,
    offsets: seen({ offsets }, now, 51 * second),
    history: seen(historyTopic("erp.history", { latest: "1204" }), now, 60 * minute, false),
  };
}

function hardName(now: Date): JudgedConnector {
  const value = report("orders/eu #1 → café%", postgres, "3.6.1.Final", { "topic.prefix": "café" });
  const paused = { state: "PAUSED", workerId: worker, version: "3.6.1.Final", trace: null };
  const connector = stored("eu-1", { ...value, connector: paused, tasks: [{ ...paused, id: 0 }] }, now);
  return {
    ...connector,
    offsets: seen(postgresOffset("café", 4_294_967_296n, now), now, 12 * second, false),
  };
}

function refusedLooks(now: Date): JudgedConnector {
  const config = { "topic.prefix": "wh", ...historyConfig("inv.wh-history") };
  const connector = stored("eu-1", report("warehouse-cdc", mariadb, "3.5.0.Final", config), now);
  const offsets: Failure = {
    kind: "not-supported",
    sentence: "This Connect version cannot show offsets over REST (it needs 3.5)",
    remedy: null,
  };
  return { ...connector, offsets: refused(offsets, now), history: refused(forbidden, now) };
}

function sink(now: Date): JudgedConnector {
  const value = report("orders-jdbc", "io.debezium.connector.jdbc.JdbcSinkConnector", "3.6.1.Final", {});
  return stored("eu-1", { ...value, type: "sink" }, now);
}

function staleCluster(now: Date, began: Date): JudgedConnector {
  const silentMs = 3 * minute + now.getTime() - began.getTime();
  const value = report("crm-cdc", mongodb, "3.6.0.Final", { "topic.prefix": "crm" });
  const connector = stored("us-2", value, now);
  const offset = {
    partition: '{"server_id":"crm"}',
    offset: '{"sec":1795957667,"ord":17,"resume_token":"826A"}',
  };
  return {
    ...connector,
    report: failing(connector.report, unreachable, silentMs),
    offsets: failing(seen({ offsets: [offset] }, now, 31 * minute), unreachable, silentMs),
  };
}

/** The n-th of many healthy connectors. */
function another(n: number, now: Date): JudgedConnector {
  const name = `tenant-${String(n).padStart(4, "0")}-cdc`;
  const connector = stored("eu-1", report(name, postgres, "3.6.1.Final", { "topic.prefix": `t${n}` }), now);
  const lsn = 5_000_000_000n + BigInt(n) * 977n;
  return { ...connector, offsets: seen(postgresOffset(`t${n}`, lsn, now), now, (n % 50) * second) };
}

/** What the replay window of each is like; the others have none yet. */
const windows: Readonly<Record<string, WindowState>> = {
  "orders-cdc": "steady",
  "inventory-cdc": "bursty",
  "billing-cdc": "stopped",
  "erp-cdc": "several",
  "orders/eu #1 → café%": "idle",
};

function withWindow(connector: JudgedConnector, now: Date): JudgedConnector {
  if (connector.connector === "warehouse-cdc") return { ...connector, window: refusedWindow(now) };
  const state = windows[connector.connector];
  return state ? { ...connector, window: seen(windowOf(state, now), now) } : connector;
}

function clusters(now: Date, began: Date, connectors: readonly JudgedConnector[]): KnownCluster[] {
  const names = (cluster: string) =>
    connectors
      .filter((c) => c.cluster === cluster)
      .map((c) => c.connector)
      .sort();
  const silentMs = 3 * minute + now.getTime() - began.getTime();
  const connect = (cluster: string) => ({
    version: "4.4.0",
    commit: "a1b2c3d4",
    kafkaClusterId: "MkU3OEVBNTcwNTJENDM2Qk",
    connectors: names(cluster),
  });
  const kafka = {
    clusterId: "MkU3OEVBNTcwNTJENDM2Qk",
    controller: 1,
    brokers: [1, 2, 3].map((id) => ({ id, address: `kafka-${id}.eu:9092` })),
  };
  return [
    {
      name: "eu-1",
      connect: seen(connect("eu-1"), now, 190 * minute),
      kafka: seen(kafka, now),
      failingSince: null,
      hasBrokers: true,
    },
    {
      name: "us-2",
      connect: failing(seen(connect("us-2"), now), unreachable, silentMs),
      kafka: null,
      failingSince: new Date(now.getTime() - silentMs),
      hasBrokers: false,
    },
  ];
}

function loops(now: Date, process: string): LoopRun[] {
  const loop = (cluster: string, name: string, failure: Failure | null): LoopRun => ({
    process,
    cluster,
    name,
    startedAt: new Date(now.getTime() - 2_084),
    endedAt: new Date(now.getTime() - 2_000),
    nextAt: new Date(now.getTime() + 3 * second),
    failure,
    runs: 2_280,
    failures: failure ? 36 : 0,
  });
  return [
    loop("eu-1", "connectors", null),
    loop("eu-1", "offsets", null),
    loop("eu-1", "topics", null),
    loop("eu-1", "schema-history", null),
    loop("us-2", "connectors", unreachable),
  ];
}

/**
 * @param began when the scene began; what is stale grows older from there
 * @param turn each turn moves the healthy connector's position
 * @param many so many more healthy connectors
 */
export function scene(now: Date, { turn = 0, many = 0, began = now } = {}): Scene {
  const connectors = [
    healthy(now, turn),
    damagedHistory(now),
    failedTask(now),
    severalPartitions(now),
    hardName(now),
    refusedLooks(now),
    sink(now),
    staleCluster(now, began),
    ...Array.from({ length: many }, (_, n) => another(n, now)),
  ].map((connector) => withWindow(connector, now));
  const startedAt = new Date(began.getTime() - 190 * minute);
  const beat = (kind: "web" | "collect", pid: number) => ({
    process: `${kind}-${pid}`,
    kind,
    pid,
    version: "0.1.0",
    startedAt,
    beatAt: now,
  });
  return {
    clusters: clusters(now, began, connectors),
    connectors,
    loops: loops(now, "collect-4711"),
    beats: [beat("web", 4710), beat("collect", 4711)],
    poll,
  };
}
