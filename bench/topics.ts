import kafkajs from "kafkajs";
import lz4 from "lz4-napi";
import { orderEvent, schemaHead } from "./events";

/** One topic of the comparison. */
export interface BenchTopic {
  name: string;
  title: string;
  schemas: boolean;
  codec: "none" | "lz4";
  /** Events in one batch. */
  batch: number;
}

export const benchTopics: readonly BenchTopic[] = [
  {
    name: "bench.plain",
    title: "0.65 kB, no schemas",
    schemas: false,
    codec: "none",
    batch: 1_000,
  },
  {
    name: "bench.schemas",
    title: "3.4 kB, with schemas",
    schemas: true,
    codec: "none",
    batch: 200,
  },
  {
    name: "bench.lz4",
    title: "0.65 kB, lz4 in batches of 16 kB",
    schemas: false,
    codec: "lz4",
    batch: 25,
  },
];

/** Where the source is sent again, and how many events: the truth that each reader has to find. */
const replays = [
  { at: 0.2, events: 4_100 },
  { at: 0.45, events: 12_345 },
  { at: 0.7, events: 333 },
  { at: 0.9, events: 20 },
];

/** How many events of a topic of this size are duplicates. */
export function duplicatesAmong(events: number): number {
  return replays.reduce((sum, replay) => sum + (replay.at * events > replay.events ? replay.events : 0), 0);
}

/** The change numbers in the order of the topic: rising, set back at each replay. */
function* changes(events: number): Generator<number> {
  const left = replays.filter((replay) => replay.at * events > replay.events);
  let change = 0;
  for (let written = 0; written < events; written++) {
    const [next] = left;
    if (next && written >= next.at * events) {
      change -= next.events;
      left.shift();
    }
    yield change++;
  }
}

/** Makes the topic of one partition and fills it, batches of a fixed size. */
export async function fillTopic(brokers: string[], topic: BenchTopic, events: number): Promise<void> {
  const { Kafka, CompressionTypes, CompressionCodecs, logLevel } = kafkajs;
  CompressionCodecs[CompressionTypes.LZ4] = () => ({
    compress: async (encoder: { buffer: Buffer }) => lz4.compressFrameSync(encoder.buffer),
    decompress: async (buffer: Buffer) => lz4.decompressFrameSync(buffer),
  });
  const kafka = new Kafka({ brokers, logLevel: logLevel.NOTHING });
  const [admin, producer] = [kafka.admin(), kafka.producer({ allowAutoTopicCreation: false })];
  await Promise.all([admin.connect(), producer.connect()]);
  await admin.createTopics({ topics: [{ topic: topic.name, numPartitions: 1, replicationFactor: 1 }] });
  const compression = topic.codec === "lz4" ? CompressionTypes.LZ4 : CompressionTypes.None;
  let messages: kafkajs.Message[] = [];
  let last: Promise<unknown> = Promise.resolve();
  for (const change of changes(events)) {
    const { key, value } = orderEvent(change);
    messages.push({ key, value: topic.schemas ? `${schemaHead}${value}}` : value, partition: 0 });
    if (messages.length < topic.batch) continue;
    // One batch is under way while the next is made; two could change places.
    await last;
    last = producer.send({ topic: topic.name, messages, acks: 1, compression });
    messages = [];
  }
  await last;
  if (messages.length > 0) await producer.send({ topic: topic.name, messages, acks: 1, compression });
  await Promise.all([producer.disconnect(), admin.disconnect()]);
}
