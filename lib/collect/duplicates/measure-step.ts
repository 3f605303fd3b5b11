import type { ConnectorConfig } from "@/lib/debezium/config";
import type { ConnectorType } from "@/lib/debezium/connector-type";
import type { LogReader } from "@/lib/kafka/log/log-reader";
import type { SchemaRegistry } from "@/lib/kafka/registry";
import type { FoundReplay } from "@/lib/observed/duplicates";
import { RecordsGone } from "../restarts/partition-log";
import { measurePartition } from "./measure-partition";
import { afterStep, leftAsTheyAre, notMeasured, type Progress, type Step } from "./stretches";

/** Whose records, and how they are read. */
export interface MeasuredBy {
  log: LogReader;
  type: ConnectorType;
  config: ConnectorConfig;
  registry: SchemaRegistry | null;
  /** Known starts of its tasks, milliseconds since 1970. */
  starts: readonly number[];
  signal: AbortSignal;
}

interface At {
  topic: string;
  partition: number;
  topicId: string | null;
}

/** What one step changed. */
export interface Taken {
  progress: Progress;
  replays: FoundReplay[];
  /** Offsets whose replays are those of `replays` now; null: none were measured. */
  replaced: { from: number; to: number } | null;
  bytes: number;
}

/**
 * Measures what a step asks for, and says what is known then. Records that retention took first are said to be gone.
 * @throws LogReadError where it may heal
 */
export async function takeStep(
  by: MeasuredBy,
  at: At,
  progress: Progress,
  step: Step,
  maxBytes: number,
): Promise<Taken> {
  const { log, ...how } = by;
  try {
    const { from, to, carried: before } = step;
    const { found, carried } = await measurePartition(log, {
      ...at,
      ...how,
      from,
      to,
      carried: before,
      maxBytes,
    });
    const { replays, ...others } = found;
    const { bytesRead: bytes } = found;
    if (found.to <= from) return { ...skipped(progress, step, to, tooMuch(maxBytes), at), bytes };
    const gone = step.kind === "back" ? 0 : found.from - from;
    const notes =
      gone > 0
        ? [{ ...deleted(from, found.from), count: gone }, ...found.notMeasurable]
        : found.notMeasurable;
    const next = afterStep(progress, step, { found: { ...others, notMeasurable: notes }, carried });
    return { progress: next, replays, replaced: { from, to: found.to }, bytes };
  } catch (error) {
    if (!(error instanceof RecordsGone)) throw error;
    const [earliest] = await log.ends([at], "earliest");
    // The topic was made again: the next look sees it.
    if (typeof earliest !== "number" || earliest <= step.from) throw error;
    return { ...withGone(progress, step, earliest, at), bytes: 0 };
  }
}

function withGone(progress: Progress, step: Step, earliest: number, at: At): Omit<Taken, "bytes"> {
  const to = Math.min(earliest, step.to);
  if (step.kind === "back")
    return { progress: { ...progress, bottom: Math.max(progress.bottom, to) }, replays: [], replaced: null };
  // What was measured before it went cannot be measured again.
  if (step.kind === "join") return { progress: leftAsTheyAre(progress), replays: [], replaced: null };
  return skipped(progress, step, to, deleted(step.from, to), at);
}

/** Goes on behind what cannot be measured, and says why it was not. */
function skipped(progress: Progress, step: Step, to: number, note: Note, at: At): Omit<Taken, "bytes"> {
  const writers = (step.carried?.writers ?? []).map((writer) => ({ ...writer, open: null, search: null }));
  const carried = { version: 1 as const, topicId: at.topicId, at: to, writers };
  const next = afterStep(progress, step, { found: notMeasured(step, to, note, at), carried });
  return { progress: next, replays: [], replaced: null };
}

interface Note {
  slug: string;
  reason: string;
  remedy: string;
}

function deleted(from: number, to: number): Note {
  return {
    slug: "deleted",
    reason: `Retention removed offsets ${from} to ${to - 1} before they were measured.`,
    remedy: "Keep the topic's records for longer.",
  };
}

function tooMuch(maxBytes: number): Note {
  return {
    slug: "budget",
    reason: `Measuring it takes more than the ${Math.round(maxBytes / 1024 / 1024)} MiB that a step may read.`,
    remedy: "Raise checks.duplicates.bytesPerLook, or measure the topic by itself with tidemark duplicates.",
  };
}
