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
  /** The run of the task that wrote it, by Debezium's header; null where there is none. */
  run: string | null;
}

/** Reads topics from their beginning, as a consumer with read_committed; in a group of its own that goes at the end. */
export interface TopicReader {
  /**
   * Reads up to what is committed now.
   * @returns for each "topic/partition" that holds something the offset before which all was read
   * @throws LabFault when 30 s bring nothing
   */
  readToEnd(): Promise<Map<string, bigint>>;
  close(): Promise<void>;
}

const RUN_ID = "__debezium.context.runId";
const STALLED_MS = 30_000;

/**
 * Opens a reader of topics that exist; creates none. `from` has for a "topic/partition" the first offset wanted;
 * "end": only what is written from now on.
 * @throws LabFault when one does not exist
 */
export async function openReader(
  lab: Lab,
  topics: readonly string[],
  each: (record: TopicRecord) => void,
  wanted: ReadonlyMap<string, bigint> | "end" = new Map(),
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

  async function ends(): Promise<Map<string, bigint>> {
    const found = new Map<string, bigint>();
    for (const topic of topics) {
      for (const { partition, low, high } of await admin.fetchTopicOffsets(topic)) {
        if (BigInt(high) > BigInt(low)) found.set(`${topic}/${partition}`, BigInt(high));
      }
    }
    return found;
  }

  const from = wanted === "end" ? await ends() : wanted;
  const groupId = `tidemark-lab-truth-${randomUUID()}`;
  const consumer = kafka.consumer({
    groupId,
    allowAutoTopicCreation: false,
    readUncommitted: false,
    maxWaitTimeInMs: 200,
    maxBytesPerPartition: 4 << 20,
  });
  const reached = new Map(from);
  let progressed = Date.now();
  let crash: Error | undefined;
  consumer.on(consumer.events.CRASH, ({ payload }) => {
    if (!payload.restart) crash = payload.error;
  });
  // Also told of batches that hold only transaction markers or aborted records, which no handler ever sees.
  consumer.on(consumer.events.END_BATCH_PROCESS, ({ payload }) => {
    const at = `${payload.topic}/${payload.partition}`;
    // One that was fetched before the seek took hold tells nothing.
    const next = payload.lastOffset === null ? 0n : BigInt(payload.lastOffset) + 1n;
    if (next > (reached.get(at) ?? 0n)) reached.set(at, next);
    progressed = Date.now();
  });
  await consumer.connect();
  await consumer.subscribe({ topics: [...topics], fromBeginning: true });
  await consumer.run({
    autoCommit: false,
    eachBatch: async ({ batch }) => {
      const first = from.get(`${batch.topic}/${batch.partition}`) ?? 0n;
      for (const message of batch.messages) {
        if (BigInt(message.offset) < first) continue;
        each({
          topic: batch.topic,
          partition: batch.partition,
          offset: message.offset,
          key: message.key?.toString() ?? null,
          value: message.value?.toString() ?? null,
          run: message.headers?.[RUN_ID]?.toString() ?? null,
        });
      }
    },
  });

  for (const [at, offset] of from) {
    const slash = at.lastIndexOf("/");
    consumer.seek({
      topic: at.slice(0, slash),
      partition: Number(at.slice(slash + 1)),
      offset: String(offset),
    });
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
      return goal;
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
