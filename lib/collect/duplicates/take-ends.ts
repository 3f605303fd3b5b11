import type { JudgedConnector } from "@/lib/checks/judged";
import type { LogReader, TopicPartition } from "@/lib/kafka/log/log-reader";
import type { Failure } from "@/lib/observed/observation";
import { replaysKeptMs } from "@/lib/store/replays";
import type { ClusterDuplicates } from "./cluster-duplicates";
import { type KeptPartition, keptPartition } from "./kept-partition";
import { measuredRange, noProgress } from "./stretches";
import { changeTopics, offsetsAt, partitionName, type TopicEnds } from "./topic-watch";

export type Ends = ReadonlyMap<string, TopicEnds | Failure>;

/** An end that lies before what was measured for so many looks was cut off; for less, a new leader may not know better yet. */
const SHORT_LOOKS = 3;
const DAY_MS = 24 * 3_600_000;
/** The places of a day ago are asked for this often, milliseconds. */
const DAY_EVERY_MS = 60_000;

interface Fresh extends TopicPartition {
  connector: string;
  topicId: string | null;
  end: number;
}

/** Takes where each topic ends, and begins anew with partitions that are new or whose offsets no longer mean what they did. */
export async function takeEnds(
  log: LogReader,
  duplicates: ClusterDuplicates,
  connectors: readonly JudgedConnector[],
  ends: Ends,
  now: number,
): Promise<void> {
  const fresh = connectors.flatMap((known) =>
    (changeTopics(known) ?? []).flatMap((topic) => {
      const look = ends.get(topic);
      return look && !("kind" in look) ? takeTopic(duplicates, known.connector, topic, look) : [];
    }),
  );
  if (fresh.length === 0) return;
  const earliest = await log.ends(fresh, "earliest");
  const oldest = await offsetsAt(log, fresh, now - replaysKeptMs);
  // Where no record bears a time, none is known to be too old.
  const timed = await offsetsAt(log, fresh, 0);
  for (const [i, { connector, topic, partition, topicId, end }] of fresh.entries()) {
    const first = earliest[i];
    // Asked again at the next look.
    if (typeof first !== "number") continue;
    const name = partitionName({ topic, partition });
    // Replays are not kept for longer: what is older would be a base without them.
    const tooOld = (timed.get(name) ?? end) < end ? (oldest.get(name) ?? 0) : 0;
    const bottom = Math.min(Math.max(first, tooOld), end);
    const progress = noProgress(topicId, bottom);
    const kept = { ...keptPartition(connector, topic, partition, progress), end };
    duplicates.partitionsOf(connector).set(name, kept);
    // What may be stored of it is found again, as far as it is still there.
    const replaced = { from: bottom, to: Number.MAX_SAFE_INTEGER };
    duplicates.take(kept, { replays: [], replaced }, now);
  }
}

/** Returns the partitions with which to begin anew. */
function takeTopic(
  duplicates: ClusterDuplicates,
  connector: string,
  topic: string,
  { topicId, partitions }: TopicEnds,
): Fresh[] {
  const known = duplicates.partitionsOf(connector);
  const there = new Set(partitions.map(({ partition }) => partition));
  // Made again with fewer of them.
  for (const [name, kept] of known)
    if (kept.topic === topic && !there.has(kept.partition)) known.delete(name);
  return partitions.flatMap(({ partition, end }) => {
    const kept = known.get(partitionName({ topic, partition }));
    const fresh = { connector, topic, partition, topicId, end };
    if (!kept) return [fresh];
    const before = kept.progress.topicId;
    if (before !== null && topicId !== null && before !== topicId) {
      duplicates.forgetTopic(topic, topicId);
      return [fresh];
    }
    const isShort = end < (measuredRange(kept.progress)?.to ?? 0);
    kept.shortFor = isShort ? kept.shortFor + 1 : 0;
    if (!isShort) kept.end = end;
    return kept.shortFor >= SHORT_LOOKS ? [fresh] : [];
  });
}

/** Asks now and then where the last 24 hours begin, and what is too old to count. Returns whether it asked. */
export async function askDay(
  log: LogReader,
  duplicates: ClusterDuplicates,
  partitions: readonly KeptPartition[],
  now: number,
): Promise<boolean> {
  const isDue = now - duplicates.dayAskedAt >= DAY_EVERY_MS;
  const asked = isDue ? partitions : partitions.filter(({ dayEnd }) => dayEnd === null);
  if (isDue) duplicates.dayAskedAt = now;
  if (asked.length === 0) return isDue;
  const found = await offsetsAt(log, asked, now - DAY_MS);
  for (const kept of asked) {
    const dayFrom = found.get(partitionName(kept));
    if (dayFrom === undefined) continue;
    // Records came, and none of them bears a time of the last day: their times do not tell.
    const hasGrown = kept.dayEnd !== null && kept.dayEnd < kept.end;
    const wasUntold = kept.dayEnd !== null && kept.dayFrom === null;
    const isUntold = dayFrom === kept.end && (hasGrown || wasUntold);
    kept.dayFrom = isUntold ? null : dayFrom;
    kept.dayEnd = kept.end;
  }
  return isDue;
}
