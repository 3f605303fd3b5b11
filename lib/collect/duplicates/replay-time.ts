import { runStart } from "@/lib/debezium/events/run-context";
import type { FoundReplay } from "@/lib/observed/duplicates";

/** Clocks may differ by so much, and a first look takes its time, milliseconds. */
const MARGIN_MS = 24 * 3_600_000;

/**
 * A replay at a time by which it can be kept and found. Timestamps are the producer's word: none at all, a source's that is years
 * old, or one of the future would have it deleted as soon as it is stored, or never shown. Of such it happened when its run
 * began, else when it was found. Where its run is that old as well it stays so.
 * @param now milliseconds since 1970
 * @param keptMs for how long replays are kept
 */
export function atKeptTime(found: FoundReplay, now: number, keptMs: number): FoundReplay {
  const isKept = (at: number) => at >= now - keptMs - MARGIN_MS && at <= now + MARGIN_MS;
  if (isKept(Date.parse(found.at)) && isKept(Date.parse(found.until))) return found;
  const began = found.runAfter === null ? null : runStart(found.runAfter);
  if (began !== null && began < now - keptMs - MARGIN_MS) return found;
  const at = new Date(began !== null && isKept(began) ? began : now).toISOString();
  return { ...found, at, until: at };
}
