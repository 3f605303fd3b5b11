import { RunIds, runIdHeader } from "@/lib/debezium/events/run-context";
import {
  type FetchedBatch,
  type Isolation,
  LogReadError,
  type LogReader,
  type TopicPartition,
} from "@/lib/kafka/log/log-reader";
import { RecordCursor } from "@/lib/kafka/log/record-cursor";
import type { Look } from "@/lib/observed/observation";

/** What the newest batch of data in a partition says of who wrote it. */
export interface NewestBatch {
  transactional: boolean;
  /** Of its last record that bears one (tombstones do not); null: none does. */
  runId: string | null;
  /** By the newest record's timestamp, milliseconds since 1970; -1: it carries none. */
  at: number;
  bytesPerRecord: number;
  /** Whether the broker's time stands on it. */
  appendTime: boolean;
}

/** Markers and aborted batches behind the newest data, which are looked past. */
const lookedPast = 32;
/** One fetch: a batch comes whole, however large. */
const FETCH_BYTES = 64 * 1024;

/** Reads the last batch of data before `end`; null where the last offsets hold none. */
export async function newestBatch(
  log: LogReader,
  partition: TopicPartition & { end: number },
  isolation: Isolation,
  signal?: AbortSignal,
): Promise<Look<NewestBatch | null>> {
  const { topic, end } = partition;
  let newest: NewestBatch | null = null;
  try {
    const range = { topic, partition: partition.partition, from: Math.max(0, end - lookedPast), to: end };
    for await (const batch of log.read({
      ...range,
      isolation,
      fetchBytes: FETCH_BYTES,
      maxBytes: FETCH_BYTES * 4,
      signal,
    }))
      if (!batch.control && batch.visible && batch.count > 0) newest = factsOf(batch, partition);
    return { value: newest };
  } catch (error) {
    if (error instanceof LogReadError) return { failure: error.failure };
    throw error;
  }
}

function factsOf(batch: FetchedBatch, at: TopicPartition): NewestBatch {
  const cursor = new RecordCursor(at);
  const runIds = new RunIds();
  let runId: string | null = null;
  cursor.open(batch);
  while (cursor.next()) {
    if (cursor.findHeader(runIdHeader))
      runId = runIds.read(cursor.bytes, cursor.headerStart, cursor.headerEnd) ?? runId;
  }
  return {
    transactional: batch.transactional,
    runId,
    at: batch.maxTimestamp,
    bytesPerRecord: batch.bytes / batch.count,
    appendTime: batch.timestamps === "append",
  };
}
