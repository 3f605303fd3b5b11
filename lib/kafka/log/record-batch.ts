/**
 * Compression of a record batch, by the three low bits of its attributes. Kafka gives 0 to 4 a meaning; the others keep
 * their number, so that a batch tells its facts even where its records cannot be read.
 */
export type Codec = "none" | "gzip" | "snappy" | "lz4" | "zstd" | "codec 5" | "codec 6" | "codec 7";

/**
 * One record batch (message format 2, Kafka 0.11+) as it lies in the log, its checksum verified: what its header tells
 * and consumers hide. Source: org.apache.kafka.common.record.DefaultRecordBatch.
 */
export interface RecordBatch {
  /** Offsets are whole numbers below 2^53. Neither this nor the epoch is under the checksum. */
  baseOffset: number;
  /** Offset of the last record it was written with; compaction may have removed that record. */
  lastOffset: number;
  /** Epoch of the leader that appended it; it falls when a topic was deleted and made again. -1: none told. */
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
  /** -1 without an idempotent or transactional producer. */
  baseSequence: number;
  /** Records still in it; 0 when compaction removed them all and kept the header for the producer's sequence. */
  count: number;
  /**
   * Milliseconds since 1970, -1 for none: what the records' own timestamps are counted from. Not the time of the first
   * record where `deleteHorizon` is set, nor where the batch is empty.
   */
  baseTimestamp: number;
  /** Milliseconds since 1970, -1 for none. The time of every record where `timestamps` is `append`. */
  maxTimestamp: number;
  /** When compaction may drop tombstones and markers from this batch (KIP-534), milliseconds since 1970. Null: not decided. */
  deleteHorizon: number | null;
  /** Its size in the log, header included. */
  bytes: number;
  /** The records, still compressed: a view of the fetched answer. */
  body: Buffer;
}
