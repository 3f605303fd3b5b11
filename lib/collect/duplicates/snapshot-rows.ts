import type { DeliveredRecord } from "@/lib/debezium/events/delivered-record";
import type { RunPart } from "@/lib/measure/duplicates/run-parts";
import { firstWhere, firstWhereBack } from "@/lib/measure/duplicates/run-steps";
import type { Pass } from "./partition-reader";
import type { WriterLog } from "./writer-log";

/**
 * Rows that one snapshot read are passed over without being read, however many there are. All rows of an initial or a blocking
 * snapshot tell the same place of the source, and nothing is streamed meanwhile: between two rows of one run at the same place lies
 * no change of it. Those of an incremental one are read: changes come between them, of another database at the same place too.
 */
const sameSnapshot = (row: DeliveredRecord) => (record: DeliveredRecord) =>
  record.snapshot === "initial" && record.runId === row.runId && record.positionText === row.positionText;

const isRow = (record: DeliveredRecord | null): record is DeliveredRecord =>
  record !== null && record.snapshot === "initial" && record.positionText !== null;

/** For a search back to `from` for changes of a part. */
export function passBackward(log: WriterLog, part: RunPart, from: number): Pass {
  const wanted = log.ofRun(part);
  const probe = (a: number, b: number) => log.reader.first(a, b, wanted);
  return async (at) => {
    const row = await probe(at, part.end);
    if (!isRow(row)) return at;
    const begin = await firstWhereBack(from, row, probe, sameSnapshot(row));
    return Math.min(at, begin.offset);
  };
}

/** For a search on from `from` to the end of a part for its changes. */
export function passForward(log: WriterLog, part: RunPart, from: number): Pass {
  const wanted = log.ofRun(part);
  const probe = (a: number, b: number) => log.reader.first(a, b, wanted);
  return async (at) => {
    const row = await log.reader.last(from, at, wanted);
    if (!isRow(row)) return at;
    const isSame = sameSnapshot(row);
    let low: { offset: number } = row;
    for (let step = 64; ; step *= 4) {
      const place = Math.min(part.end, low.offset + step);
      const there: DeliveredRecord | null = place < part.end ? await probe(place, part.end) : null;
      if (there !== null && isSame(there)) {
        low = there;
        continue;
      }
      const high = { offset: there?.offset ?? part.end };
      const end = await firstWhere<{ offset: number }>(
        low,
        high,
        probe,
        (one) => !isSame(one as DeliveredRecord),
      );
      return Math.max(at, end.offset);
    }
  };
}
