import type { Where } from "@/lib/collect/restarts/partition-log";
import { RecordsGone } from "@/lib/collect/restarts/partition-log";
import type { LogReader, ReadEnd } from "@/lib/kafka/log/log-reader";

/** Where a partition's leader changed, or came back: the first record batch of each further epoch. */
export interface LeaderChange {
  offset: number;
  epoch: number;
}

interface EpochAt extends LeaderChange {
  /** The offset after its batch. */
  next: number;
}

/** Each costs a bisection: what a partition has more of since its oldest record is left out, the newest of them. */
const mostChanges = 500;

/**
 * Finds the leader changes among the batches from `from` to before `to`. Epochs never fall along a partition
 * (KIP-101), so each change is found by bisection, one batch a read, about twenty reads each.
 * @throws LogReadError, RecordsGone when the topic was made again meanwhile
 */
export async function leaderChanges(
  log: LogReader,
  where: Where,
  from: number,
  to: number,
  signal?: AbortSignal,
): Promise<LeaderChange[]> {
  const changes: LeaderChange[] = [];
  let at = await epochAt(log, where, from, to, signal);
  while (at !== null && changes.length < mostChanges) {
    at = await nextEpoch(log, where, at, to, signal);
    if (at !== null) changes.push({ offset: at.offset, epoch: at.epoch });
  }
  return changes;
}

/** The first batch of a higher epoch; null when there is none before `to`. */
async function nextEpoch(
  log: LogReader,
  where: Where,
  known: EpochAt,
  to: number,
  signal: AbortSignal | undefined,
): Promise<EpochAt | null> {
  let [low, high] = [known.next, to];
  let found: EpochAt | null = null;
  // Most partitions have one leader: their last batch tells it at once.
  let middle = to - 1;
  while (low < high) {
    const there = await epochAt(log, where, middle, high, signal);
    if (there === null) high = middle;
    else if (there.epoch === known.epoch) low = there.next;
    else {
      found = there;
      // A batch that compaction left the only one may begin before what was asked for.
      high = Math.min(middle, there.offset);
    }
    middle = low + Math.floor((high - low) / 2);
  }
  return found;
}

/** The epoch of the first batch that reaches into the range; null: none does. */
async function epochAt(
  log: LogReader,
  where: Where,
  from: number,
  to: number,
  signal: AbortSignal | undefined,
): Promise<EpochAt | null> {
  if (from >= to) return null;
  const reading = log.read({
    ...where,
    from,
    to,
    isolation: "read_uncommitted",
    maxBytes: 1,
    fetchBytes: 1,
    ...(signal ? { signal } : {}),
  });
  const { done, value } = await reading.next();
  signal?.throwIfAborted();
  if (done) {
    if (value.why === "recreated") throw new RecordsGone(`Topic ${where.topic} was deleted and made again.`);
    return null;
  }
  const at = { offset: value.baseOffset, epoch: value.leaderEpoch, next: value.lastOffset + 1 };
  const end: ReadEnd = { why: "cancelled", next: at.next, deleted: [], bytes: 0 };
  await reading.return(end);
  return at;
}
