import { logEnds } from "../requests";
import { type LogSource, offsetsOf } from "./log-offsets";
import type { Isolation, TopicPartition } from "./log-reader";
import { readRange } from "./read-range";
import type { LogRecord } from "./record";
import { unreadable } from "./unreadable";

/** See LogReader.recordAt: one batch is fetched where that suffices. @throws LogReadError */
export async function recordAt(
  source: LogSource,
  at: TopicPartition,
  offset: number,
  isolation: Isolation,
): Promise<LogRecord | null> {
  const range = { ...at, from: offset, to: Number.MAX_SAFE_INTEGER, isolation };
  for await (const batch of readRange(source, range, { firstBytes: 1, ahead: false })) {
    const [record] = batch.records();
    if (record) return record;
  }
  return null;
}

/**
 * See LogReader.newest: looks at the last two offsets (a transaction ends with a marker), then at four times as many before
 * them, and so on, as far as what follows is markers, aborted, or compacted away. @throws LogReadError
 */
export async function newest(
  source: LogSource,
  at: TopicPartition,
  isolation: Isolation,
): Promise<LogRecord | null> {
  const [first, end] = await Promise.all([
    offsetOf(source, at, logEnds.earliest, isolation),
    offsetOf(source, at, logEnds.latest, isolation),
  ]);
  let to = end;
  for (let step = 2; to > first; step *= 4) {
    const from = Math.max(first, to - step);
    let last: LogRecord | undefined;
    for await (const batch of readRange(
      source,
      { ...at, from, to, isolation },
      { firstBytes: 1, ahead: false },
    ))
      last = batch.records().at(-1) ?? last;
    if (last) return last;
    to = from;
  }
  return null;
}

async function offsetOf(
  source: LogSource,
  at: TopicPartition,
  timestamp: bigint,
  isolation: Isolation,
): Promise<number> {
  const [offset] = await offsetsOf(source, [{ ...at, timestamp }], isolation);
  if (typeof offset === "number") return offset;
  const { kind, sentence, remedy } = offset ?? { kind: "internal", sentence: "no answer", remedy: null };
  throw unreadable(at, 0, kind, sentence, remedy);
}
