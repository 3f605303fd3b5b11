import type { DeliveredRecord } from "@/lib/debezium/events/delivered-record";
import type { PartitionReader } from "./partition-reader";

const MOST_BYTES = 8 * 1024 * 1024;

/** What was aborted right before an offset, back to the record before that was delivered; at most some MiB. @throws LogReadError, RecordsGone */
export async function abortedBefore(reader: PartitionReader, to: number): Promise<DeliveredRecord[]> {
  const from = reader.earliest;
  const found: DeliveredRecord[] = [];
  const start = reader.bytes;
  let top = to;
  for (let size = 64; top > from && reader.bytes - start <= MOST_BYTES; size *= 4) {
    const bottom = Math.max(from, top - size);
    const aborted: DeliveredRecord[] = [];
    let delivered = false;
    const take = () => {
      delivered = true;
      aborted.length = 0;
    };
    await reader.walk(bottom, top, MOST_BYTES, take, { aborted: (record) => aborted.push(record) });
    found.push(...aborted);
    if (delivered) break;
    top = bottom;
  }
  return found;
}
