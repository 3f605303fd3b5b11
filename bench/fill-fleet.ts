import kafkajs from "kafkajs";
import { type FleetSpec, RECORDS, recordTime, sourcePartition, storedOffset } from "./fleet-spec";

const TOPICS_AT_ONCE = 200;

/** Makes the topics of a fleet, their records and its offset topic, as Connect's workers write it. */
export async function fillFleet(brokers: string[], spec: FleetSpec, base: number): Promise<void> {
  const kafka = new kafkajs.Kafka({ brokers, logLevel: kafkajs.logLevel.NOTHING, requestTimeout: 60_000 });
  const [admin, producer] = [kafka.admin(), kafka.producer({ allowAutoTopicCreation: false })];
  await Promise.all([admin.connect(), producer.connect()]);
  try {
    await admin.createTopics({
      topics: [
        {
          topic: spec.offsetTopic ?? "",
          numPartitions: 25,
          replicationFactor: 1,
          configEntries: [{ name: "cleanup.policy", value: "compact" }],
        },
      ],
    });
    const topics = spec.connectors.flatMap((c) => c.topics);
    const messages = Array.from({ length: RECORDS }, (_, i) => ({
      partition: 0,
      value: `{"n":${i}}`,
      timestamp: String(recordTime(base, i)),
    }));
    for (let i = 0; i < topics.length; i += TOPICS_AT_ONCE) {
      const some = topics.slice(i, i + TOPICS_AT_ONCE);
      await admin.createTopics({
        topics: some.map((topic) => ({ topic, numPartitions: 1, replicationFactor: 1 })),
        timeout: 60_000,
      });
      await producer.sendBatch({ topicMessages: some.map((topic) => ({ topic, messages })), acks: 1 });
    }
    await producer.send({
      topic: spec.offsetTopic ?? "",
      acks: 1,
      messages: spec.connectors.map((connector) => ({
        key: `["${connector.name}",${sourcePartition(connector.name)}]`,
        value: storedOffset(connector),
        timestamp: String(connector.committedAt),
      })),
    });
  } finally {
    await Promise.all([producer.disconnect(), admin.disconnect()]);
  }
}
