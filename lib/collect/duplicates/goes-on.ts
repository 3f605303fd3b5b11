import { deliveredOrder } from "@/lib/debezium/events/delivered-record";
import type { RunPart } from "@/lib/measure/duplicates/run-parts";
import type { WriterLog } from "./writer-log";

/**
 * Whether what goes on stands not above all that was reached: runs that take turns can have written it meanwhile.
 * @param before all parts before it that are known
 * @throws LogReadError, RecordsGone, NothingNear
 */
export async function comesAgain(
  log: WriterLog,
  before: readonly RunPart[],
  part: RunPart,
  inEachLane: boolean,
): Promise<boolean> {
  const change = await log.firstChange(part);
  if (change === null) return false;
  for (const lane of inEachLane ? new Set([change.lane, ...log.lanes]) : [change.lane]) {
    const first = lane === change.lane ? change : await log.firstChange(part, lane);
    if (first && (await log.marksOf(before, lane)).standing(first) !== "above") return true;
  }
  return false;
}

/**
 * Without run ids: whether a part begins below where the one before ended, or with its last change again.
 * @throws LogReadError, RecordsGone, NothingNear
 */
export async function fallsAt(log: WriterLog, part: RunPart, last: RunPart): Promise<boolean> {
  if (part.runId !== null) return false;
  const first = await log.firstChange(part);
  const end = first && (await log.endsOf(last)).get(first.lane);
  if (!first || !end) return false;
  const { order } = deliveredOrder(first.type)(first.position, end.position);
  if (order !== "equal" || first.rowKey === null) return order === "before";
  if (end.offset < log.reader.earliest) return false;
  const before = await log.reader.first(end.offset, end.offset + 1, log.changeOf(last));
  return before?.identity === first.identity;
}
