import type { KafkaConnection } from "./connection";
import { pickVersion, type WireReader, type WireWriter, wireCall } from "./wire";

// Keys of the Kafka protocol.
const LIST_OFFSETS = 2;
const METADATA = 3;

/** Codes of org.apache.kafka.common.protocol.Errors. */
export const errorCodes = {
  none: 0,
  offsetOutOfRange: 1,
  unknownTopicOrPartition: 3,
  leaderNotAvailable: 5,
  notLeaderOrFollower: 6,
} as const;

/**
 * Errors that pass once the brokers agree on who leads a partition: UNKNOWN_SERVER_ERROR, UNKNOWN_TOPIC_OR_PARTITION (of a
 * broker that has not heard of it), LEADER_NOT_AVAILABLE, NOT_LEADER_OR_FOLLOWER, REQUEST_TIMED_OUT, BROKER_NOT_AVAILABLE,
 * REPLICA_NOT_AVAILABLE, NETWORK_EXCEPTION, KAFKA_STORAGE_ERROR, FENCED_LEADER_EPOCH, UNKNOWN_LEADER_EPOCH,
 * OFFSET_NOT_AVAILABLE, UNKNOWN_TOPIC_ID, INCONSISTENT_TOPIC_ID.
 */
export const passingErrors: ReadonlySet<number> = new Set([
  -1, 3, 5, 6, 7, 8, 9, 13, 56, 74, 75, 78, 100, 103,
]);

export interface PartitionMetadata {
  partitionErrorCode: number;
  partitionId: number;
  /** -1 while there is none. */
  leader: number;
  /** Null before Kafka 2.1. */
  leaderEpoch: number | null;
  replicas: number[];
  isr: number[];
}
export interface TopicMetadata {
  topicErrorCode: number;
  topic: string;
  /** 32 hexadecimal digits; null before Kafka 2.8. */
  topicId: string | null;
  isInternal: boolean;
  partitionMetadata: PartitionMetadata[];
}
export interface Metadata {
  brokers: { nodeId: number; host: string; port: number }[];
  clusterId: string | null;
  controllerId: number | null;
  topicMetadata: TopicMetadata[];
}

const noTopicId = "0".repeat(32);

/**
 * Metadata request, never creating a topic (allow_auto_topic_creation=false, KIP-204's version 4 and later).
 * `none` asks for the brokers only, `all` for every topic that may be seen.
 * @throws TooOldError, TooNewError, WireError, and what {@link KafkaConnection.ask} throws.
 */
export async function readMetadata(
  k: KafkaConnection,
  topics: readonly string[] | "none" | "all",
): Promise<Metadata> {
  const names = topics === "all" ? null : topics === "none" ? [] : topics;
  const answer = (await k.ask(null, (versions) => {
    // Topic ids came with version 10 (KIP-516); 12 is the newest that differs in nothing that is needed.
    const version = pickVersion(versions, METADATA, 4, 12);
    return wireCall({
      apiKey: METADATA,
      apiName: "Metadata",
      version,
      flexible: version >= 9,
      write: (to) => writeMetadataRequest(to, version, names),
      read: (from) => readMetadataAnswer(from, version),
    });
  })) as Metadata;
  k.learn(answer.brokers);
  return answer;
}

function writeMetadataRequest(to: WireWriter, version: number, names: readonly string[] | null): void {
  to.array(names, (name) => {
    if (version >= 10) to.uuid(noTopicId);
    to.string(name).tags();
  });
  to.boolean(false);
  if (version >= 8 && version <= 10) to.boolean(false);
  if (version >= 8) to.boolean(false);
  to.tags();
}

function readMetadataAnswer(from: WireReader, version: number): Metadata {
  from.int32();
  const brokers = from.array(() => {
    const [nodeId, host, port] = [from.int32(), from.string() ?? "", from.int32()];
    from.string();
    from.tags();
    return { nodeId, host, port };
  });
  const clusterId = from.string();
  const controller = from.int32();
  const topicMetadata = from.array(() => readTopic(from, version));
  return { brokers, clusterId, controllerId: controller === -1 ? null : controller, topicMetadata };
}

function readTopic(from: WireReader, version: number): TopicMetadata {
  const topicErrorCode = from.int16();
  const topic = from.string() ?? "";
  const id = version >= 10 ? from.uuid() : noTopicId;
  const isInternal = from.boolean();
  const partitionMetadata = from.array(() => readPartition(from, version));
  if (version >= 8) from.int32();
  from.tags();
  return { topicErrorCode, topic, topicId: id === noTopicId ? null : id, isInternal, partitionMetadata };
}

function readPartition(from: WireReader, version: number): PartitionMetadata {
  const [partitionErrorCode, partitionId, leader] = [from.int16(), from.int32(), from.int32()];
  const epoch = version >= 7 ? from.int32() : -1;
  const replicas = from.array(() => from.int32());
  const isr = from.array(() => from.int32());
  if (version >= 5) from.array(() => from.int32());
  from.tags();
  const leaderEpoch = epoch < 0 ? null : epoch;
  return { partitionErrorCode, partitionId, leader, leaderEpoch, replicas, isr };
}

/** Timestamps that ListOffsets takes for an end of the log. */
export const logEnds = { earliest: -2n, latest: -1n } as const;

export interface OffsetQuestion {
  topic: string;
  partition: number;
  /** Milliseconds since 1970, or one of {@link logEnds}. */
  timestamp: bigint;
}

export interface OffsetAnswer {
  errorCode: number;
  /** -1 when no record is that late. */
  offset: bigint;
  /** Of the record at `offset`, milliseconds since 1970, when a time was asked for; -1 for the ends. */
  timestamp: bigint;
}

/** Answers by topic, then by partition. */
export type OffsetAnswers = Map<string, Map<number, OffsetAnswer>>;

/**
 * ListOffsets at one broker, for partitions that it leads, each named once. With `read_committed` the latest is the last
 * stable offset, else the high watermark.
 * @throws TooOldError, TooNewError, WireError, and what {@link KafkaConnection.ask} throws.
 */
export async function listOffsets(
  k: KafkaConnection,
  node: number,
  questions: readonly OffsetQuestion[],
  isolation: "read_committed" | "read_uncommitted" = "read_uncommitted",
): Promise<OffsetAnswers> {
  const answer = await k.ask(node, (versions) => {
    const version = pickVersion(versions, LIST_OFFSETS, 2, 5);
    return wireCall({
      apiKey: LIST_OFFSETS,
      apiName: "ListOffsets",
      version,
      flexible: false,
      write: (to) => writeOffsetsRequest(to, version, questions, isolation),
      read: (from) => readOffsetsAnswer(from, version),
    });
  });
  return answer as OffsetAnswers;
}

function writeOffsetsRequest(
  to: WireWriter,
  version: number,
  questions: readonly OffsetQuestion[],
  isolation: "read_committed" | "read_uncommitted",
): void {
  const byTopic = new Map<string, OffsetQuestion[]>();
  for (const question of questions) {
    const group = byTopic.get(question.topic);
    if (group) group.push(question);
    else byTopic.set(question.topic, [question]);
  }
  to.int32(-1).int8(isolation === "read_committed" ? 1 : 0);
  to.array([...byTopic], ([topic, group]) => {
    to.string(topic).array(group, ({ partition, timestamp }) => {
      to.int32(partition);
      if (version >= 4) to.int32(-1);
      to.int64(timestamp);
    });
  });
}

function readOffsetsAnswer(from: WireReader, version: number): OffsetAnswers {
  from.int32();
  const answers: OffsetAnswers = new Map();
  from.array(() => {
    const topic = from.string() ?? "";
    const partitions = answers.get(topic) ?? new Map<number, OffsetAnswer>();
    answers.set(topic, partitions);
    from.array(() => {
      const [partition, errorCode, timestamp, offset] = [
        from.int32(),
        from.int16(),
        from.int64(),
        from.int64(),
      ];
      if (version >= 4) from.int32();
      partitions.set(partition, { errorCode, offset, timestamp });
    });
  });
  return answers;
}
