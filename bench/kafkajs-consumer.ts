import { randomUUID } from "node:crypto";
import kafkajs, { type KafkaMessage } from "kafkajs";
import lz4 from "lz4-napi";

const { Kafka, CompressionTypes, CompressionCodecs, logLevel } = kafkajs;
CompressionCodecs[CompressionTypes.LZ4] = () => ({
  compress: async (encoder: { buffer: Buffer }) => lz4.compressFrameSync(encoder.buffer),
  decompress: async (buffer: Buffer) => lz4.decompressFrameSync(buffer),
});

/** kafkajs's consumer at the start of a topic, as a person would write it. Joining its group is not part of what is measured. */
export async function openConsumer(broker: string, topic: string) {
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
  return {
    /** Gives every message to `take` until so many were read. */
    read: (events: number, take: (message: KafkaMessage) => void) =>
      new Promise<number>((resolve, reject) => {
        let read = 0;
        consumer
          .run({
            autoCommit: false,
            eachBatch: async ({ batch }) => {
              for (const message of batch.messages) take(message);
              read += batch.messages.length;
              if (read >= events) resolve(read);
            },
          })
          .catch(reject);
      }),
    close: () => consumer.disconnect(),
  };
}
