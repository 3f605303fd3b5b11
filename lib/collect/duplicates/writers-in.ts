import type { DeliveredRecord } from "@/lib/debezium/events/delivered-record";
import type { Carried } from "@/lib/measure/duplicates/carried";
import { NothingNear, type PartitionReader } from "./partition-reader";
import type { Unreadables } from "./unreadables";

const SAMPLES = 16;

/**
 * Who writes a partition, as far as samples and the look before tell: one that is seen is not told apart (null), several are.
 * @throws LogReadError, RecordsGone
 */
export async function writersIn(
  reader: PartitionReader,
  from: number,
  to: number,
  carried: Carried | null,
  unreadable: Unreadables,
): Promise<(string | null)[]> {
  const seen = new Set<string>();
  for (const { writer } of carried?.writers ?? []) if (writer !== null) seen.add(writer);
  const note = (record: DeliveredRecord | null) => {
    if (record?.kind === "unreadable") unreadable.record(record);
    if (record?.writer && record.kind !== "other") seen.add(record.writer);
  };
  const tells = ({ kind }: DeliveredRecord) => kind !== "tombstone" && kind !== "other";
  let last = -1;
  for (let i = 0; i < SAMPLES && from < to; i++) {
    const at = from + Math.floor(((to - from) * i) / SAMPLES);
    if (at <= last) continue;
    try {
      const record = await reader.first(at, to, tells);
      note(record);
      last = record?.offset ?? to;
    } catch (error) {
      if (!(error instanceof NothingNear)) throw error;
    }
  }
  return seen.size > 1 ? [...seen].sort() : [null];
}
