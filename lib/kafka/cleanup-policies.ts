import wire from "kafkajs/src/protocol/requests/index.js";
import type { Failure, Look } from "@/lib/observed/observation";
import type { KafkaConnection } from "./connection";
import { brokerFailure, kafkaFailure } from "./failure";
import type { ConfigEntry } from "./requests";

const { requests, lookup } = wire;
const DESCRIBE_CONFIGS = 32;
const TOPIC = 2;
const TOPICS_A_REQUEST = 500;

/** `cleanup.policy` of many topics, one DescribeConfigs for each 500. One topic's failure is its own. */
export async function readCleanupPolicies(
  k: KafkaConnection,
  topics: readonly string[],
): Promise<Look<Map<string, string | Failure>>> {
  const found = new Map<string, string | Failure>();
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
  found: Map<string, string | Failure>,
): Promise<void> {
  const answer = (await k.ask(null, (versions) => {
    const call = lookup(versions)(DESCRIBE_CONFIGS, requests.DescribeConfigs)({
      resources: topics.map((name) => ({ type: TOPIC, name, configNames: ["cleanup.policy"] })),
      includeSynonyms: false,
    });
    // kafkajs's own parser would throw the first topic's error and lose the rest.
    return { ...call, response: { ...call.response, parse: async (decoded) => decoded } };
  })) as { resources: { errorCode: number; resourceName: string; configEntries: ConfigEntry[] }[] };
  for (const { resourceName: topic, errorCode, configEntries } of answer.resources) {
    const policy = configEntries.find((e) => e.configName === "cleanup.policy")?.configValue;
    found.set(
      topic,
      errorCode === 0 && policy ? policy : brokerFailure(errorCode || -1, { about: "settings", topic }),
    );
  }
}
