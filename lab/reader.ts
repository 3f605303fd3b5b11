import { randomUUID } from "node:crypto";
import { kafkaClient } from "./broker";
import { LabFault, sayError } from "./fault";
import type { Lab } from "./lab";

/** One committed record. */
export interface TopicRecord {
  topic: string;
  partition: number;
  offset: string;
  key: string | null;
  value: string | null;
}

/** Reads topics from their beginning, as a consumer with read_committed; in a group of its own that goes at the end. */
export interface TopicReader {
  /** Reads up to what is committed now. @throws LabFault when 30 s bring nothing */
  readToEnd(): Promise<void>;
  close(): Promise<void>;
}

const STALLED_MS = 30_000;

/**
 * Opens a reader of topics that exist; creates none.
 * @throws LabFault when one does not exist
 */
export async function openReader(
  lab: Lab,
  topics: readonly string[],
  each: (record: TopicRecord) => void,
): Promise<TopicReader> {
  const kafka = kafkaClient(lab.places);
  const admin = kafka.admin();
  await admin.connect();
  const known = new Set(await admin.listTopics());
  const lacking = topics.filter((topic) => !known.has(topic));
  if (lacking.length > 0) {
    await admin.disconnect();
    throw new LabFault(`There is no topic ${lacking.join(", ")}.`);
  }

  const groupId = `tidemark-lab-truth-${randomUUID()}`;
  const consumer = kafka.consumer({
    groupId,
    allowAutoTopicCreation: false,
    readUncommitted: false,
    maxWaitTimeInMs: 200,
    maxBytesPerPartition: 4 << 20,
  });
  const reached = new Map<string, bigint>();
  let progressed = Date.now();
  let crash: Error | undefined;
  consumer.on(consumer.events.CRASH, ({ payload }) => {
    if (!payload.restart) crash = payload.error;
  });
  // Also told of batches that hold only transaction markers or aborted records, which no handler ever sees.
  consumer.on(consumer.events.END_BATCH_PROCESS, ({ payload }) => {
    if (payload.lastOffset !== null)
      reached.set(`${payload.topic}/${payload.partition}`, BigInt(payload.lastOffset) + 1n);
    progressed = Date.now();
  });
  await consumer.connect();
  await consumer.subscribe({ topics: [...topics], fromBeginning: true });
  await consumer.run({
    autoCommit: false,
    eachBatch: async ({ batch }) => {
      for (const message of batch.messages) {
        each({
          topic: batch.topic,
          partition: batch.partition,
          offset: message.offset,
          key: message.key?.toString() ?? null,
          value: message.value?.toString() ?? null,
        });
      }
    },
  });

  async function ends(): Promise<Map<string, bigint>> {
    const found = new Map<string, bigint>();
    for (const topic of topics) {
      for (const { partition, low, high } of await admin.fetchTopicOffsets(topic)) {
        if (BigInt(high) > BigInt(low)) found.set(`${topic}/${partition}`, BigInt(high));
      }
    }
    return found;
  }

  return {
    async readToEnd() {
      const goal = await ends();
      progressed = Date.now();
      const behind = () => [...goal].filter(([at, end]) => (reached.get(at) ?? 0n) < end).map(([at]) => at);
      while (behind().length > 0) {
        if (crash) throw new LabFault(`Reading ${topics.join(", ")} failed: ${crash.message}`);
        if (Date.now() - progressed > STALLED_MS) {
          throw new LabFault(`Nothing more came of ${behind().join(", ")} for ${STALLED_MS / 1_000} s.`);
        }
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    async close() {
      try {
        await consumer.disconnect();
        await admin.deleteGroups([groupId]);
      } catch (error) {
        // A group without members goes by itself after a while.
        if (process.env.DEBUG) console.error(`the group ${groupId} stays: ${sayError(error)}`);
      } finally {
        await admin.disconnect();
      }
    },
  };
}
