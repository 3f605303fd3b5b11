import kafkajs from "kafkajs";
import { createTopic } from "@/lab/create-topic";
import type { Lab } from "@/lab/lab";
import { asAdmin } from "./as-admin";
import { eventually } from "./dashboard";
import type { Made } from "./duplicates-made";

const LARGE = 1024 * 1024;
let topics = 0;

/** What a test does to topics of two partitions whose records it made up. */
export function openMadeTopics(lab: Lab) {
  const exists = (topic: string) => asAdmin(lab, async (admin) => (await admin.listTopics()).includes(topic));
  return {
    /** Makes a topic with these records. */
    async made(records: readonly Made[], topic = `shop.public.faults_${topics++}`): Promise<string> {
      const configEntries = [{ name: "max.message.bytes", value: String(80 * LARGE) }];
      await asAdmin(lab, (admin) => createTopic(admin, { topic, numPartitions: 2, configEntries }));
      await write(lab, topic, records);
      return topic;
    },
    /** Deletes it, until it is gone. */
    async remove(topic: string): Promise<void> {
      await asAdmin(lab, (admin) => admin.deleteTopics({ topics: [topic] }));
      await eventually(`${topic} is gone`, 15_000, async () => !(await exists(topic)));
    },
    /** Deletes what lies before this offset of partition 0, as retention does. */
    cut: (topic: string, offset: number) =>
      asAdmin(lab, async (admin) => {
        await admin.fetchTopicOffsets(topic); // it deletes from topics only that it has met
        await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: String(offset) }] });
      }),
  };
}

async function write(lab: Lab, topic: string, records: readonly Made[]): Promise<void> {
  const producer = lab.kafka().producer({
    allowAutoTopicCreation: false,
    createPartitioner: kafkajs.Partitioners.LegacyPartitioner,
  });
  await producer.connect();
  try {
    for (const messages of batches(records)) await producer.send({ topic, acks: -1, messages });
  } finally {
    await producer.disconnect();
  }
}

/** Of ten records of one partition, large ones alone. */
function batches(records: readonly Made[]) {
  const all: ReturnType<typeof message>[][] = [];
  for (const one of records) {
    const last = all.at(-1);
    const fits = last && last.length < 10 && last[0]?.partition === one.partition;
    if (fits && Math.max(one.value.length, last[0]?.value.length ?? 0) < LARGE) last.push(message(one));
    else all.push([message(one)]);
  }
  return all;
}

const message = ({ partition, key, value, run, timestamp }: Made) => ({
  partition,
  key,
  value,
  timestamp: String(timestamp),
  headers: run === null ? {} : headers(run),
});
const headers = (run: string) => ({
  "__debezium.context.runId": run,
  "__debezium.context.connectorLogicalName": "shop",
  "__debezium.context.taskId": "0",
  "__debezium.context.connectorName": "postgresql",
});
