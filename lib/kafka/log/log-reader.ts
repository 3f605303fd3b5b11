import type { Failure, Look } from "@/lib/observed/observation";
import type { LogRecord } from "./record";
import type { RecordBatch } from "./record-batch";

/** One partition of one topic. */
export interface TopicPartition {
  topic: string;
  partition: number;
}

/** `read_committed` hides records of aborted and of open transactions, as Kafka's own consumers do. */
export type Isolation = "read_committed" | "read_uncommitted";

/** The first offset still there, the next to be written, or the first of a transaction that is still open. */
export type End = "earliest" | "latest" | "last-stable";

/** What the brokers say of one topic. */
export interface DescribedTopic {
  topic: string;
  partitions: { partition: number; leader: number; leaderEpoch: number | null }[];
  /** Another one under the same name means that the topic was deleted and made again; null before Kafka 2.8. */
  topicId: string | null;
}

/**
 * A batch as it was fetched, with what the transactions say of it. All batches of a range are told of, markers and those of
 * aborted transactions too, since their facts are evidence.
 */
export interface FetchedBatch extends RecordBatch {
  /** Its producer aborted the transaction. Null when not known: brokers tell it to `read_committed` reads only. */
  aborted: boolean | null;
  /** A reader with this isolation gets its records: false for control batches, and for aborted ones. */
  visible: boolean;
  /** The first offset wanted of it and the first not wanted: the first batch of a range may begin before it, the last reach beyond. */
  from: number;
  to: number;
  /**
   * Uncompresses and takes out those records that a reader with this isolation gets, from `from` to before `to`: none when
   * it is not visible. Without objects: `RecordCursor`, skipping what is outside by its offset. @throws LogReadError
   */
  records(): LogRecord[];
}

export interface ReadRange extends TopicPartition {
  /** First offset wanted. */
  from: number;
  /**
   * First offset not wanted; absent: the end as it is when reading starts (last stable for `read_committed`). Beyond the
   * end: the read ends there and waits for nothing.
   */
  to?: number;
  /** The topic that `from` belongs to: a read from another one with its name ends "recreated" before the first batch. */
  topicId?: string | null;
  isolation: Isolation;
  /** Ends the read after the batch that reaches so many bytes fetched. */
  maxBytes?: number;
  /** Most bytes of one fetch, 4 MiB unless told, 60 MiB at most; a larger batch comes whole. Two fetches are held at a time. */
  fetchBytes?: number;
  /**
   * A batch, and the records taken out of it, are looked at no more once the next one is asked for: their memory is used
   * again, which spares a long read a third of its work.
   */
  keepsNothing?: boolean;
  /** Called for each of the end's `deleted` as soon as it is met, before the batch that follows: a read that fails has no end. */
  onDeleted?: (gap: ReadEnd["deleted"][number]) => void;
  signal?: AbortSignal;
}

/** How a read ended. */
export interface ReadEnd {
  /**
   * `recreated`: the topic was deleted and made again, or an unclean leader election cut off some of what was read already:
   * no offset means what it did. A cut that was made before this read began is seen only where the log is shorter than `from`.
   */
  why: "end" | "budget" | "cancelled" | "recreated";
  /** Where a next read would go on; after `recreated` the first offset of what is there now. */
  next: number;
  /** Offsets that retention removed before they could be read: from, and the first after them (at most `to`). */
  deleted: { from: number; to: number }[];
  /** Fetched over the wire. */
  bytes: number;
}

/** Part of a partition that cannot be read, such as a batch with a wrong checksum. The message names topic, partition, offset. */
export class LogReadError extends Error {
  override readonly name = "LogReadError";
  constructor(
    readonly failure: Failure,
    readonly at: TopicPartition & { offset: number },
  ) {
    super(failure.sentence);
  }
}

/** The first record at or after a time. */
export interface TimedOffset {
  offset: number;
  /** The record's own timestamp, milliseconds since 1970: the producer's, or the broker's with LogAppendTime. */
  timestamp: number;
}

/** Reads topics without a consumer group: joins nothing, commits nothing, creates nothing. */
export interface LogReader {
  /** Partitions and leaders, one Metadata request for each 500 topics. One topic's failure is its own. */
  describe(topics: readonly string[]): Promise<Look<Map<string, DescribedTopic | Failure>>>;
  /** One end of many partitions: one ListOffsets request for each leader. In the order asked. */
  ends(partitions: readonly TopicPartition[], end: End): Promise<(number | Failure)[]>;
  /**
   * For each partition its first record with a timestamp (milliseconds since 1970) at or after the one given; null when there
   * is none. One ListOffsets request for each leader; one more for each further time of the same partition. In the order asked.
   */
  offsetsForTime(
    partitions: readonly (TopicPartition & { timestamp: number })[],
  ): Promise<(TimedOffset | null | Failure)[]>;
  /** The record at this offset, or the next one that a reader with this isolation gets; null at the end. @throws LogReadError */
  recordAt(partition: TopicPartition, offset: number, isolation: Isolation): Promise<LogRecord | null>;
  /** The newest record that a reader with this isolation gets; null when there is none. @throws LogReadError */
  newest(partition: TopicPartition, isolation: Isolation): Promise<LogRecord | null>;
  /**
   * Batches in order, the next fetch under way while one is looked at, so that at most two fetches are held in memory.
   * A `next()` on its way is ended by the signal only. @throws LogReadError, RangeError for a `from` that is no offset
   */
  read(range: ReadRange): AsyncGenerator<FetchedBatch, ReadEnd>;
}
