import Encoder from "kafkajs/src/protocol/encoder.js";
import wire from "kafkajs/src/protocol/requests/index.js";
import type { BrokerVersions, KafkaConnection } from "./connection";

const { requests, lookup } = wire;

// Keys of the Kafka protocol.
const LIST_OFFSETS = 2;
const METADATA = 3;
const DESCRIBE_CONFIGS = 32;

export const errorCodes = {
  none: 0,
  unknownTopicOrPartition: 3,
  leaderNotAvailable: 5,
  notLeaderOrFollower: 6,
} as const;

/** The brokers are older than Kafka 0.11: their metadata request creates topics. */
export class TooOldError extends Error {
  override name = "TooOldError";
}

export interface PartitionMetadata {
  partitionErrorCode: number;
  partitionId: number;
  /** -1 while there is none. */
  leader: number;
  replicas: number[];
  isr: number[];
}
export interface TopicMetadata {
  topicErrorCode: number;
  topic: string;
  isInternal: boolean;
  partitionMetadata: PartitionMetadata[];
}
export interface Metadata {
  brokers: { nodeId: number; host: string; port: number }[];
  clusterId: string | null;
  controllerId: number | null;
  topicMetadata: TopicMetadata[];
}

/** Errors inside the answer stay there: kafkajs's own parser would throw the first and lose the rest. */
function undecided(call: KafkaWireCall): KafkaWireCall {
  return { request: call.request, response: { ...call.response, parse: async (decoded) => decoded } };
}

/**
 * Metadata request, never creating a topic (allow_auto_topic_creation=false, KIP-204's version 4 and later).
 * `none` asks for the brokers only, `all` for every topic that may be seen.
 * @throws TooOldError, and what {@link KafkaConnection.ask} throws.
 */
export async function readMetadata(
  k: KafkaConnection,
  topics: readonly string[] | "none" | "all",
): Promise<Metadata> {
  const answer = (await k.ask(null, (versions) => {
    if ((versions[METADATA]?.maxVersion ?? 0) < 4)
      throw new TooOldError("metadata version 4 is not supported");
    const named = topics === "none" || topics === "all" ? [] : [...topics];
    const call = undecided(
      lookup(versions)(METADATA, requests.Metadata)({ topics: named, allowAutoTopicCreation: false }),
    );
    // kafkajs takes an empty list for "all".
    if (topics !== "none" && (topics === "all" || named.length > 0)) return call;
    return {
      ...call,
      request: { ...call.request, encode: async () => new Encoder().writeInt32(0).writeBoolean(false) },
    };
  })) as Metadata;
  k.learn(answer.brokers);
  return { ...answer, controllerId: answer.controllerId === -1 ? null : answer.controllerId };
}

export interface OffsetAnswer {
  topic: string;
  partition: number;
  errorCode: number;
  /** Decimal. */
  offset: string;
}

/** Which offset: the first still there, or the next to be written (high watermark, transactions ignored). */
export type WhichOffset = "earliest" | "latest";

/** ListOffsets at one broker, for partitions that it leads. */
export async function listOffsets(
  k: KafkaConnection,
  node: number,
  which: WhichOffset,
  topics: readonly { topic: string; partitions: readonly number[] }[],
): Promise<OffsetAnswer[]> {
  const timestamp = which === "earliest" ? "-2" : "-1";
  const build = (versions: BrokerVersions) =>
    undecided(
      lookup(versions)(LIST_OFFSETS, requests.ListOffsets)({
        replicaId: -1,
        isolationLevel: 0,
        topics: topics.map((t) => ({
          topic: t.topic,
          partitions: t.partitions.map((partition) => ({ partition, timestamp })),
        })),
      }),
    );
  const answer = (await k.ask(node, build)) as {
    responses: { topic: string; partitions: { partition: number; errorCode: number; offset: string }[] }[];
  };
  return answer.responses.flatMap((r) =>
    r.partitions.map((p) => ({
      topic: r.topic,
      partition: p.partition,
      errorCode: p.errorCode,
      offset: p.offset,
    })),
  );
}

export interface ConfigEntry {
  configName: string;
  configValue: string | null;
  /** ConfigSource of the protocol: 1 topic, 2 dynamic broker, 3 dynamic default broker, 4 static broker, 5 default. */
  configSource: number;
}

/** DescribeConfigs of one topic, for the settings named. */
export async function describeTopicSettings(
  k: KafkaConnection,
  topic: string,
  names: readonly string[],
): Promise<{ errorCode: number; entries: ConfigEntry[] }> {
  const answer = (await k.ask(null, (versions) =>
    undecided(
      lookup(versions)(DESCRIBE_CONFIGS, requests.DescribeConfigs)({
        resources: [{ type: 2, name: topic, configNames: [...names] }],
        includeSynonyms: false,
      }),
    ),
  )) as { resources: { errorCode: number; configEntries: ConfigEntry[] }[] };
  const resource = answer.resources[0];
  return { errorCode: resource?.errorCode ?? -1, entries: resource?.configEntries ?? [] };
}
