import type { TopicPartition } from "./log-reader";
import type { RecordBatch } from "./record-batch";
import { unreadable } from "./unreadable";

/** The records of a batch, uncompressed; a batch that is not compressed is not copied. @throws LogReadError */
export function uncompress(batch: RecordBatch, at: TopicPartition): Buffer {
  if (batch.codec === "none") return batch.body;
  throw unreadable(at, batch.baseOffset, "not-supported", `cannot read (${batch.codec})`, null);
}
