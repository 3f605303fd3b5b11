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

/** Offsets of one topic's partitions, as the brokers told them in one poll; lists in the order of its description. */
export interface TopicPlaces {
  wish: TopicWishes;
  described: DescribedTopic;
  /** Why it could not be looked at: then nothing else of it is to be used. */
  failure: Failure | null;
  ends: Map<Isolation, number[]>;
  /** By time: the first record at or after it; beyond any end where there is none. */
  times: Map<number, TimedOffset[]>;
  /** First offsets; absent where they were not asked for. */
  firsts: (number | undefined)[];
}

/** Beyond any end: no record is that late. */
const none: TimedOffset = { offset: Number.MAX_SAFE_INTEGER, timestamp: -1 };

export function nothingYet(wish: TopicWishes, described: DescribedTopic): TopicPlaces {
  return { wish, described, failure: null, ends: new Map(), times: new Map(), firsts: [] };
}

/** A question about one partition, and where its answer goes. */
type Question<T> = TopicPartition & { of: TopicPlaces; index: number; into: (T | undefined)[] };

/**
 * Asks for ends, then for places, so that what is counted was all there at the end that it is counted to; then for first
 * offsets, where they matter. A topic of which anything fails is not asked about again.
 */
export async function askPlaces(log: LogReader, topics: readonly TopicPlaces[], now: number): Promise<void> {
  await Promise.all([askEnds(log, topics, "read_uncommitted"), askEnds(log, topics, "read_committed")]);
  await askTimes(log, topics);
  await askFirsts(log, topics, now);
}

async function askEnds(log: LogReader, topics: readonly TopicPlaces[], isolation: Isolation): Promise<void> {
  const questions = topics.flatMap((of) => {
    if (!of.wish.isolations.has(isolation)) return [];
    const ends: number[] = [];
    of.ends.set(isolation, ends);
    return questionsOf<number>(of, ends);
  });
  if (questions.length === 0) return;
  const end = isolation === "read_committed" ? "last-stable" : "latest";
  keep(questions, await log.ends(questions, end));
}

async function askTimes(log: LogReader, topics: readonly TopicPlaces[]): Promise<void> {
  const questions = topics.flatMap((of) => {
    if (of.failure) return [];
    return of.wish.timesAsked().flatMap((timestamp) => {
      const places: TimedOffset[] = [];
      of.times.set(timestamp, places);
      return questionsOf<TimedOffset>(of, places, timestamp);
    });
  });
  if (questions.length === 0) return;
  const answers = await log.offsetsForTime(questions);
  keep(
    questions,
    answers.map((answer) => (answer === null ? none : answer)),
  );
}

async function askFirsts(log: LogReader, topics: readonly TopicPlaces[], now: number): Promise<void> {
  const questions = topics.flatMap((of) => {
    const { needsEarliest, oldestCommit } = of.wish;
    const isOld = oldestCommit !== null && now - oldestCommit > OLD_COMMIT_MS;
    if (of.failure || !(needsEarliest || isOld)) return [];
    // Of the oldest time that was asked: with records after a later one, there are some after it.
    const after = of.times.get(of.wish.timesAsked()[0] ?? -1);
    return questionsOf<number>(of, of.firsts).filter(({ index }) => needsEarliest || after?.[index] !== none);
  });
  if (questions.length > 0) keep(questions, await log.ends(questions, "earliest"));
}

function questionsOf<T>(of: TopicPlaces, into: (T | undefined)[], timestamp = 0) {
  const { topic, partitions } = of.described;
  return partitions.map(({ partition }, index) => ({ topic, partition, timestamp, of, index, into }));
}

function keep<T>(questions: readonly Question<T>[], answers: readonly (T | Failure)[]): void {
  questions.forEach(({ of, topic, partition, index, into }, i) => {
    const answer = answers[i];
    if (answer === undefined) of.failure ??= notAnswered(topic, partition);
    else if (isFailure(answer)) of.failure ??= answer;
    else into[index] = answer;
  });
}

function isFailure(answer: unknown): answer is Failure {
  return typeof answer === "object" && answer !== null && "kind" in answer;
}

function notAnswered(topic: string, partition: number): Failure {
  const sentence = `the brokers' answer leaves out partition ${partition} of topic ${topic}`;
  return { kind: "invalid-answer", sentence, remedy: null };
}
