import type { AbortedTransactions } from "./aborted";
import type { FetchedBatch, TopicPartition } from "./log-reader";
import type { LogRecord } from "./record";
import type { RecordBatch } from "./record-batch";
import { RecordCursor } from "./record-cursor";

/**
 * A batch with what a reader of offsets from `wanted.from` to before `wanted.to` gets of it. `transactions` as the same answer
 * listed them, null for a reader of uncommitted records.
 */
export function fetchedBatch(
  batch: RecordBatch,
  at: TopicPartition,
  transactions: AbortedTransactions | null,
  wanted: { from: number; to: number },
): FetchedBatch {
  const aborted = transactions ? transactions.isAborted(batch) : null;
  const visible = !batch.control && aborted !== true;
  const from = Math.max(wanted.from, batch.baseOffset);
  const to = Math.min(wanted.to, batch.lastOffset + 1);
  const records = () => (visible ? takeRecords(batch, at, from, to) : []);
  return Object.assign(batch, { aborted, visible, from, to, records });
}

function takeRecords(batch: RecordBatch, at: TopicPartition, from: number, to: number): LogRecord[] {
  const cursor = new RecordCursor(at);
  cursor.open(batch);
  const records: LogRecord[] = [];
  while (cursor.next()) {
    if (cursor.offset >= to) break;
    if (cursor.offset >= from) records.push(cursor.record());
  }
  return records;
}
