import type { CommitHistory } from "@/lib/observed/commits";
import type { ConnectorReport, StoredOffsets } from "@/lib/observed/connector";
import type { Failure, Observation } from "@/lib/observed/observation";
import type { HistoryTopic } from "@/lib/observed/topic";
import { catalogue } from "../catalogue";
import type { CheckLimits, ClusterFacts, ConnectorFacts } from "../check";
import type { Verdict } from "../verdict";
import { connectorDuplicates } from "./duplicates";
import { replayWindow } from "./window";

export const now = new Date("2026-09-14T06:30:00Z");
export const limits: CheckLimits = {
  unassignedMs: 300_000,
  silentMs: 3_600_000,
  rebalanceMs: 120_000,
  replay: () => ({ events: 10_000, bytes: 268_435_456, spanMs: 300_000 }),
  duplicates: { rate: 0.01 },
};

export const refused: Failure = {
  kind: "unreachable",
  sentence: "http://connect:8083 cannot be reached (connection refused)",
  remedy: "check that it runs",
};

export function ago(seconds: number): Date {
  return new Date(now.getTime() - seconds * 1000);
}

/** A value seen `age` seconds ago, first seen so an hour ago. */
export function seen<T>(value: T, more: Partial<Observation<T>> = {}): Observation<T> {
  return {
    value,
    trueAt: ago(2),
    since: ago(3600),
    notBefore: null,
    triedAt: ago(2),
    failure: null,
    ...more,
  };
}

/** A value that is old because every look since failed. */
export function stale<T>(value: T, failure = refused): Observation<T> {
  return seen(value, { trueAt: ago(600), failure });
}

export function never<T>(failure: Failure | null): Observation<T> {
  return { value: null, trueAt: null, since: null, notBefore: null, triedAt: ago(2), failure };
}

export function runState(state: string, trace: string | null = null) {
  return { state, workerId: "w1:8083", version: null, trace };
}

export const mariadbConfig = {
  "connector.class": "io.debezium.connector.mariadb.MariaDbConnector",
  "topic.prefix": "inv",
  "schema.history.internal.kafka.topic": "inv.schema-history",
  "schema.history.internal.kafka.bootstrap.servers": "kafka:9092",
  "snapshot.mode": "initial",
  "heartbeat.interval.ms": "5000",
};
export const postgresConfig = {
  "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
  "topic.prefix": "shop",
};

export function report(more: Partial<ConnectorReport> = {}): ConnectorReport {
  return {
    name: "inventory-cdc",
    type: "source",
    connector: runState("RUNNING"),
    tasks: [{ id: 0, ...runState("RUNNING") }],
    config: mariadbConfig,
    plaintextSecrets: [],
    ...more,
  };
}

export function storedOffset(partition: object, offset: object): StoredOffsets["offsets"][number] {
  return { partition: JSON.stringify(partition), offset: JSON.stringify(offset) };
}

export const mariadbOffsets: StoredOffsets = {
  offsets: [storedOffset({ server: "inv" }, { file: "binlog.000001", pos: 139251, gtids: "0-223344-21" })],
};

/** A source partition's commits, newest last, each so many seconds ago; a null offset is a tombstone. */
export function commitHistory(
  partition: object,
  commits: readonly (readonly [secondsAgo: number, offset: object | string | null])[],
): CommitHistory {
  const text = (offset: object | string | null) =>
    offset === null || typeof offset === "string" ? offset : JSON.stringify(offset);
  return {
    topics: ["connect-offsets"],
    partitions: [
      {
        partition: JSON.stringify(partition),
        commits: commits.map(([secondsAgo, offset], i) => ({
          at: ago(secondsAgo).toISOString(),
          offset: text(offset),
          topic: "connect-offsets",
          kafkaPartition: 3,
          kafkaOffset: 1_200 + i,
        })),
      },
    ],
  };
}

export const mariadbCommits = commitHistory({ server: "inv" }, [
  [70, { file: "binlog.000001", pos: 139000, gtids: "0-223344-20" }],
  [10, { file: "binlog.000001", pos: 139251, gtids: "0-223344-21" }],
]);

export function historyTopic(more: Partial<HistoryTopic> = {}): HistoryTopic {
  return {
    topic: "inv.schema-history",
    exists: true,
    partitions: 1,
    replicationFactor: 3,
    inSyncReplicas: 3,
    cleanupPolicy: { value: "delete", from: "built-in" },
    retentionMs: { value: "9223372036854775807", from: "topic" },
    retentionBytes: { value: "-1", from: "built-in" },
    minInsyncReplicas: { value: "2", from: "broker" },
    earliest: "0",
    latest: "40",
    failures: [],
    ...more,
  };
}

/** A MariaDB connector in perfect health; the case changes what it is about. */
export function facts(more: Partial<ConnectorFacts> = {}): ConnectorFacts {
  return {
    cluster: "lab",
    connector: "inventory-cdc",
    report: seen(report()),
    times: { connector: null, tasks: [] },
    offsets: seen(mariadbOffsets),
    commits: seen(mariadbCommits),
    window: seen(replayWindow()),
    duplicates: seen(connectorDuplicates()),
    topics: null,
    ends: null,
    history: seen(historyTopic()),
    fleet: [{ cluster: "lab", connector: "inventory-cdc", config: mariadbConfig }],
    brokers: ["kafka:9092"],
    ...more,
  };
}

export function historyFacts(
  more: Partial<HistoryTopic>,
  others: Partial<ConnectorFacts> = {},
): ConnectorFacts {
  return facts({ history: seen(historyTopic(more)), ...others });
}

export function clusterFacts(more: Partial<ClusterFacts> = {}): ClusterFacts {
  return {
    cluster: "lab",
    connect: seen({ version: "4.4.0", commit: null, kafkaClusterId: "k", connectors: [] }),
    kafka: null,
    failingSince: null,
    ...more,
  };
}

/** What one check says of a connector. */
export function judged(slug: string, input: ConnectorFacts, at = now): Verdict {
  const check = catalogue.find((c) => c.slug === slug);
  if (check?.subject !== "connector") throw new Error(`no connector check ${slug}`);
  return check.judge(input, limits, at);
}

/** What one check says of a cluster. */
export function judgedCluster(slug: string, input: ClusterFacts): Verdict {
  const check = catalogue.find((c) => c.slug === slug);
  if (check?.subject !== "cluster") throw new Error(`no cluster check ${slug}`);
  return check.judge(input, limits, now);
}

export function commands(verdict: Verdict): string[] {
  return verdict.remedy.flatMap((step) => (step.command === null ? [] : [step.command]));
}
