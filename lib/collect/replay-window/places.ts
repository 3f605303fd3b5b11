import type {
  DescribedTopic,
  Isolation,
  LogReader,
  TimedOffset,
  TopicPartition,
} from "@/lib/kafka/log/log-reader";
import type { Failure } from "@/lib/observed/observation";
import type { TopicWishes } from "./topic-wishes";

/** Where a commit is older, retention may have passed it: the shortest segments that are in use hold minutes. */
const OLD_COMMIT_MS = 15 * 60_000;

/** Offsets of partitions, as the brokers told them in one poll. */
export interface Places {
  end(at: TopicPartition, isolation: Isolation): number;
  /** The first record at or after a time; `end` with the timestamp -1 where there is none; null: not asked. */
  at(at: TopicPartition, time: number): TimedOffset | null;
  /** Null: not asked. */
  earliest(at: TopicPartition): number | null;
}

interface Asked {
  wish: TopicWishes;
  described: DescribedTopic;
}

/** Beyond any end: no record is that late. */
const none: TimedOffset = { offset: Number.MAX_SAFE_INTEGER, timestamp: -1 };

/**
 * Asks for ends, then for places, so that what is counted was all there at the end that it is counted to; then for first
 * offsets, where they matter. A topic that fails is put among the `failures` and not asked about again.
 */
export async function askPlaces(
  log: LogReader,
  asked: readonly Asked[],
  failures: Map<string, Failure>,
  now: number,
): Promise<Places> {
  const ends = new Map<string, number>();
  const times = new Map<string, TimedOffset>();
  const firsts = new Map<string, number>();
  const partitionsOf = (wanted: (wish: TopicWishes) => boolean) =>
    asked
      .filter(({ wish }) => !failures.has(wish.topic) && wanted(wish))
      .flatMap(({ wish, described }) =>
        described.partitions.map(({ partition }) => ({ topic: wish.topic, partition, wish })),
      );
  const take = <T>(
    partitions: readonly TopicPartition[],
    answers: readonly (T | Failure)[],
    keep: (answer: T, at: number) => void,
  ) => {
    partitions.forEach(({ topic, partition }, i) => {
      const told = answers[i];
      // Null is an answer: no record is that late.
      const answer = told === undefined ? notAnswered(topic, partition) : told;
      if (isFailure(answer)) {
        if (!failures.has(topic)) failures.set(topic, answer);
      } else keep(answer, i);
    });
  };

  const isolations = ["read_uncommitted", "read_committed"] as const;
  await Promise.all(
    isolations.map(async (isolation) => {
      const partitions = partitionsOf((wish) => wish.isolations.has(isolation));
      if (partitions.length === 0) return;
      const end = isolation === "read_committed" ? "last-stable" : "latest";
      take(partitions, await log.ends(partitions, end), (offset: number, i) => {
        ends.set(`${isolation} ${keyOf(partitions[i])}`, offset);
      });
    }),
  );

  const timed = partitionsOf(() => true).flatMap(({ topic, partition, wish }) =>
    wish.timesAsked().map((timestamp) => ({ topic, partition, timestamp })),
  );
  if (timed.length > 0)
    take<TimedOffset | null>(timed, await log.offsetsForTime(timed), (found, i) => {
      times.set(`${timed[i]?.timestamp} ${keyOf(timed[i])}`, found ?? none);
    });

  const hasRecords = (at: TopicPartition, { oldestCommit }: TopicWishes) =>
    oldestCommit !== null &&
    (times.get(`${oldestCommit + 1} ${keyOf(at)}`)?.offset ?? 0) < Number.MAX_SAFE_INTEGER;
  const isOld = ({ oldestCommit }: TopicWishes) =>
    oldestCommit !== null && now - oldestCommit > OLD_COMMIT_MS;
  const first = partitionsOf((wish) => wish.needsEarliest || isOld(wish)).filter(
    (at) => at.wish.needsEarliest || hasRecords(at, at.wish),
  );
  if (first.length > 0)
    take(first, await log.ends(first, "earliest"), (offset: number, i) => {
      firsts.set(keyOf(first[i]), offset);
    });

  return {
    end: (at, isolation) => ends.get(`${isolation} ${keyOf(at)}`) ?? 0,
    at: (at, time) => times.get(`${time} ${keyOf(at)}`) ?? null,
    earliest: (at) => firsts.get(keyOf(at)) ?? null,
  };
}

const keyOf = (at: TopicPartition | undefined) => `${at?.partition} ${at?.topic}`;

function isFailure(answer: unknown): answer is Failure {
  return typeof answer === "object" && answer !== null && "kind" in answer;
}

function notAnswered(topic: string, partition: number): Failure {
  const sentence = `the brokers' answer leaves out partition ${partition} of topic ${topic}`;
  return { kind: "invalid-answer", sentence, remedy: null };
}
