import type { Failure } from "@/lib/observed/observation";
import type { KafkaConnection } from "../connection";
import { brokerFailure } from "../failure";
import { type LedOffsetQuestion, type OffsetReply, offsetsByLeader } from "../offsets-by-leader";
import { type OffsetQuestion, passingErrors } from "../requests";
import type { FetchGate } from "./fetch-gate";
import type { Isolation } from "./log-reader";
import { mayPass, Patience } from "./patience";
import type { TopicMap } from "./topic-map";

/** What a read of the log works with. */
export interface LogSource {
  k: KafkaConnection;
  topics: TopicMap;
  gate: FetchGate;
  /** How long to try again what may heal by itself, milliseconds. */
  patienceMs: number;
}

/** An offset for each question, as {@link answersOf} has it. -1: no record is that late. */
export async function offsetsOf(
  source: LogSource,
  questions: readonly OffsetQuestion[],
  isolation: Isolation,
  signal?: AbortSignal,
): Promise<(number | Failure)[]> {
  const answers = await answersOf(source, questions, isolation, signal);
  return answers.map((answer) => ("offset" in answer ? answer.offset : answer));
}

/** An offset (-1: no record is that late), and the timestamp of the record there when a time was asked for, else -1. */
export interface FoundOffset {
  offset: number;
  timestamp: number;
}

/**
 * An answer for each question, in the order asked: one ListOffsets for each leader, and again for those partitions whose
 * leader moved meanwhile. Nothing is thrown but the signal's reason.
 */
export async function answersOf(
  source: LogSource,
  questions: readonly OffsetQuestion[],
  isolation: Isolation,
  signal?: AbortSignal,
): Promise<(FoundOffset | Failure)[]> {
  const results: (FoundOffset | Failure)[] = new Array(questions.length);
  const patience = new Patience(source.patienceMs, signal);
  let open = questions.map((question, index) => ({ question, index }));
  while (open.length > 0) {
    const outcomes = await askOnce(
      source,
      open.map((o) => o.question),
      isolation,
    );
    open = open.filter(({ question, index }, i) => {
      const { result, passing } = outcomes[i] ?? unanswered;
      results[index] = result;
      if (passing) source.topics.forget(question.topic);
      return passing;
    });
    if (open.length > 0 && !(await patience.again())) break;
  }
  return results;
}

interface Outcome {
  result: FoundOffset | Failure;
  /** Worth another try. */
  passing: boolean;
}

const unanswered: Outcome = {
  result: { kind: "internal", sentence: "a partition was left out", remedy: null },
  passing: false,
};

async function askOnce(
  source: LogSource,
  questions: readonly OffsetQuestion[],
  isolation: Isolation,
): Promise<Outcome[]> {
  const leaders = await source.topics.leaders(questions);
  const led: LedOffsetQuestion[] = [];
  const outcomes = questions.map((question, i): Outcome | null => {
    const leader = leaders[i] ?? (unanswered.result as Failure);
    if ("kind" in leader) return { result: leader, passing: mayPass(leader) };
    const { topic, partition, timestamp } = question;
    led.push({ topic, partition, timestamp, leader: leader.leader });
    return null;
  });
  const replies = (await offsetsByLeader(source.k, led, isolation))[Symbol.iterator]();
  return outcomes.map((outcome, i) => {
    if (outcome) return outcome;
    return judge(replies.next().value, questions[i]?.topic ?? "");
  });
}

function judge(reply: OffsetReply | undefined, topic: string): Outcome {
  if (!reply) return unanswered;
  if ("failure" in reply) return { result: reply.failure, passing: mayPass(reply.failure) };
  if ("errorCode" in reply) {
    const result = brokerFailure(reply.errorCode, { about: "offsets", topic });
    return { result, passing: passingErrors.has(reply.errorCode) };
  }
  const offset = Number(reply.offset);
  if (Number.isSafeInteger(offset))
    return { result: { offset, timestamp: Number(reply.timestamp) }, passing: false };
  const sentence = `the broker gives ${reply.offset} as an offset of topic ${topic}`;
  return { result: { kind: "invalid-answer", sentence, remedy: null }, passing: false };
}
