import type { JudgedConnector } from "@/lib/checks/judged";
import type { ConnectorReport } from "@/lib/observed/connector";
import type { Failure, Observation } from "@/lib/observed/observation";
import type { HistoryTopic, Setting, TopicEnd } from "@/lib/observed/topic";
import type { PollIntervals } from "./surroundings";

export const second = 1_000;
export const minute = 60 * second;

export const poll: PollIntervals = {
  connectors: 5 * second,
  offsets: 5 * second,
  topics: 30 * second,
  schemaHistory: 15 * second,
  replayWindow: 5 * second,
  duplicates: 10 * second,
};

export const forbidden: Failure = {
  kind: "forbidden",
  sentence: "The brokers refuse to describe topic inv.wh-history: DESCRIBE_CONFIGS is not granted",
  remedy: "Grant User:tidemark DescribeConfigs on topic inv.wh-history.",
};

export const unreachable: Failure = {
  kind: "unreachable",
  sentence: "Kafka Connect at http://us-2.internal:8083 refuses the connection",
  remedy: "Start the worker, or correct connect.urls of this cluster.",
};

/** An observation made now. `agoMs`: first seen so long ago; `changed`: seen to be something else before that. */
export function seen<T>(value: T, now: Date, agoMs = 0, changed = true): Observation<T> {
  const since = new Date(now.getTime() - agoMs);
  const notBefore = changed ? new Date(since.getTime() - 5 * second) : null;
  return { value, trueAt: now, since, notBefore, triedAt: now, failure: null };
}

/** The same after looks that failed for `agoMs`. */
export function failing<T>(observation: Observation<T>, failure: Failure, agoMs: number): Observation<T> {
  const before = (date: Date | null) => date && new Date(date.getTime() - agoMs);
  return {
    ...observation,
    trueAt: before(observation.trueAt),
    since: before(observation.since),
    notBefore: before(observation.notBefore),
    failure,
  };
}

/** An observation that never succeeded. */
export function refused<T>(failure: Failure, now: Date): Observation<T> {
  return { value: null, trueAt: null, since: null, notBefore: null, triedAt: now, failure };
}

export const worker = "10.0.4.17:8083";

export function report(
  name: string,
  connectorClass: string,
  version: string,
  config: Record<string, string>,
): ConnectorReport {
  const run = { state: "RUNNING", workerId: worker, version, trace: null };
  return {
    name,
    type: "source",
    connector: run,
    tasks: [{ ...run, id: 0 }],
    config: {
      name,
      "connector.class": connectorClass,
      "tasks.max": "1",
      "database.password": "••••••",
      ...config,
    },
    plaintextSecrets: [],
  };
}

export const postgres = "io.debezium.connector.postgresql.PostgresConnector";
export const mariadb = "io.debezium.connector.mariadb.MariaDbConnector";
export const sqlserver = "io.debezium.connector.sqlserver.SqlServerConnector";
export const mongodb = "io.debezium.connector.mongodb.MongoDbConnector";

export function stored(cluster: string, value: ConnectorReport, now: Date): JudgedConnector {
  const since = new Date(now.getTime() - 190 * minute).toISOString();
  const state = (s: string) => ({ state: s, since });
  return {
    cluster,
    connector: value.name,
    firstSeenAt: new Date(now.getTime() - 190 * minute),
    missingSince: null,
    report: seen(value, now, 190 * minute, false),
    times: {
      connector: value.connector && state(value.connector.state),
      tasks: (value.tasks ?? []).map((t) => ({ id: t.id, ...state(t.state) })),
    },
    offsets: null,
    commits: null,
    topics: null,
    ends: null,
    history: null,
    judgedAt: now,
    verdicts: [],
  };
}

export function postgresOffset(server: string, lsn: bigint, now: Date) {
  const at = BigInt(now.getTime() - 4 * second) * 1_000n;
  const offset = `{"transaction_id":"8841207","lsn_proc":${lsn},"messageType":"COMMIT","lsn_commit":${lsn},"lsn":${lsn},"txId":8841207,"ts_usec":${at}}`;
  return { offsets: [{ partition: `{"server":"${server}"}`, offset }] };
}

export function mariadbOffset(server: string, now: Date) {
  const at = Math.floor(now.getTime() / second) - 9;
  const offset = `{"transaction_id":"0-223344-9121","ts_sec":${at},"file":"binlog.000412","pos":7713,"gtids":"0-223344-9120","server_id":223344}`;
  return { offsets: [{ partition: `{"server":"${server}"}`, offset }] };
}

export function end(
  topic: string,
  role: TopicEnd["role"],
  partitions: number,
  count: string,
  now: Date,
  rate: number,
): TopicEnd {
  const ago = (ms: number) => new Date(now.getTime() - ms).toISOString();
  return {
    topic,
    role,
    partitions,
    end: count,
    grewAt: rate > 0 ? ago(8 * second) : null,
    watchedSince: ago(190 * minute),
    perSecond: rate,
    failure: null,
  };
}

export function withTopics(connector: JudgedConnector, ends: TopicEnd[], now: Date): JudgedConnector {
  const topics = { from: "reported" as const, why: null, topics: ends.map((e) => e.topic) };
  return {
    ...connector,
    topics: seen(topics, now, 60 * minute, false),
    ends: seen({ topics: ends }, now, 0, true),
  };
}

export function historyTopic(topic: string, change: Partial<HistoryTopic> = {}): HistoryTopic {
  const builtIn = (value: string): Setting => ({ value, from: "built-in" });
  return {
    topic,
    exists: true,
    partitions: 1,
    replicationFactor: 3,
    inSyncReplicas: 3,
    cleanupPolicy: { value: "delete", from: "topic" },
    retentionMs: { value: "-1", from: "topic" },
    retentionBytes: builtIn("-1"),
    minInsyncReplicas: builtIn("1"),
    earliest: "0",
    latest: "84",
    failures: [],
    ...change,
  };
}

export function historyConfig(topic: string): Record<string, string> {
  return {
    "schema.history.internal.kafka.topic": topic,
    "schema.history.internal.kafka.bootstrap.servers": "kafka-1.eu:9092",
  };
}
