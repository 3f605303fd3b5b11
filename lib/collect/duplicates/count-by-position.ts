import type { WalkedReplay } from "@/lib/measure/duplicates/open-replay";
import type { RunPart } from "@/lib/measure/duplicates/run-parts";
import type { LaneStart } from "./lane-start";
import type { WriterLog } from "./writer-log";

/**
 * A replay that is too large to be read from both sides: what of the run stands not above all that was reached, found by
 * bisection. All offsets between count, tombstones and others' records too: at most so many came again. Null: none.
 * @throws LogReadError, RecordsGone, NothingNear
 */
export async function countByPosition(
  log: WriterLog,
  part: RunPart,
  before: readonly RunPart[],
  lanes: readonly LaneStart[],
): Promise<WalkedReplay | null> {
  const [start] = lanes;
  if (!start) return null;
  const { first, lane, marks } = start;
  const end = await log.firstAbove(part, lane, first, marks);
  const last = (await log.reader.last(first.offset, end, log.changeOf(part, lane))) ?? first;
  const [origin] = start.stretches;
  return {
    partition: first.partition,
    firstOffset: first.offset,
    lastOffset: last.offset,
    count: last.offset - first.offset + 1,
    bound: "at-most",
    firstPosition: first.positionText,
    lastPosition: last.positionText,
    firstCopyOf: start.lostBelow === null ? (origin?.from ?? null) : null,
    lastCopyOf: null,
    runBefore: before.at(-1)?.runId ?? null,
    runAfter: part.runId,
    writer: first.writer,
    at: isoTime(first.timestamp),
    until: isoTime(last.timestamp),
    causeInLog: null,
  };
}

function isoTime(millis: number): string {
  return new Date(Math.max(0, millis)).toISOString();
}
