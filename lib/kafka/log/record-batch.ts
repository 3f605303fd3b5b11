/** Compression of a record batch, by the three low bits of its attributes (0 to 4). */
export type Codec = "none" | "gzip" | "snappy" | "lz4" | "zstd";

/**
 * One record batch (message format 2, Kafka 0.11+) as it lies in the log, its checksum verified: what its header tells
 * and consumers hide.
 */
export interface RecordBatch {
  /** Offsets are whole numbers below 2^53. */
  baseOffset: number;
  /** Offset of the last record it was written with; compaction may have removed that record. */
  lastOffset: number;
  /** Epoch of the leader that appended it; it falls when a topic was deleted and made again. */
  leaderEpoch: number;
  codec: Codec;
  /** `create`: the producer's clock. `append`: the broker's (message.timestamp.type=LogAppendTime). */
  timestamps: "create" | "append";
  transactional: boolean;
  /** Holds a transaction marker instead of records. */
  control: boolean;
  /** Null without an idempotent or transactional producer. */
  producerId: bigint | null;
  producerEpoch: number;
  baseSequence: number;
  /** Records still in it. */
  count: number;
  /** Milliseconds since 1970. */
  baseTimestamp: number;
  maxTimestamp: number;
  /** Its size in the log, header included. */
  bytes: number;
  /** The records, still compressed. */
  body: Buffer;
}
