import { type DeliveredRecord, deliveredOrder } from "@/lib/debezium/events/delivered-record";
import { Marks, type Standing } from "@/lib/measure/duplicates/marks";
import type { RunPart } from "@/lib/measure/duplicates/run-parts";
import type { WriterLog } from "./writer-log";

/** Part of an earlier run that a later one can have produced again. */
export interface Stretch {
  part: RunPart;
  from: number;
  to: number;
}

/** How a run begins in one lane. */
export interface LaneStart {
  lane: string;
  first: DeliveredRecord;
  /** All that was reached before it. */
  marks: Marks;
  standing: Standing;
  /** What of earlier runs it can have produced again. */
  stretches: Stretch[];
  /** The run's last change, where it died before it passed what was reached: the stretches end where that stands. */
  upTo: DeliveredRecord | null;
  /** What lies behind them, up to what was reached: for a run that was not dead. */
  rests: Stretch[];
  /**
   * What was delivered and is no longer there, or lies before all that is known, stands before this; `all`: nothing of it is
   * there. Null: all of it is.
   */
  lostBelow: unknown | "all" | null;
}

/**
 * Compares where a run begins with all that was reached, and finds what of it lies behind that.
 * @param last the last part of the same run: two that write side by side take turns
 * @throws LogReadError, RecordsGone, NothingNear
 */
export async function laneStart(
  log: WriterLog,
  before: readonly RunPart[],
  last: RunPart,
  first: DeliveredRecord,
): Promise<LaneStart> {
  const { lane } = first;
  const marks = await log.marksOf(before, lane);
  const standing = marks.standing(first);
  const start: LaneStart = {
    lane,
    first,
    marks,
    standing,
    stretches: [],
    upTo: null,
    rests: [],
    lostBelow: null,
  };
  if (standing === "above") return start;
  start.upTo = await lastBelow(log, last, lane, marks);
  for (let i = before.length - 1; i >= 0; i--) {
    const earlier = before[i] as RunPart;
    // No run up to here had got as far as this one begins.
    if ((await log.marksOf(before.slice(0, i + 1), lane)).standing(first) === "above") break;
    await addStretch(log, start, earlier);
  }
  return start;
}

async function addStretch(log: WriterLog, start: LaneStart, earlier: RunPart): Promise<void> {
  const { lane, first, upTo } = start;
  const end = (await log.endsOf(earlier)).get(lane);
  if (!end || new Marks([end]).standing(first) === "above") return;
  const { earliest } = log.reader;
  const origin = await log.notBefore(earlier, lane, first);
  if (earlier.first < earliest || earlier.cut) {
    const order = deliveredOrder(first.type);
    if (origin === null) start.lostBelow = "all";
    else if (
      start.lostBelow === null ||
      (start.lostBelow !== "all" && order(origin.position, start.lostBelow).order === "before")
    )
      start.lostBelow = origin.position;
  }
  if (origin === null) return;
  const all = end.offset + 1;
  const above = upTo === null ? all : await log.firstAbove(earlier, lane, origin, new Marks([upTo]));
  const to = Math.min(above, all);
  start.stretches.unshift({ part: earlier, from: origin.offset, to });
  if (to < all) start.rests.unshift({ part: earlier, from: to, to: all });
}

/** The run's last change where that did not pass what was reached: nothing behind it was produced again. */
async function lastBelow(
  log: WriterLog,
  part: RunPart,
  lane: string,
  marks: Marks,
): Promise<DeliveredRecord | null> {
  const last = await log.lastChange(part, part.first, part.end, lane);
  return last && marks.standing(last) === "below" ? last : null;
}

/** Stretches of several lanes together, in the order of the log, none twice. */
export function inOrder(stretches: readonly Stretch[]): Stretch[] {
  const sorted = [...stretches].sort((a, b) => a.from - b.from);
  const joined: Stretch[] = [];
  for (const stretch of sorted) {
    const last = joined.at(-1);
    if (last && stretch.from <= last.to) last.to = Math.max(last.to, stretch.to);
    else joined.push({ ...stretch });
  }
  return joined;
}
