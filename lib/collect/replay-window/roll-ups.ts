import { byHour, rollUp } from "@/lib/measure/replay-window/roll-up";
import type { CommitHistory } from "@/lib/observed/commits";
import { dialIntervals, type WindowRollup } from "@/lib/observed/window-series";
import type { Database } from "@/lib/store/database";
import { readRollups, saveRollups } from "@/lib/store/window-rollups";
import { readPoints } from "@/lib/store/window-series";
import { inTurn } from "../in-turn";
import type { WindowMemory } from "./window-memory";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** The dial looks so far back from any moment: points are kept for it, and a poll more. */
const BEFORE_MS = Math.max(...dialIntervals) + MINUTE_MS;
/** A collector that was away rolls up so much of what it had written before. */
const CATCH_UP_MS = 2 * HOUR_MS;
/** A minute is rolled up so long after its end: by then the bursts in it have been looked into. */
const SETTLED_MS = 20_000;
const AT_ONCE = 4;

/** A connector whose series is rolled up. */
export interface RolledUp {
  connector: string;
  memory: WindowMemory;
  history: CommitHistory | null;
}

/**
 * Where the roll-ups go on after a start of the collector: behind the newest stored minute and hour, with the points since
 * then read back. @throws DatabaseUnavailable
 */
export async function resumeRollups(
  db: Database,
  of: { cluster: string; connector: string },
  memory: WindowMemory,
  newest: { minute: number | undefined; hour: number | undefined },
  now: number,
): Promise<void> {
  const earliest = startOf(now - CATCH_UP_MS, MINUTE_MS);
  const next = newest.minute === undefined ? earliest : Math.max(earliest, newest.minute + MINUTE_MS);
  const range = { from: new Date(next - BEFORE_MS), to: new Date(now) };
  memory.points = await readPoints(db, of, range);
  const [first] = memory.points;
  memory.minute = first && newest.minute === undefined ? startOf(first.at, MINUTE_MS) : next;
  memory.hour = newest.hour === undefined ? null : newest.hour + HOUR_MS;
}

/** Rolls up the minutes and hours that have ended, and forgets the points that no later one needs. @throws DatabaseUnavailable */
export async function rollUpFinished(
  db: Database,
  cluster: string,
  series: readonly RolledUp[],
  now: number,
): Promise<void> {
  const finished = series.map((one) => ({ one, ...finishedMinutes(one, now) }));
  const rows = finished.flatMap(({ one, rollups }) =>
    rollups.map((rollup) => ({ connector: one.connector, rollup })),
  );
  if (rows.length > 0) await saveRollups(db, cluster, "minute", rows);
  // Only now: had the database been away, they would have to be made again.
  for (const { one, next } of finished) {
    one.memory.minute = next;
    one.memory.points = one.memory.points.filter((p) => p.at >= next - BEFORE_MS);
  }
  if (rows.length > 0) await rollUpHours(db, cluster, series);
}

/** The minutes that have ended and are not rolled up, and the first one after them. */
function finishedMinutes(
  { memory, history }: RolledUp,
  now: number,
): { rollups: WindowRollup[]; next: number } {
  const rollups: WindowRollup[] = [];
  const end = startOf(now - SETTLED_MS, MINUTE_MS);
  let from = memory.minute ?? startOf(memory.points[0]?.at ?? now, MINUTE_MS);
  for (; from + MINUTE_MS <= end; from += MINUTE_MS) {
    const to = from + MINUTE_MS;
    const points = memory.points.filter((p) => p.at >= from - BEFORE_MS && p.at < to);
    // A minute in which nobody looked has no figures.
    if (points.some((p) => p.at >= from))
      rollups.push(rollUp(points, from, to, commitsIn(history, from, to)));
  }
  return { rollups, next: from };
}

function commitsIn(history: CommitHistory | null, from: number, to: number): number {
  const times = (history?.partitions ?? []).flatMap((p) => p.commits.map((c) => Date.parse(c.at)));
  return times.filter((t) => t >= from && t < to).length;
}

async function rollUpHours(db: Database, cluster: string, series: readonly RolledUp[]): Promise<void> {
  const hours = await inTurn(series, AT_ONCE, async ({ connector, memory }) => {
    if (memory.minute === null) return [];
    const end = startOf(memory.minute, HOUR_MS);
    memory.hour ??= end - CATCH_UP_MS;
    if (memory.hour >= end) return [];
    const range = { from: new Date(memory.hour), to: new Date(end) };
    const minutes = await readRollups(db, { cluster, connector }, "minute", range);
    return [{ memory, end, rows: byHour(minutes).map((rollup) => ({ connector, rollup })) }];
  });
  const rows = hours.flat().flatMap((one) => one.rows);
  if (rows.length > 0) await saveRollups(db, cluster, "hour", rows);
  for (const { memory, end } of hours.flat()) memory.hour = end;
}

const startOf = (time: number, unitMs: number) => Math.floor(time / unitMs) * unitMs;
