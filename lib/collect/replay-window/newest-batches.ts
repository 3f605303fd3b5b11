import type { LogReader } from "@/lib/kafka/log/log-reader";
import { inTurn } from "../in-turn";
import { type Measured, tablePartitions } from "./measured";
import { newestBatch } from "./newest-batch";

/** Connectors looked at in one poll, how many at a time, and partitions of each. */
const CONNECTORS = 64;
const AT_ONCE = 4;
const PARTITIONS = 6;
/** After so many polls a connector that writes is looked at again: exactly-once can be turned off. */
const AGAIN_POLLS = 12;

/**
 * Reads the newest batch of those connectors of whom none was read yet, or not for a while: whether it is transactional, and
 * which run wrote it. A count by position tells it too, but where nothing is left to count none is made.
 */
export async function lookAtNewestBatches(
  log: LogReader,
  measured: readonly Measured[],
  poll: number,
  signal: AbortSignal,
): Promise<void> {
  const due = measured.filter((m) => isDue(m, poll)).slice(0, CONNECTORS);
  await inTurn(due, AT_ONCE, (one) => lookAtOne(log, one, poll, signal));
}

function isDue({ memory, state }: Measured, poll: number): boolean {
  if (state.end === 0) return false;
  if (memory.newestBatch === null) return true;
  // A snapshot's run is what tells how much of it there is.
  return memory.newestBatch.end !== state.end && poll - memory.newestBatch.poll >= AGAIN_POLLS;
}

async function lookAtOne(log: LogReader, measured: Measured, poll: number, signal: AbortSignal) {
  const { memory, target, state } = measured;
  memory.newestBatch = { poll, end: state.end };
  const partitions = tablePartitions(measured)
    .filter((p) => p.end > 0)
    // Records later than the commit are the newest there are.
    .sort((a, b) => (b.placeAt ?? 0) - (a.placeAt ?? 0) || b.end - a.end)
    .slice(0, PARTITIONS);
  const looks = await Promise.all(partitions.map((p) => newestBatch(log, p, target.isolation, signal)));
  const found = looks.flatMap((look) => look.value ?? []).sort((a, b) => b.at - a.at);
  const [newest] = found;
  if (!newest || signal.aborted) return;
  memory.transactional = newest.transactional;
  memory.runId = newest.runId ?? memory.runId;
  memory.bytesPerRecord ??= newest.bytesPerRecord;
}
