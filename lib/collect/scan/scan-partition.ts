import { deliveredReader } from "@/lib/collect/duplicates/delivered-reader";
import type { FetchedBatch, LogReader, ReadEnd } from "@/lib/kafka/log/log-reader";
import { RecordCursor } from "@/lib/kafka/log/record-cursor";
import type { SchemaRegistry } from "@/lib/kafka/registry";
import type { Samples } from "@/lib/measure/duplicates/samples";
import type { BytePace } from "./byte-pace";
import { type ScannedConnector, ScanRecords } from "./scan-records";

const FETCH_BYTES = 4 * 1024 * 1024;

export interface PartitionScan extends ScannedConnector {
  partition: number;
  topicId: string | null;
  /** First offset wanted, and the first not wanted. */
  from: number;
  to: number;
  registry: SchemaRegistry | null;
  pace: BytePace;
  /** Bytes a second that it keeps to; null: none. A fetch is no larger than that of one second. */
  maxBytesPerSecond: number | null;
  signal?: AbortSignal | undefined;
  /** After each batch: the next offset, and the bytes of the batch in the log. */
  passed: (next: number, bytes: number) => Promise<void> | null;
}

/**
 * Puts all records of a partition's range into its samples; records of aborted transactions apart. What retention removed
 * before it was read is told as such. @throws LogReadError
 */
export async function scanPartition(
  log: LogReader,
  samples: Samples,
  scan: PartitionScan,
): Promise<Pick<ReadEnd, "why" | "next">> {
  const { topic, partition, maxBytesPerSecond, pace, signal, passed } = scan;
  const at = { topic, partition };
  const cursor = new RecordCursor(at);
  const records = new ScanRecords(scan, cursor, samples, deliveredReader(at, scan));
  const reading = log.read({
    ...at,
    ...{ from: scan.from, to: scan.to, topicId: scan.topicId },
    isolation: "read_committed",
    keepsNothing: true,
    // At once: what is checkpointed behind it holds it too, and a read that fails tells nothing.
    onDeleted: (gap) => noteDeleted(samples, gap),
    fetchBytes: Math.max(65_536, Math.min(FETCH_BYTES, maxBytesPerSecond ?? FETCH_BYTES)),
    ...(signal ? { signal } : {}),
  });
  for (;;) {
    const step = await reading.next();
    if (step.done) return step.value;
    await takeBatch(step.value, cursor, records);
    const waited = passed(step.value.to, step.value.bytes);
    if (waited) await waited;
    if (maxBytesPerSecond !== null) await pace.took(step.value.bytes, signal);
  }
}

async function takeBatch(batch: FetchedBatch, cursor: RecordCursor, records: ScanRecords): Promise<void> {
  if (batch.control) return;
  cursor.open(batch);
  while (cursor.next()) {
    if (cursor.offset < batch.from) continue;
    if (cursor.offset >= batch.to) return;
    const reading = records.take(batch.aborted === true);
    // Not awaited where it need not be: many are read.
    if (reading) await reading;
  }
}

function noteDeleted(samples: Samples, { from, to }: ReadEnd["deleted"][number]): void {
  samples.unmeasurable(
    "deleted",
    "Retention removed records before they were read.",
    "Keep records for longer, or let the scan read more bytes a second.",
    to - from,
  );
}
