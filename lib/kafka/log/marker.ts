import type { TopicPartition } from "./log-reader";
import type { RecordBatch } from "./record-batch";
import { readRecords } from "./record-cursor";
import { damaged } from "./unreadable";

/** What a control batch says: the end of a transaction in this partition, or something that only brokers look at. */
export interface Marker {
  type: "commit" | "abort" | "other";
  producerId: bigint | null;
  producerEpoch: number;
  offset: number;
  /** Milliseconds since 1970, by the broker's clock. */
  timestamp: number;
}

/** The marker of a control batch (ControlRecordType.java); null when compaction emptied it. @throws LogReadError */
export function readMarker(batch: RecordBatch, at: TopicPartition): Marker | null {
  const record = readRecords(batch, at)[0];
  if (record === undefined) return null;
  const { key, offset, timestamp } = record;
  if (key === null || key.length < 4) throw damaged(at, offset, "a transaction marker has no type");
  const type = key.readInt16BE(2); // after the version of this form
  return {
    type: type === 0 ? "abort" : type === 1 ? "commit" : "other",
    producerId: batch.producerId,
    producerEpoch: batch.producerEpoch,
    offset,
    timestamp,
  };
}
