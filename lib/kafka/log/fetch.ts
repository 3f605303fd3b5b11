import type { BrokerVersions, KafkaConnection } from "../connection";
import { pickVersion, type WireReader, type WireWriter, wireCall } from "../wire";
import type { AbortedTransaction } from "./aborted";
import type { Isolation, TopicPartition } from "./log-reader";
import type { Led } from "./topic-map";

const FETCH = 1;
/** The oldest that knows isolation (Kafka 0.11), the newest in the plain form, and the one that names topics by id (3.1). */
const OLDEST = 4;
const NEWEST_BY_NAME = 11;
const BY_ID = 13;

export interface FetchQuestion extends TopicPartition, Led {
  offset: number;
  isolation: Isolation;
  /** A first batch that is larger comes whole (KIP-74). */
  maxBytes: number;
  /** How long the broker may wait for a record, milliseconds. */
  waitMs: number;
}

export interface FetchedPartition {
  highWatermark: number;
  lastStableOffset: number;
  /** -1 before Kafka 1.0. */
  logStartOffset: number;
  aborted: AbortedTransaction[];
  /** Batches as they lie in the log, the last one perhaps cut: a view of the answer. */
  records: Buffer;
}

export interface FetchAnswer {
  throttleMs: number;
  /** Of the request or of the partition. */
  errorCode: number;
  /** Null when the answer leaves it out, as one to a throttled client does (KIP-219). */
  partition: FetchedPartition | null;
  /** The broker compared the topic's id, so the records are of no other topic with its name. */
  byId: boolean;
}

/**
 * One Fetch from the leader: no session, no follower, the record set as bytes.
 * @throws TooOldError, TooNewError, WireError, and what {@link KafkaConnection.ask} throws.
 */
export async function fetchOnce(k: KafkaConnection, question: FetchQuestion): Promise<FetchAnswer> {
  const answer = await k.ask(question.leader, (versions) => {
    const version = fetchVersion(versions, question.topicId);
    return wireCall({
      apiKey: FETCH,
      apiName: "Fetch",
      version,
      flexible: version >= BY_ID,
      write: (to) => writeRequest(to, version, question),
      read: (from) => readAnswer(from, version, question),
    });
  });
  return answer as FetchAnswer;
}

function fetchVersion(versions: BrokerVersions, topicId: string | null): number {
  const { minVersion = 0, maxVersion = -1 } = versions[FETCH] ?? {};
  if (topicId !== null && minVersion <= BY_ID && maxVersion >= BY_ID) return BY_ID;
  return pickVersion(versions, FETCH, OLDEST, NEWEST_BY_NAME);
}

function writeRequest(to: WireWriter, version: number, q: FetchQuestion): void {
  to.int32(-1).int32(q.waitMs).int32(1).int32(q.maxBytes);
  to.int8(q.isolation === "read_committed" ? 1 : 0);
  if (version >= 7) to.int32(0).int32(-1);
  to.array([q], ({ topic, topicId }) => {
    if (version >= BY_ID) to.uuid(topicId ?? "");
    else to.string(topic);
    to.array([q], ({ partition }) => writePartition(to, version, partition, q)).tags();
  });
  if (version >= 7) to.array([], () => {});
  if (version >= 11) to.string("");
  to.tags();
}

function writePartition(to: WireWriter, version: number, partition: number, q: FetchQuestion): void {
  to.int32(partition);
  if (version >= 9) to.int32(q.leaderEpoch ?? -1);
  to.int64(q.offset);
  if (version >= BY_ID) to.int32(-1); // the epoch of the last record fetched: only followers tell it
  if (version >= 5) to.int64(-1);
  to.int32(q.maxBytes).tags();
}

function readAnswer(from: WireReader, version: number, q: FetchQuestion): FetchAnswer {
  const answer: FetchAnswer = {
    throttleMs: from.int32(),
    errorCode: 0,
    partition: null,
    byId: version >= BY_ID,
  };
  if (version >= 7) {
    answer.errorCode = from.int16();
    from.int32();
  }
  from.array(() => {
    const topic = version >= BY_ID ? from.uuid() : from.string();
    from.array(() => {
      const index = from.int32();
      const errorCode = from.int16();
      const partition = readPartition(from, version);
      if (topic !== (version >= BY_ID ? q.topicId : q.topic) || index !== q.partition) return;
      answer.errorCode ||= errorCode;
      answer.partition = partition;
    });
    from.tags();
  });
  return answer;
}

function readPartition(from: WireReader, version: number): FetchedPartition {
  const [highWatermark, lastStableOffset] = [from.offset(), from.offset()];
  const logStartOffset = version >= 5 ? from.offset() : -1;
  const aborted = from.array(() => {
    const transaction = { producerId: from.int64(), firstOffset: from.offset() };
    from.tags();
    return transaction;
  });
  if (version >= 11) from.int32();
  const records = from.view();
  from.tags();
  return { highWatermark, lastStableOffset, logStartOffset, aborted, records };
}
