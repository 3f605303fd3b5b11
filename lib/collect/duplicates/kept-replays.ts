import { causeOf, startOf } from "@/lib/measure/duplicates/cause";
import { type FoundReplay, type Replay, replayId } from "@/lib/observed/duplicates";
import type { Restart } from "@/lib/observed/window-series";
import type { Database } from "@/lib/store/database";
import { readReplays } from "@/lib/store/replays";
import { readRestarts } from "@/lib/store/restarts";
import type { CausesSeen } from "./causes-seen";

/** A restart that was noticed lies so near to the replay behind it, milliseconds, where no run id tells. */
const NEAR_RESTART_MS = 120_000;
/** Stored ones that are read at most to be held against those found. */
const MOST_STORED = 10_000;

interface Of {
  cluster: string;
  connector: string;
}

/**
 * Replays as they are kept: each with its restart and its cause. What a cause was concluded from is forgotten sooner than the
 * replay: one that is stored with a cause keeps it.
 * @throws DatabaseUnavailable
 */
export async function keptReplays(
  db: Database,
  of: Of,
  found: readonly FoundReplay[],
  seen: CausesSeen,
): Promise<Replay[]> {
  if (found.length === 0) return [];
  const times = found.map((replay) => Date.parse(replay.at));
  const starts = found.map((replay) => startOf(replay, { restart: null }));
  const earliest = Math.min(...times, ...starts);
  const latest = Math.max(...times, ...starts);
  const around = (ms: number) => ({ from: new Date(earliest - ms), to: new Date(latest + ms + 1) });
  const restarts = await readRestarts(db, of, around(NEAR_RESTART_MS));
  const stored = await readReplays(db, of, around(0), MOST_STORED);
  const known = new Map(stored.map((replay) => [replay.id, replay]));
  return found.map((replay) => {
    const restart = restartOf(replay, restarts);
    const cause = causeOf(replay, seen.around(of.connector, startOf(replay, { restart }), restart));
    const before = known.get(replayId(replay)) ?? null;
    const keepsCause = before !== null && cause.cause === "unknown" && before.cause !== "unknown";
    return {
      ...replay,
      id: replayId(replay),
      ...of,
      ...(keepsCause ? { cause: before.cause, causeWhy: before.causeWhy } : cause),
      restart: restart?.id ?? before?.restart ?? null,
      predicted: restart?.shown?.events ?? before?.predicted ?? null,
    };
  });
}

/** By the new run's id; without one, the restart in whose replayed stretch it lies, or the newest shortly before it. */
function restartOf(replay: FoundReplay, restarts: readonly Restart[]): Restart | null {
  if (replay.runAfter !== null)
    return restarts.findLast(({ runAfter }) => runAfter === replay.runAfter) ?? null;
  const { topic, partition, firstOffset, lastOffset } = replay;
  const without = restarts.filter(({ runAfter }) => runAfter === null);
  const within = without.findLast(({ partitions }) =>
    partitions.some(
      (p) =>
        p.topic === topic &&
        p.partition === partition &&
        p.firstOffset <= lastOffset &&
        firstOffset <= p.lastOffset,
    ),
  );
  const at = Date.parse(replay.at);
  const isNear = (restart: Restart) => Math.abs(Date.parse(restart.at) - at) <= NEAR_RESTART_MS;
  return within ?? without.findLast(isNear) ?? null;
}
