import { runStart } from "@/lib/debezium/events/run-context";
import type { ByPosition } from "@/lib/observed/replay-window";
import type { CountedPartition } from "./count-by-position-partition";
import { type Measured, tablePartitions } from "./measured";

/** Notes of a count that say nothing against adding to it. */
const harmless = ["slot-may-be-ahead", "alike", "other-connector"];

/**
 * Where a count by position can go on from, so that a window is read once as it grows, however long the flush interval: the
 * partitions that grew since, from their ends then. Null where the whole has to be counted: another commit, records that were
 * not read, or two runs of the task, of which the second sends again what the first had sent.
 */
export function continuation({ target, memory, looks, state }: Measured): CountedPartition[] | null {
  const { counted, runId } = memory;
  if (!counted || counted.state.commits !== state.commits || counted.state.topicIds !== state.topicIds)
    return null;
  if (!canBeAddedTo(counted.count) || runId === null) return null;
  const { commits } = target.inForce;
  // The search begins at the source's time: what was written since the run began is of this run alone.
  const began = runStart(runId);
  if (began === null || commits.some((c) => c.sourceAt === null || c.sourceAt < began)) return null;
  // The first so many events at one LSN are covered, and their number goes over all that is read.
  if (commits.some(({ offset }) => offset.lsn_events_processed != null)) return null;
  const partitions: CountedPartition[] = [];
  for (const { topic, partition, topicId, end, earliest } of tablePartitions({ target, looks })) {
    const from = counted.ends.get(`${topic}/${partition}`);
    if (from === undefined || from > end || (earliest ?? 0) > from) return null;
    if (from < end) partitions.push({ topic, partition, topicId, from, guess: from, to: end, trusted: true });
  }
  return partitions;
}

function canBeAddedTo({ unread, bound, notes }: ByPosition): boolean {
  const sure = bound === "exact" || bound === "at-most";
  return unread === 0 && sure && notes.every(({ slug }) => harmless.includes(slug));
}

/** A batch of tombstones alone tells no run. */
function allOf(runId: string, runIds: ReadonlyMap<string, string | null>): boolean {
  return [...runIds.values()].every((id) => id === null || id === runId);
}

/** Both counts as one; null where the second tells that the whole must be counted again. */
export function joined(
  before: ByPosition,
  more: ByPosition,
  runs: { before: string | null; more: ReadonlyMap<string, string | null> },
): ByPosition | null {
  if (runs.before === null || !allOf(runs.before, runs.more)) return null;
  const notes = [...before.notes];
  for (const note of more.notes) if (!notes.some(({ slug }) => slug === note.slug)) notes.push(note);
  return {
    at: more.at,
    events: before.events + more.events,
    tombstones: before.tombstones + more.tombstones,
    reReads: before.reReads + more.reReads,
    bytes: before.bytes + more.bytes,
    spanMs: spanOf(before, more),
    // One that says "at most" says it of the sum as well.
    bound: before.bound === "exact" ? more.bound : more.bound === "exact" ? before.bound : more.bound,
    unread: more.unread,
    partitions: Math.max(before.partitions, more.partitions),
    probes: Math.max(before.probes, more.probes),
    bytesRead: before.bytesRead + more.bytesRead,
    notes,
  };
}

/** The newest of the first lay at its end, or not long before; the newest of the second as well. */
function spanOf(before: ByPosition, more: ByPosition): number | null {
  if (before.spanMs === null || more.spanMs === null) return before.spanMs ?? more.spanMs;
  const elapsed = Date.parse(more.at) - Date.parse(before.at);
  return before.spanMs + Math.max(elapsed, more.spanMs);
}
