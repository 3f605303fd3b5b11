// What a person would write to find any duplicate: kafkajs's consumer, JSON.parse, and a Set of what was seen.
import { randomUUID } from "node:crypto";
import kafkajs from "kafkajs";
import lz4 from "lz4-napi";
import { type Finding, measured } from "./measured";

const [broker = "", topic = "", events = ""] = process.argv.slice(2);
const { Kafka, CompressionTypes, CompressionCodecs, logLevel } = kafkajs;
CompressionCodecs[CompressionTypes.LZ4] = () => ({
  compress: async (encoder: { buffer: Buffer }) => lz4.compressFrameSync(encoder.buffer),
  decompress: async (buffer: Buffer) => lz4.decompressFrameSync(buffer),
});

interface Event {
  op: string;
  source: { txId: number; lsn: number };
}

const kafka = new Kafka({ brokers: [broker], logLevel: logLevel.NOTHING });
const consumer = kafka.consumer({
  groupId: `bench-${randomUUID()}`,
  allowAutoTopicCreation: false,
  readUncommitted: true,
  maxBytesPerPartition: 8 << 20,
  maxWaitTimeInMs: 50,
});
await consumer.connect();
await consumer.subscribe({ topics: [topic], fromBeginning: true });

await measured(
  () =>
    new Promise<Finding>((resolve, reject) => {
      const seen = new Set<string>();
      let read = 0;
      consumer
        .run({
          autoCommit: false,
          eachBatch: async ({ batch }) => {
            for (const message of batch.messages) {
              const parsed = JSON.parse(message.value?.toString() ?? "null") as Event & { payload?: Event };
              const { op, source } = parsed.payload ?? parsed;
              seen.add(`${source.txId} ${source.lsn} ${message.key?.toString()} ${op}`);
              read += 1;
            }
            if (read >= Number(events)) resolve({ events: read, duplicates: read - seen.size });
          },
        })
        .catch(reject);
    }),
);
await consumer.disconnect();
