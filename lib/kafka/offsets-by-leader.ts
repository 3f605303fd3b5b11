import type { Failure } from "@/lib/observed/observation";
import type { KafkaConnection } from "./connection";
import { kafkaFailure } from "./failure";
import { listOffsets, type OffsetQuestion } from "./requests";

/** Partitions in one offset request: by time a broker looks each up on its disk, and must answer in time. */
const PARTITIONS_A_REQUEST = 5_000;

/** A question with the broker that leads its partition. */
export interface LedOffsetQuestion extends OffsetQuestion {
  leader: number;
}

/**
 * What a leader said: an offset (-1: no record that late) with its record's timestamp (-1 for the ends of a log), one of the
 * protocol's error codes, or why it could not be asked.
 */
export type OffsetReply =
  | { offset: bigint; timestamp: bigint }
  | { errorCode: number }
  | { failure: Failure };

/**
 * Asks each leader once for all its partitions (once for each 5,000), all leaders at the same time. Brokers refuse a
 * request that names a partition twice: a second question about it goes into a second request.
 * Replies in the order asked; nothing is thrown.
 */
export async function offsetsByLeader(
  k: KafkaConnection,
  questions: readonly LedOffsetQuestion[],
  isolation: "read_committed" | "read_uncommitted",
): Promise<OffsetReply[]> {
  const replies: OffsetReply[] = new Array(questions.length);
  const byLeader = new Map<number, number[][]>();
  const roundOf = roundCounter();
  questions.forEach((question, index) => {
    const round = roundOf(question);
    const rounds = byLeader.get(question.leader) ?? [];
    byLeader.set(question.leader, rounds);
    const indexes = rounds[round] ?? [];
    rounds[round] = indexes;
    indexes.push(index);
  });
  const askLeader = async (leader: number, rounds: readonly number[][]) => {
    // One after the other: a broker never has two of these requests in flight.
    for (const round of rounds)
      for (let i = 0; i < round.length; i += PARTITIONS_A_REQUEST) {
        const indexes = round.slice(i, i + PARTITIONS_A_REQUEST);
        const asked = indexes.map((index) => questions[index]).filter((one) => one !== undefined);
        const answers = await askOne(k, leader, asked, isolation);
        indexes.forEach((index, at) => {
          replies[index] = answers[at] ?? notAnswered();
        });
      }
  };
  await Promise.all([...byLeader].map(([leader, rounds]) => askLeader(leader, rounds.filter(Boolean))));
  return replies;
}

/** How often a partition was named before, by topic: ten thousand names of both would be made for nothing else. */
function roundCounter(): (question: OffsetQuestion) => number {
  const seen = new Map<string, Map<number, number>>();
  return ({ topic, partition }) => {
    let partitions = seen.get(topic);
    if (!partitions) {
      partitions = new Map();
      seen.set(topic, partitions);
    }
    const round = partitions.get(partition) ?? 0;
    partitions.set(partition, round + 1);
    return round;
  };
}

async function askOne(
  k: KafkaConnection,
  leader: number,
  asked: readonly LedOffsetQuestion[],
  isolation: "read_committed" | "read_uncommitted",
): Promise<OffsetReply[]> {
  try {
    const answers = await listOffsets(k, leader, asked, isolation);
    return asked.map(({ topic, partition }) => {
      const answer = answers.get(topic)?.get(partition);
      if (!answer) return notAnswered();
      return answer.errorCode === 0
        ? { offset: answer.offset, timestamp: answer.timestamp }
        : { errorCode: answer.errorCode };
    });
  } catch (error) {
    return asked.map(({ topic }) => ({ failure: kafkaFailure(error, { about: "offsets", topic }) }));
  }
}

function notAnswered(): OffsetReply {
  return {
    failure: {
      kind: "invalid-answer",
      sentence: "the broker's answer leaves out a partition that it was asked for",
      remedy: null,
    },
  };
}
