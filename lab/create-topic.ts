import type { Admin, ITopicConfig } from "kafkajs";
import { until } from "./progress";

/**
 * Makes a topic, and waits until the leader of each partition tells its end. kafkajs's own wait asks for metadata alone: it fails where a
 * busy broker does not know of a new topic yet, and what is sent before a leader is ready may be sent twice.
 * @throws LabFault after half a minute
 */
export async function createTopic(admin: Admin, config: ITopicConfig): Promise<void> {
  const { topic, numPartitions = 1 } = config;
  await admin.createTopics({ topics: [config], waitForLeaders: false });
  await until(async () => {
    const ends = await admin.fetchTopicOffsets(topic).catch(() => []);
    return ends.length === numPartitions ? ends : null;
  }, 30_000);
}
