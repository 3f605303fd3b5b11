// What a person would use instead: kafkajs's consumer and JSON.parse.
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
  source: { sequence: string };
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
      let [read, duplicates, highestCommit, highestLsn] = [0, 0, -1, -1];
      consumer
        .run({
          autoCommit: false,
          eachBatch: async ({ batch }) => {
            for (const message of batch.messages) {
              const parsed = JSON.parse(message.value?.toString() ?? "null") as Event & { payload?: Event };
              const [commit, lsn] = JSON.parse((parsed.payload ?? parsed).source.sequence).map(Number);
              read += 1;
              if (commit > highestCommit || (commit === highestCommit && lsn > highestLsn))
                [highestCommit, highestLsn] = [commit, lsn];
              else duplicates += 1;
            }
            if (read >= Number(events)) resolve({ events: read, duplicates });
          },
        })
        .catch(reject);
    }),
);
await consumer.disconnect();
