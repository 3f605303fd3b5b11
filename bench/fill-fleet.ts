import { setTimeout as sleep } from "node:timers/promises";
import kafkajs from "kafkajs";
import { openKafka } from "@/lib/kafka/connection";
import { openLogReader } from "@/lib/kafka/log/open-log-reader";
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
    const pieces = Array.from({ length: Math.ceil(topics.length / TOPICS_AT_ONCE) }, (_, i) =>
      topics.slice(i * TOPICS_AT_ONCE, (i + 1) * TOPICS_AT_ONCE),
    );
    for (const some of pieces)
      await admin.createTopics({
        topics: some.map((topic) => ({ topic, numPartitions: 1, replicationFactor: 1 })),
        timeout: 60_000,
        waitForLeaders: false,
      });
    // kafkajs sends a whole batch again where one leader is not ready: then records would be there twice.
    await expectEnds(brokers, topics, 0);
    for (const some of pieces)
      await producer.sendBatch({ topicMessages: some.map((topic) => ({ topic, messages })), acks: 1 });
    await expectEnds(brokers, topics, RECORDS);
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

/** Waits until all leaders answer. @throws Error where a partition holds another number of records */
async function expectEnds(brokers: string[], topics: readonly string[], end: number): Promise<void> {
  const kafka = openKafka({
    name: "bench",
    connect: { urls: ["http://127.0.0.1"] },
    kafka: { brokers, tls: false },
  });
  const partitions = topics.map((topic) => ({ topic, partition: 0 }));
  try {
    for (let tries = 60; ; tries--) {
      const ends = await openLogReader(kafka).ends(partitions, "latest");
      const wrong = ends.findIndex((one) => one !== end);
      if (wrong < 0) return;
      // A broker may not have heard yet of a topic that was just made.
      if (tries === 0 || typeof ends[wrong] === "number")
        throw new Error(`${topics[wrong]} ends at ${JSON.stringify(ends[wrong])} and not at ${end}`);
      await sleep(1_000);
    }
  } finally {
    await kafka.close();
  }
}
