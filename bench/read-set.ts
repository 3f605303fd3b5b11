// What a person would write to find any duplicate: kafkajs's consumer, JSON.parse, and a Set of what was seen.
import { randomUUID } from "node:crypto";
import kafkajs from "kafkajs";
import lz4 from "lz4-napi";
import { type Finding, measured } from "./measured";
import { identityLine, sumOf } from "./replays";

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
      const again: string[] = [];
      let read = 0;
      consumer
        .run({
          autoCommit: false,
          eachBatch: async ({ batch }) => {
            for (const message of batch.messages) {
              const parsed = JSON.parse(message.value?.toString() ?? "null") as Event & { payload?: Event };
              const event = parsed.payload ?? parsed;
              const { op, source } = event;
              const key = message.key?.toString() ?? "{}";
              const before = seen.size;
              seen.add(`${source.txId} ${source.lsn} ${key} ${op}`);
              if (seen.size === before) again.push(identityLine(event, JSON.parse(key)));
              read += 1;
            }
            if (read >= Number(events))
              resolve({ events: read, duplicates: again.length, identities: sumOf(again) });
          },
        })
        .catch(reject);
    }),
);
await consumer.disconnect();
