import type { Failure, Look } from "@/lib/observed/observation";
import type { KafkaConnection } from "./connection";
import { brokerFailure, kafkaFailure } from "./failure";
import { type LedOffsetQuestion, type OffsetReply, offsetsByLeader } from "./offsets-by-leader";
import { logEnds, readMetadata, type TopicMetadata } from "./requests";

/** Topics in one metadata request. */
export const TOPICS_A_REQUEST = 500;

export interface TopicEndRead {
  partitions: number;
  /** Sum of the high watermarks over all partitions. */
  end: bigint;
}

/**
 * Partitions and ends of many topics, a few requests for all of them: one metadata request for each 500 topics,
 * then one ListOffsets a leader. Creates no topic. One topic's failure is its own.
 */
export async function readTopicEnds(
  k: KafkaConnection,
  topics: readonly string[],
): Promise<Look<Map<string, TopicEndRead | Failure>>> {
  const result = new Map<string, TopicEndRead | Failure>();
  const names = [...new Set(topics)];
  try {
    for (let i = 0; i < names.length; i += TOPICS_A_REQUEST) {
      const { topicMetadata } = await readMetadata(k, names.slice(i, i + TOPICS_A_REQUEST));
      await readEndsOf(k, topicMetadata, result);
    }
  } catch (error) {
    return { failure: kafkaFailure(error, { about: "cluster" }) };
  }
  return { value: result };
}

async function readEndsOf(
  k: KafkaConnection,
  metadata: readonly TopicMetadata[],
  result: Map<string, TopicEndRead | Failure>,
): Promise<void> {
  const questions: LedOffsetQuestion[] = [];
  for (const t of metadata) {
    const failure = metadataFailure(t);
    result.set(t.topic, failure ?? { partitions: t.partitionMetadata.length, end: 0n });
    if (failure) continue;
    for (const { partitionId: partition, leader } of t.partitionMetadata)
      questions.push({ topic: t.topic, partition, leader, timestamp: logEnds.latest });
  }
  const replies = await offsetsByLeader(k, questions, "read_uncommitted");
  questions.forEach(({ topic }, i) => {
    const sum = result.get(topic);
    // The first failure of a topic stands for it.
    if (sum === undefined || "kind" in sum) return;
    const offset = endOrFailure(replies[i], topic);
    result.set(topic, typeof offset === "bigint" ? { ...sum, end: sum.end + offset } : offset);
  });
}

function endOrFailure(reply: OffsetReply | undefined, topic: string): bigint | Failure {
  if (reply && "offset" in reply) return reply.offset;
  if (reply && "failure" in reply) return reply.failure;
  return brokerFailure(reply?.errorCode ?? -1, { about: "offsets", topic });
}

/** Why a topic of a metadata answer cannot be asked further; null when it can. */
function metadataFailure(t: TopicMetadata): Failure | null {
  if (t.topicErrorCode !== 0) return brokerFailure(t.topicErrorCode, { about: "metadata", topic: t.topic });
  const leaderless = t.partitionMetadata.find((p) => p.leader < 0);
  return leaderless ? noLeader(t.topic, leaderless.partitionId) : null;
}

/** A partition whose leader is not known, or whose replicas are all away. */
export function noLeader(topic: string, partition: number): Failure {
  return {
    kind: "server-error",
    sentence: `partition ${partition} of topic ${topic} has no leader`,
    remedy: "Check that the brokers which hold its replicas run.",
  };
}
