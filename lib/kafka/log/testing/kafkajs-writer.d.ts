// The parts of kafkajs 2.2.4 that write batches, below its public API.

declare module "kafkajs/src/utils/long.js" {
  const Long: { fromValue(value: number | string): object };
  export = Long;
}

declare module "kafkajs/src/protocol/recordBatch/record/v0/index.js" {
  /** Gives an encoder of kafkajs's. */
  function writeRecord(record: {
    offsetDelta: number;
    timestampDelta: number;
    key: Buffer | null;
    value: Buffer | null;
    headers: Record<string, Buffer | Buffer[]>;
  }): object;
  export = writeRecord;
}

declare module "kafkajs/src/protocol/recordBatch/v0/index.js" {
  const writer: {
    RecordBatch(batch: {
      compression: number;
      transactional: boolean;
      firstOffset: object;
      firstTimestamp: number;
      maxTimestamp: number;
      lastOffsetDelta: number;
      producerId: object;
      producerEpoch: number;
      firstSequence: number;
      records: object[];
    }): Promise<{ buffer: Buffer }>;
  };
  export = writer;
}
