import type { Admin, ITopicConfig } from "kafkajs";
import { eventually } from "./dashboard";

/**
 * Makes a topic, and waits until the leader of each partition tells its end. kafkajs's own wait asks for metadata alone: it fails where a
 * busy broker does not know of a new topic yet, and what is sent before a leader is ready may be sent twice.
 */
export async function createTopic(admin: Admin, config: ITopicConfig): Promise<void> {
  const { topic, numPartitions = 1 } = config;
  await admin.createTopics({ topics: [config], waitForLeaders: false });
  await eventually(
    `${topic} has leaders`,
    30_000,
    async () => (await admin.fetchTopicOffsets(topic)).length === numPartitions,
  );
}
