import type { Look } from "@/lib/observed/observation";
import type { HistoryTopic, Setting } from "@/lib/observed/topic";
import type { KafkaConnection } from "./connection";
import { type ConfigEntry, describeConfigs } from "./describe-configs";
import { brokerFailure, kafkaFailure } from "./failure";
import { errorCodes, listOffsets, logEnds, readMetadata, type TopicMetadata } from "./requests";
import { noLeader } from "./topic-ends";

const settingNames = ["cleanup.policy", "retention.ms", "retention.bytes", "min.insync.replicas"] as const;

/**
 * A schema history topic as its brokers describe it, asked for by name: one that may not be seen looks absent in a
 * list. Creates no topic. A part that could not be had is null, with its failure; the look fails as a whole only when
 * no broker could be asked.
 */
export async function describeHistoryTopic(k: KafkaConnection, topic: string): Promise<Look<HistoryTopic>> {
  let metadata: TopicMetadata | undefined;
  try {
    metadata = (await readMetadata(k, [topic])).topicMetadata.find((t) => t.topic === topic);
  } catch (error) {
    return { failure: kafkaFailure(error, { about: "cluster" }) };
  }
  const found: HistoryTopic = { ...emptyDescription(topic), ...replicas(metadata) };
  const code = metadata?.topicErrorCode ?? errorCodes.unknownTopicOrPartition;
  if (code === errorCodes.unknownTopicOrPartition) return { value: { ...found, exists: false } };
  if (code === errorCodes.none || code === errorCodes.leaderNotAvailable) found.exists = true;
  if (code !== errorCodes.none) {
    found.failures.push({ about: "metadata", failure: brokerFailure(code, { about: "metadata", topic }) });
  }
  await addSettings(k, found);
  await addOffsets(k, found, metadata);
  return { value: found };
}

function emptyDescription(topic: string): HistoryTopic {
  return {
    topic,
    exists: null,
    partitions: null,
    replicationFactor: null,
    inSyncReplicas: null,
    cleanupPolicy: null,
    retentionMs: null,
    retentionBytes: null,
    minInsyncReplicas: null,
    earliest: null,
    latest: null,
    failures: [],
  };
}

function replicas(metadata: TopicMetadata | undefined): Partial<HistoryTopic> {
  const partitions = metadata?.partitionMetadata ?? [];
  if (partitions.length === 0) return {};
  return {
    partitions: partitions.length,
    replicationFactor: Math.min(...partitions.map((p) => p.replicas.length)),
    inSyncReplicas: Math.min(...partitions.map((p) => p.isr.length)),
  };
}

async function addSettings(k: KafkaConnection, found: HistoryTopic): Promise<void> {
  const asked = { about: "settings", topic: found.topic } as const;
  try {
    const [answer] = await describeConfigs(k, [found.topic], settingNames);
    const { errorCode, entries } = answer ?? { errorCode: -1, entries: [] };
    if (errorCode !== errorCodes.none) {
      found.failures.push({ about: "settings", failure: brokerFailure(errorCode, asked) });
      return;
    }
    found.cleanupPolicy = setting(entries, "cleanup.policy");
    found.retentionMs = setting(entries, "retention.ms");
    found.retentionBytes = setting(entries, "retention.bytes");
    found.minInsyncReplicas = setting(entries, "min.insync.replicas");
  } catch (error) {
    found.failures.push({ about: "settings", failure: kafkaFailure(error, asked) });
  }
}

function setting(entries: readonly ConfigEntry[], name: (typeof settingNames)[number]): Setting | null {
  const entry = entries.find((e) => e.configName === name);
  if (!entry || entry.configValue === null) return null;
  return { value: entry.configValue, from: settingSource(entry.configSource) };
}

/** ConfigSource of DescribeConfigs (org.apache.kafka.common.requests.DescribeConfigsResponse.ConfigSource). */
export function settingSource(source: number): Setting["from"] {
  if (source === 1) return "topic";
  if (source === 2 || source === 3 || source === 4) return "broker";
  return source === 5 ? "built-in" : "unknown";
}

async function addOffsets(
  k: KafkaConnection,
  found: HistoryTopic,
  metadata: TopicMetadata | undefined,
): Promise<void> {
  const leader = metadata?.partitionMetadata.find((p) => p.partitionId === 0)?.leader ?? -1;
  if (leader < 0) {
    const denied = found.failures.find((f) => f.about === "metadata")?.failure;
    found.failures.push({ about: "offsets", failure: denied ?? noLeader(found.topic, 0) });
    return;
  }
  const read = async (end: keyof typeof logEnds) => {
    const question = { topic: found.topic, partition: 0, timestamp: logEnds[end] };
    const answers = await listOffsets(k, leader, [question]);
    return answers.get(found.topic)?.get(0) ?? { errorCode: -1, offset: "" };
  };
  const asked = { about: "offsets", topic: found.topic } as const;
  try {
    const [earliest, latest] = [await read("earliest"), await read("latest")];
    const code = earliest.errorCode || latest.errorCode;
    if (code !== 0) {
      found.failures.push({ about: "offsets", failure: brokerFailure(code, asked) });
      return;
    }
    found.earliest = String(earliest.offset);
    found.latest = String(latest.offset);
  } catch (error) {
    found.failures.push({ about: "offsets", failure: kafkaFailure(error, asked) });
  }
}
