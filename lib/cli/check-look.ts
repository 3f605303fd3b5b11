import type { CheckLimits, ConnectorFacts } from "@/lib/checks/check";
import { judgeCluster, judgeConnector } from "@/lib/checks/judge";
import { needsHistoryTopic } from "@/lib/checks/schema-history/needs-history-topic";
import { verdictSentence } from "@/lib/checks/verdict-sentence";
import { inTurn } from "@/lib/collect/in-turn";
import { duplicateLimits } from "@/lib/config/duplicate-limits";
import { replayLimits } from "@/lib/config/replay-limits";
import type { ClusterSettings, Settings } from "@/lib/config/settings";
import { type ConnectClient, createConnectClient } from "@/lib/connect/client";
import { isDebezium } from "@/lib/debezium/connector-type";
import { type KafkaConnection, openKafka } from "@/lib/kafka/connection";
import { describeCluster } from "@/lib/kafka/describe-cluster";
import { describeHistoryTopic } from "@/lib/kafka/history-topic";
import type { ConnectorReport } from "@/lib/observed/connector";
import { type Failure, type Observation, observe } from "@/lib/observed/observation";
import { type ClusterPart, needsWatching } from "./check-report";

/** Connectors looked at at a time. */
const AT_ONCE = 4;

interface Looker {
  cluster: ClusterSettings;
  connect: ConnectClient;
  kafka: KafkaConnection;
  /** As configured, and as the brokers call themselves. */
  brokers: string[];
  limits: CheckLimits;
  at: Date;
}

/** Limits of checks of one cluster, times in milliseconds, from the settings. */
export function limitsOf(settings: Settings, cluster: string): CheckLimits {
  const { checks } = settings;
  return {
    unassignedMs: checks.taskUnassigned * 1000,
    silentMs: checks.silent * 1000,
    rebalanceMs: checks.rebalance * 1000,
    replay: (connector) => replayLimits(settings, cluster, connector),
    duplicates: duplicateLimits(settings),
  };
}

/** One look at one cluster, and its judgement. `connector`: only this one. Opens and closes its own connections. */
export async function lookAtCluster(
  cluster: ClusterSettings,
  limits: CheckLimits,
  connector: string | null,
  at: Date,
): Promise<ClusterPart> {
  const looker: Looker = {
    cluster,
    connect: createConnectClient(cluster.connect),
    kafka: openKafka(cluster),
    brokers: [],
    limits,
    at,
  };
  try {
    return await look(looker, connector);
  } finally {
    await Promise.all([looker.connect.close(), looker.kafka.close()]);
  }
}

async function look(looker: Looker, connector: string | null): Promise<ClusterPart> {
  const { connect, cluster, limits, at } = looker;
  const [root, list] = [await connect.readRoot(), await connect.listConnectors()];
  const failure: Failure | null = root.failure ?? list.failure ?? null;
  const reports = list.value ?? [];
  const seenConnect = failure
    ? { failure }
    : { value: { ...rootOf(root.value), connectors: reports.map((r) => r.name).sort() } };
  const verdicts = judgeCluster(
    { cluster: cluster.name, connect: observe(null, seenConnect, at), kafka: null, failingSince: null },
    limits,
    at,
  );
  if (failure) return { cluster: cluster.name, failure, verdicts, connectors: [] };
  looker.brokers = await brokerAddresses(looker);
  const chosen = reports.filter((r) => connector === null || r.name === connector);
  const fleet = reports.map((r) => ({ cluster: cluster.name, connector: r.name, config: r.config }));
  const connectors = await inTurn(chosen, AT_ONCE, (report) => lookAtConnector(looker, report, fleet));
  return { cluster: cluster.name, failure: null, verdicts, connectors };
}

function rootOf(root: { version: string; commit: string | null; kafkaClusterId: string | null } | undefined) {
  return root ?? { version: "", commit: null, kafkaClusterId: null };
}

async function brokerAddresses({ kafka }: Looker): Promise<string[]> {
  if (kafka.addresses.length === 0) return [];
  const described = await describeCluster(kafka);
  return [...kafka.addresses, ...(described.value?.brokers.map((b) => b.address) ?? [])];
}

async function lookAtConnector(
  looker: Looker,
  report: ConnectorReport,
  fleet: ConnectorFacts["fleet"],
): Promise<ClusterPart["connectors"][number]> {
  const { connect, cluster, limits, at } = looker;
  const ours = isDebezium(report.config?.["connector.class"]);
  const facts: ConnectorFacts = {
    cluster: cluster.name,
    connector: report.name,
    report: observe(null, { value: report }, at),
    // One look does not tell since when.
    times: { connector: null, tasks: [] },
    offsets: ours ? observe(null, await connect.readOffsets(report.name), at) : null,
    commits: null,
    topics: null,
    ends: null,
    history: await lookAtHistory(looker, report),
    fleet,
    brokers: looker.brokers,
    groupId: cluster.groupId ?? null,
  };
  const verdicts = judgeConnector(facts, limits, at).filter((v) => !needsWatching.includes(v.slug));
  return {
    connector: report.name,
    type: report.type,
    state: report.connector?.state ?? null,
    sentence: verdictSentence(facts, verdicts),
    verdicts,
  };
}

async function lookAtHistory(looker: Looker, report: ConnectorReport): Promise<ConnectorFacts["history"]> {
  const need = needsHistoryTopic(report.config ?? {});
  if (!("topic" in need)) return null;
  const seen: Observation<never> | null = null;
  return observe(seen, await describeHistoryTopic(looker.kafka, need.topic), looker.at);
}
