import type { Failure } from "@/lib/observed/observation";
import type { TopicCommit } from "./in-force";

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
  /** First offset still there: asked where nothing is committed, and where retention may have passed an old commit. */
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
}

/** How much a topic holds since the two times. */
export interface TopicCount extends TimedTopic {
  commit: TopicCommit;
  /** The brokers said that there is no such topic: nothing of it can be sent twice to anybody. */
  gone: boolean;
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
  /** What lies first in a partition is later than the commit, and something lay before it: retention removed it. */
  cutOff: boolean;
}

/** Counts a topic by its offsets. Never negative: a topic that was made again ends before old places. */
export function countTopic(timed: TimedTopic, commit: TopicCommit): TopicCount {
  const { look } = timed;
  if ("failure" in look) {
    const gone = look.failure.kind === "not-found";
    const none = { end: null, afterCommit: gone ? 0 : null, sinceSource: gone ? 0 : null, firstAt: null };
    return { ...timed, commit, gone, failure: gone ? null : look.failure, ...none, cutOff: false };
  }
  const { partitions } = look;
  const first = partitions.filter((p) => p.place !== null && p.place < p.end);
  return {
    ...timed,
    commit,
    gone: false,
    failure: null,
    end: partitions.reduce((sum, p) => sum + p.end, 0),
    afterCommit: sumFrom(partitions, "place"),
    sinceSource: sumFrom(partitions, "since"),
    firstAt: least(first.flatMap((p) => p.placeAt ?? [])),
    cutOff: first.some(
      ({ earliest, place }) => earliest !== null && earliest > 0 && (place ?? 0) <= earliest,
    ),
  };
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
