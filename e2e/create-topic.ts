import type { Admin, ITopicConfig } from "kafkajs";
import { eventually } from "./dashboard";

/** Makes a topic, and waits for its leaders: kafkajs's own wait fails where a busy broker does not know of a new topic yet. */
export async function createTopic(admin: Admin, config: ITopicConfig): Promise<void> {
  const { topic } = config;
  await admin.createTopics({ topics: [config], waitForLeaders: false });
  await eventually(`${topic} has leaders`, 30_000, async () => {
    const [known] = (await admin.fetchTopicMetadata({ topics: [topic] })).topics;
    const partitions = known?.partitions ?? [];
    return partitions.length > 0 && partitions.every(({ leader }) => leader >= 0);
  });
}
