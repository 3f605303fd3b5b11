import type { Failure } from "@/lib/observed/observation";
import type { KafkaConnection } from "../connection";
import { brokerFailure, kafkaFailure } from "../failure";
import { errorCodes, passingErrors } from "../requests";
import { pickVersion, TooOldError, type WireReader, wireCall } from "../wire";
import type { LogSource } from "./log-offsets";
import type { TopicPartition } from "./log-reader";
import { mayPass, orAborted, Patience } from "./patience";
import type { Led } from "./topic-map";
import { unreadable } from "./unreadable";

const OFFSET_FOR_LEADER_EPOCH = 23;

/** What a leader says of an epoch. */
interface EpochEnd {
  errorCode: number;
  /** The offset after the last record of it in the leader's log; null when it knows nothing of that time. */
  end: number | null;
}

/** The last records read: the epoch of the leader that wrote them, and the offset after them. */
interface LastRead {
  epoch: number;
  end: number;
}

/**
 * Whether records that were read are in the log no more, since an unclean leader election cut it, even if others have grown
 * past their offsets: then the epoch ends before what was read of it. False where brokers cannot tell.
 * @throws LogReadError where nobody could be asked, and the signal's reason
 */
export async function wasCut(
  source: LogSource,
  at: TopicPartition,
  { epoch, end }: LastRead,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const patience = new Patience(source.patienceMs, signal);
  for (;;) {
    const answer = await orAborted(ask(source, at, epoch), signal);
    if (answer === "cannot tell") return false;
    if ("end" in answer) return answer.end !== null && answer.end < end;
    const { failure, passing } = answer;
    source.topics.forget(at.topic);
    if (!passing || !(await patience.again()))
      throw unreadable(at, end, failure.kind, failure.sentence, failure.remedy);
  }
}

type Reply = "cannot tell" | { end: number | null } | { failure: Failure; passing: boolean };

async function ask(source: LogSource, at: TopicPartition, epoch: number): Promise<Reply> {
  const [led] = await source.topics.leaders([at]);
  if (led === undefined) return "cannot tell";
  if ("kind" in led) return { failure: led, passing: mayPass(led) };
  const about = { about: "offsets", topic: at.topic } as const;
  try {
    const { errorCode, end } = await askEpochEnd(source.k, { ...at, ...led }, epoch);
    if (errorCode === errorCodes.none) return { end };
    return { failure: brokerFailure(errorCode, about), passing: passingErrors.has(errorCode) };
  } catch (error) {
    if (error instanceof TooOldError) return "cannot tell";
    const failure = kafkaFailure(error, about);
    return { failure, passing: mayPass(failure) };
  }
}

/**
 * Asks the leader where an epoch ends in its log (KIP-101), which is how consumers find out that their log was cut (KIP-320).
 * Needs Describe on the topic. @throws TooOldError before Kafka 2.1, and what {@link KafkaConnection.ask} throws.
 */
async function askEpochEnd(
  k: KafkaConnection,
  { topic, partition, leader, leaderEpoch }: TopicPartition & Led,
  epoch: number,
): Promise<EpochEnd> {
  const answer = await k.ask(leader, (versions) => {
    const version = pickVersion(versions, OFFSET_FOR_LEADER_EPOCH, 2, 3);
    return wireCall({
      apiKey: OFFSET_FOR_LEADER_EPOCH,
      apiName: "OffsetForLeaderEpoch",
      version,
      flexible: false,
      write: (to) => {
        if (version >= 3) to.int32(-1);
        to.array([topic], (name) => {
          to.string(name).array([partition], (index) => {
            to.int32(index)
              .int32(leaderEpoch ?? -1)
              .int32(epoch);
          });
        });
      },
      read: (from) => readAnswer(from, topic, partition),
    });
  });
  return answer as EpochEnd;
}

/** -1, an unknown error, where the partition is left out. */
function readAnswer(from: WireReader, topic: string, partition: number): EpochEnd {
  let found: EpochEnd = { errorCode: -1, end: null };
  from.int32();
  from.array(() => {
    const name = from.string();
    from.array(() => {
      const [errorCode, index] = [from.int16(), from.int32()];
      from.int32();
      const end = from.offset();
      if (name === topic && index === partition) found = { errorCode, end: end < 0 ? null : end };
    });
  });
  return found;
}
