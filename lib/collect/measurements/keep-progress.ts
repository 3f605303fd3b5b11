import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Measurement } from "@/lib/observed/duplicates";
import type { Database } from "@/lib/store/database";
import { type MeasurementTaken, saveProgress } from "@/lib/store/measurements";

/** How often it is stored how far a measurement is, milliseconds. It says as well that its collector lives. */
const EVERY_MS = 500;

export type Progress = Pick<Measurement, "done" | "total" | "bytesRead">;

/** `stopped`: the collector ends. */
export type Interrupted = "cancelled" | "lost" | "stopped";

/**
 * Runs a measurement's work, storing how far it is. Work is told by its signal when it is wanted no more, and what comes of it then
 * is not looked at.
 */
export async function keepingProgress<T>(
  db: Database,
  taken: MeasurementTaken,
  stop: AbortSignal,
  work: (report: (progress: Progress) => void, signal: AbortSignal) => Promise<T>,
): Promise<{ ended: T; interrupted: null } | { interrupted: Interrupted }> {
  const unwanted = new AbortController();
  const finished = new AbortController();
  const signal = AbortSignal.any([stop, unwanted.signal]);
  // Each read that is under way listens.
  setMaxListeners(0, signal);
  let progress: Progress = { done: 0, total: null, bytesRead: 0 };
  let interrupted: Interrupted | null = null;
  // Without the database nobody can cancel it, and it goes on; being silent for long it may be given to another.
  const store = async () => {
    const answer = await saveProgress(db, taken, progress).catch(() => "go on" as const);
    if (answer === "go on") return;
    interrupted = answer;
    unwanted.abort();
  };
  const storing = (async () => {
    while (!finished.signal.aborted && !unwanted.signal.aborted) {
      await sleep(EVERY_MS, undefined, { signal: finished.signal }).catch(() => undefined);
      if (!finished.signal.aborted) await store();
    }
  })();
  const outcome = await work((now) => {
    progress = now;
  }, signal).then(
    (ended) => ({ ended }),
    (error: unknown) => ({ error }),
  );
  finished.abort();
  await storing;
  // The last word, which also tells of a cancel that came while the work ended.
  if (!interrupted && !stop.aborted) await store();
  if (interrupted) return { interrupted };
  if (stop.aborted) return { interrupted: "stopped" };
  if ("error" in outcome) throw outcome.error;
  return { ended: outcome.ended, interrupted: null };
}
