import type { Failure } from "@/lib/observed/observation";
import type { TopicCommit } from "./in-force";
import type { SeenTopic } from "./seen-topics";

/** One partition as the brokers saw it, at the moment of one poll. */
export interface PartitionLook {
  topic: string;
  partition: number;
  /** Another one under the same name means that the topic was made again; null before Kafka 2.8. */
  topicId: string | null;
  /** Next offset to be written; for `read_committed` the last stable one. */
  end: number;
  /** First offset with a timestamp later than the commit's; `end` when there is none; null: not asked. */
  place: number | null;
  /** Timestamp of the record there, milliseconds since 1970; null: none, or not asked. */
  placeAt: number | null;
  /** First offset with a timestamp at or after the source's time; `end` when there is none; null: not asked. */
  since: number | null;
  /** First offset with a timestamp later than the commit before the newest; asked only where `since` is not. */
  before: number | null;
  /** First offset still there, as it was when last asked for: it may lie later by now. Null: not known. */
  earliest: number | null;
}

/** What the brokers said of one topic. */
export type TopicLookFacts =
  | {
      partitions: PartitionLook[];
      /** Its records carry the broker's time (message.timestamp.type=LogAppendTime); null: not known, `settings` says why. */
      appendTime: boolean | null;
      /** `compact` is among its cleanup.policy; null: not known. */
      compacted: boolean | null;
      settings: Failure | null;
    }
  | { failure: Failure };

/** One topic of a connector with what was seen of it. */
export interface TimedTopic {
  topic: string;
  /** The connector's own: heartbeats, transactions, schema changes, notifications. */
  own: boolean;
  /** Other connectors write to it as well. */
  shared: boolean;
  look: TopicLookFacts;
  /** What earlier looks tell of it; absent where there were none. */
  seen?: SeenTopic;
}

/** How much a topic holds since the two times. */
export interface TopicCount extends TimedTopic {
  commit: TopicCommit;
  /** The brokers said that there is no such topic. */
  gone: boolean;
  /** It was deleted, or made again, and may have grown between the commit and then: a crash sends that again all the same. */
  lost: boolean;
  /** Why it could not be looked at; null too when it is gone. */
  failure: Failure | null;
  /** Next offsets summed; null when it could not be looked at. */
  end: number | null;
  /** Offsets later than the commit; null: not asked, or not to be had. */
  afterCommit: number | null;
  /** Offsets at or after the source's time; null: not asked, or not to be had. */
  sinceSource: number | null;
  /** Timestamp of the first record later than the commit; null: none. */
  firstAt: number | null;
  /** What lies first in a partition is later than the commit, or nothing is left, and records lay there that may be later too. */
  cutOff: boolean;
}

/** Counts a topic by its offsets. Never negative: a topic that was made again ends before old places. */
export function countTopic(timed: TimedTopic, commit: TopicCommit): TopicCount {
  const { look, seen } = timed;
  const lost = isLost(timed, commit.committedAt);
  if ("failure" in look) {
    const gone = look.failure.kind === "not-found";
    const none = { end: null, afterCommit: gone ? 0 : null, sinceSource: gone ? 0 : null, firstAt: null };
    return { ...timed, commit, gone, lost, failure: gone ? null : look.failure, ...none, cutOff: false };
  }
  const { partitions } = look;
  const first = partitions.filter((p) => p.place !== null && p.place < p.end);
  return {
    ...timed,
    commit,
    gone: false,
    lost,
    failure: null,
    end: partitions.reduce((sum, p) => sum + p.end, 0),
    afterCommit: sumFrom(partitions, "place"),
    sinceSource: sumFrom(partitions, "since"),
    firstAt: least(first.flatMap((p) => p.placeAt ?? [])),
    cutOff: partitions.some((p) => isCutOff(p, seen, commit.committedAt)),
  };
}

/** A commit that is later than the loss, or than all growth before it, covers what the topic held. */
function isLost({ look, seen }: TimedTopic, committedAt: number | null): boolean {
  const gone = "failure" in look && look.failure.kind === "not-found";
  if (!seen?.lost) return gone;
  const { at, quietSince } = seen.lost;
  return committedAt === null || Math.min(at, quietSince ?? at) > committedAt;
}

/** Nobody tells when records were removed: only a partition that has not grown since the commit lost none that count. */
function isCutOff(
  { partition, earliest, place, since, end }: PartitionLook,
  seen: SeenTopic | undefined,
  committedAt: number | null,
): boolean {
  const from = place ?? since ?? end;
  if (earliest === null || earliest === 0 || from > earliest) return false;
  const quiet = seen?.quietSince.get(partition);
  return quiet === undefined || committedAt === null || quiet > committedAt;
}

function sumFrom(partitions: readonly PartitionLook[], from: "place" | "since"): number | null {
  let sum = 0;
  for (const partition of partitions) {
    const offset = partition[from];
    if (offset === null) return null;
    sum += Math.max(0, partition.end - offset);
  }
  return sum;
}

/** Null for none. */
export function least(numbers: readonly number[]): number | null {
  return numbers.length === 0 ? null : Math.min(...numbers);
}
