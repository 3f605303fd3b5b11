import type { DeliveredRecord } from "@/lib/debezium/events/delivered-record";
import { nameFall } from "@/lib/measure/duplicates/fall-names";
import type { Reached } from "@/lib/measure/duplicates/marks";
import type { RunPart } from "@/lib/measure/duplicates/run-parts";
import type { Fall } from "@/lib/observed/duplicates";
import type { WriterLog } from "./writer-log";

/**
 * Names a fall of positions, by the record where they fall and the highest one before it, where that is still there.
 * @throws LogReadError, RecordsGone, NothingNear
 */
export async function fallOf(
  log: WriterLog,
  topic: string,
  { record, before, part }: { record: DeliveredRecord; before: Reached; part: RunPart },
): Promise<Fall> {
  const { reader } = log;
  const { writer, lane } = record;
  const there =
    before.offset < reader.earliest
      ? null
      : await reader.first(before.offset, before.offset + 1, ({ kind }) => kind === "change");
  const isRow = (one: DeliveredRecord) => one.kind === "snapshot" && log.belongs(one);
  return nameFall({
    topic,
    record,
    before: there ?? { writer, lane, position: before.position, positionText: null },
    snapshotBetween: (await reader.first(part.first, record.offset, isRow)) !== null,
  });
}
