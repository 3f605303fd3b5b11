import type { Look } from "@/lib/observed/observation";
import type { KafkaConnection } from "./connection";
import { kafkaFailure } from "./failure";
import { readMetadata } from "./requests";

/**
 * Names of all topics that may be seen, sorted. A topic without the right to describe it is left out by the brokers,
 * without an error: an absent name does not prove an absent topic.
 */
export async function listTopics(k: KafkaConnection): Promise<Look<string[]>> {
  try {
    const { topicMetadata } = await readMetadata(k, "all");
    return { value: topicMetadata.map((t) => t.topic).sort() };
  } catch (error) {
    return { failure: kafkaFailure(error, { about: "cluster" }) };
  }
}
