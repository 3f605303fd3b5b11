import type { PartitionLog } from "./partition-log";
import type { RecordFacts } from "./record-facts";

/**
 * The first record that a run wrote to a partition, among those before `to`; null when it wrote none. Run ids rise along
 * a partition, so a bisection finds it, as far as no later run has written before `to`.
 * @param from at or before that record: the first offset with a timestamp at or after the run's start
 * @throws LogReadError, RecordsGone
 */
export async function firstOfRun(
  log: PartitionLog,
  runId: string,
  from: number,
  to: number,
): Promise<RecordFacts | null> {
  const first = await log.probe(from, to);
  if (first === null) return null;
  if (first.runId === runId) return evenEarlier(log, runId, first);
  const last = await log.lastBefore(from, to, bearsRun);
  if (last?.found.runId !== runId) return null;
  let { found } = last;
  let low = first.offset + 1;
  let high = found.offset;
  while (low < high) {
    const middle = low + Math.floor((high - low) / 2);
    const there = await log.probe(middle, high);
    if (there !== null && there.runId !== runId) low = there.offset + 1;
    else {
      high = middle;
      found = there ?? found;
    }
  }
  return found;
}

/**
 * Where the brokers' clock gives the timestamps and is ahead of the worker's, or was, the search begins inside the run.
 */
async function evenEarlier(log: PartitionLog, runId: string, first: RecordFacts): Promise<RecordFacts> {
  const before = await log.lastBefore(Math.max(0, first.offset - 8), first.offset, bearsRun);
  if (before === null || before.found.runId !== runId) return first;
  let known = first;
  for (let step = 64; known.offset > 0; step *= 8) {
    const from = Math.max(0, first.offset - step);
    const there = await log.probe(from, known.offset);
    if (there !== null && there.runId !== runId)
      return (await firstOfRun(log, runId, there.offset, known.offset + 1)) ?? known;
    known = there ?? known;
    if (from === 0) return known;
  }
  return known;
}

const bearsRun = ({ kind }: RecordFacts) => kind !== "tombstone";
