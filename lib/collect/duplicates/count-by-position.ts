import type { WalkedReplay } from "@/lib/measure/duplicates/open-replay";
import type { RunPart } from "@/lib/measure/duplicates/run-parts";
import { recordTime } from "@/lib/observed/record-time";
import type { LaneStart } from "./lane-start";
import type { WriterLog } from "./writer-log";

/** What a run produced again, and the offset from which on it did not: where what was looked at ends, it may go on. */
export interface CountedByPosition {
  replay: WalkedReplay | null;
  to: number;
}

/**
 * A replay that is too large to be read from both sides: what of the run stands not above all that was reached, found by
 * bisection. All offsets between count, tombstones and others' records too: at most so many came again.
 * @param part up to where its run may have written
 * @param countFrom what lies before this offset does not count
 * @throws LogReadError, RecordsGone, NothingNear
 */
export async function countByPosition(
  log: WriterLog,
  part: RunPart,
  before: readonly RunPart[],
  lanes: readonly LaneStart[],
  countFrom: number,
): Promise<CountedByPosition> {
  let to = part.first;
  for (const { lane, first, marks } of lanes)
    to = Math.max(to, await log.firstAbove(part, lane, first, marks));
  const [begun] = [...lanes].sort((a, b) => a.first.offset - b.first.offset);
  const cut = begun !== undefined && begun.first.offset < countFrom;
  const first = cut ? await log.reader.first(countFrom, to, log.changeOf(part)) : begun?.first;
  if (!begun || !first || to <= first.offset) return { replay: null, to };
  const last = (await log.lastChange(part, first.offset, to)) ?? first;
  const [origin] = begun.stretches;
  return {
    to,
    replay: {
      partition: first.partition,
      firstOffset: first.offset,
      lastOffset: last.offset,
      count: last.offset - first.offset + 1,
      bound: "at-most",
      firstPosition: first.positionText,
      lastPosition: last.positionText,
      firstCopyOf: begun.lostBelow === null && !cut ? (origin?.from ?? null) : null,
      lastCopyOf: null,
      runBefore: before.findLast(({ runId }) => runId !== part.runId)?.runId ?? null,
      runAfter: part.runId,
      writer: first.writer,
      at: recordTime(first.timestamp),
      until: recordTime(last.timestamp),
      causeInLog: null,
    },
  };
}
