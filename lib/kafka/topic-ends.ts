import type { Failure, Look } from "@/lib/observed/observation";
import type { KafkaConnection } from "./connection";
import { brokerFailure, kafkaFailure } from "./failure";
import { listOffsets, type PartitionMetadata, readMetadata, type TopicMetadata } from "./requests";

/** Topics in one metadata request, partitions in one offset request. */
const TOPICS_A_REQUEST = 500;
const PARTITIONS_A_REQUEST = 2_000;

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
  const byLeader = new Map<number, { topic: string; partition: number }[]>();
  const sums = new Map<string, TopicEndRead>();
  for (const t of metadata) {
    const failure = metadataFailure(t);
    if (failure) {
      result.set(t.topic, failure);
      continue;
    }
    sums.set(t.topic, { partitions: t.partitionMetadata.length, end: 0n });
    for (const p of t.partitionMetadata) {
      const led = byLeader.get(p.leader) ?? [];
      led.push({ topic: t.topic, partition: p.partitionId });
      byLeader.set(p.leader, led);
    }
  }
  // One leader after the other's chunks, all leaders at once: a broker never has two of these requests in flight.
  await Promise.all([...byLeader].map(([leader, led]) => readLeader(k, leader, led, sums, result)));
  for (const [topic, sum] of sums) if (!result.has(topic)) result.set(topic, sum);
}

async function readLeader(
  k: KafkaConnection,
  leader: number,
  led: readonly { topic: string; partition: number }[],
  sums: Map<string, TopicEndRead>,
  result: Map<string, TopicEndRead | Failure>,
): Promise<void> {
  for (let i = 0; i < led.length; i += PARTITIONS_A_REQUEST) {
    const chunk = led.slice(i, i + PARTITIONS_A_REQUEST);
    try {
      for (const answer of await listOffsets(k, leader, "latest", groupByTopic(chunk))) {
        const sum = sums.get(answer.topic);
        if (answer.errorCode !== 0) {
          result.set(
            answer.topic,
            brokerFailure(answer.errorCode, { about: "offsets", topic: answer.topic }),
          );
        } else if (sum) {
          sum.end += BigInt(answer.offset);
        }
      }
    } catch (error) {
      for (const { topic } of chunk) result.set(topic, kafkaFailure(error, { about: "offsets", topic }));
    }
  }
}

function groupByTopic(
  partitions: readonly { topic: string; partition: number }[],
): { topic: string; partitions: number[] }[] {
  const groups = new Map<string, number[]>();
  for (const { topic, partition } of partitions) {
    groups.set(topic, [...(groups.get(topic) ?? []), partition]);
  }
  return [...groups].map(([topic, list]) => ({ topic, partitions: list }));
}

/** Why a topic of a metadata answer cannot be asked further; null when it can. */
function metadataFailure(t: TopicMetadata): Failure | null {
  if (t.topicErrorCode !== 0) return brokerFailure(t.topicErrorCode, { about: "metadata", topic: t.topic });
  const leaderless = t.partitionMetadata.find((p: PartitionMetadata) => p.leader < 0);
  if (!leaderless) return null;
  return {
    kind: "server-error",
    sentence: `partition ${leaderless.partitionId} of topic ${t.topic} has no leader`,
    remedy: "Check that the brokers which hold its replicas run.",
  };
}
