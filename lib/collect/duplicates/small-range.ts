import type { FoundReplay } from "@/lib/observed/duplicates";
import type { DeliveredReader } from "./delivered-reader";
import type { PartitionRequest } from "./measure-partition";
import type { PartitionReader } from "./partition-reader";
import { type ReadWhole, WholeRead } from "./read-whole";

/** A partition of so many bytes, as they lie in the log, is read whole: looking here and there would read more. */
const WHOLE_BYTES = 4 * 1024 * 1024;
/** They are kept in memory: well compressed, few bytes can hold many. */
const MOST_OFFSETS = 50_000;

/**
 * Reads a small range whole, by identity, where nothing that lies before it matters: the reader keeps it. Null where it is
 * larger, or begins behind the partition's first record.
 * @throws LogReadError, RecordsGone
 */
export async function readSmall(
  reader: PartitionReader,
  request: PartitionRequest,
  read: DeliveredReader,
  range: { from: number; to: number },
): Promise<ReadWhole | null> {
  const { from, to } = range;
  const most = Math.min(request.wholeBytes ?? WHOLE_BYTES, request.maxBytes);
  if (from > reader.earliest || from >= to || most <= 0 || to - from > MOST_OFFSETS) return null;
  // How large a batch is tells how large the range may be.
  await reader.first(from, Math.min(to, from + 1), () => true);
  if (reader.bytesOf(to - from) > most) return null;
  const whole = new WholeRead({ ...request, from, to, countFrom: from, maxBytes: most }, read);
  const end = await reader.readWhole(from, to, most, (batch) => whole.take(batch));
  return end.next < to ? null : whole.ended(end);
}

/**
 * What was found by reading all, with what is no longer there to be compared with.
 * @param lost by the starts of runs: those whose first copies retention removed are told by position
 */
export function withLost(whole: readonly FoundReplay[], lost: readonly FoundReplay[]): FoundReplay[] {
  const of = (one: FoundReplay, other: FoundReplay) =>
    one.runAfter === other.runAfter &&
    one.writer === other.writer &&
    one.firstOffset <= other.lastOffset &&
    other.firstOffset <= one.lastOffset;
  const replays = whole
    .filter((replay) => !lost.some((other) => of(replay, other)))
    .map((replay): FoundReplay => ({ ...replay, evidence: evidenceOf(replay) }));
  return [...replays, ...lost];
}

function evidenceOf({ runBefore, runAfter }: FoundReplay): FoundReplay["evidence"] {
  return runBefore !== null && runAfter !== null && runBefore !== runAfter ? "run-id" : "whole";
}
