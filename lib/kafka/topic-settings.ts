import type { Failure, Look } from "@/lib/observed/observation";
import type { KafkaConnection } from "./connection";
import { describeConfigs } from "./describe-configs";
import { brokerFailure, kafkaFailure } from "./failure";

const TOPICS_A_REQUEST = 500;

/** Settings of a topic, as they are in force; null: the brokers do not tell that one. */
export interface TopicSettings {
  /** `cleanup.policy`: `delete`, `compact` or both. */
  cleanupPolicy: string | null;
  /** `message.timestamp.type`: `CreateTime`, or `LogAppendTime` where records carry the broker's time. */
  timestampType: string | null;
}

/** Settings of many topics, one DescribeConfigs for each 500. One topic's failure is its own. */
export async function readTopicSettings(
  k: KafkaConnection,
  topics: readonly string[],
): Promise<Look<Map<string, TopicSettings | Failure>>> {
  const found = new Map<string, TopicSettings | Failure>();
  try {
    for (let i = 0; i < topics.length; i += TOPICS_A_REQUEST)
      await askFor(k, topics.slice(i, i + TOPICS_A_REQUEST), found);
  } catch (error) {
    return { failure: kafkaFailure(error, { about: "cluster" }) };
  }
  return { value: found };
}

async function askFor(
  k: KafkaConnection,
  topics: readonly string[],
  found: Map<string, TopicSettings | Failure>,
): Promise<void> {
  const answers = await describeConfigs(k, topics, ["cleanup.policy", "message.timestamp.type"]);
  for (const { topic, errorCode, entries } of answers) {
    const value = (name: string) => entries.find((e) => e.configName === name)?.configValue ?? null;
    const settings = {
      cleanupPolicy: value("cleanup.policy"),
      timestampType: value("message.timestamp.type"),
    };
    found.set(topic, errorCode === 0 ? settings : brokerFailure(errorCode, { about: "settings", topic }));
  }
}
