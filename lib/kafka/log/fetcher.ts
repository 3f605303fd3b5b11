import type { Failure } from "@/lib/observed/observation";
import { NoBrokerReachedError } from "../connection";
import { brokerFailure, kafkaFailure } from "../failure";
import { errorCodes, logEnds, passingErrors } from "../requests";
import { type FetchAnswer, type FetchedPartition, fetchOnce } from "./fetch";
import { type LogSource, offsetsOf } from "./log-offsets";
import type { Isolation, TopicPartition } from "./log-reader";
import { mayPass, orAborted, Patience } from "./patience";
import type { Led } from "./topic-map";
import { unreadable } from "./unreadable";

/** How long an empty answer is doubted. */
const DOUBT_MS = 500;
/** How long a topic may be gone that was being read, before it is called gone. */
const GONE_MS = 2_000;

export type Fetched =
  | { what: "records"; end: number; partition: FetchedPartition; byId: boolean }
  /** The offset lies outside of the log, whose first offset and high watermark these are. */
  | { what: "outside"; first: number; end: number }
  /** Another topic has its name now. */
  | { what: "recreated" };

/** Fetches from one partition, wherever its leader goes, for one read. */
export interface Fetcher {
  /** Tries again what may heal by itself. @throws LogReadError, or the signal's reason */
  fetch(offset: number, maxBytes: number): Promise<Fetched>;
  /** Whether the topic is still the one that the first records came from, as far as the brokers can tell. */
  sameTopic(): Promise<boolean>;
}

type Trial = { fetched: Fetched } | { failure: Failure; passing: boolean } | { throttleMs: number };

export function openFetcher(
  source: LogSource,
  at: TopicPartition,
  isolation: Isolation,
  signal: AbortSignal | undefined,
  expectedTopicId: string | null,
): Fetcher {
  /** Of the topic that is being read: the one expected, else that of the first answer. */
  let topicId = expectedTopicId;
  let quietUntil = 0;

  async function fetch(offset: number, maxBytes: number): Promise<Fetched> {
    const patience = new Patience(source.patienceMs, signal);
    const gone = new Patience(GONE_MS, signal);
    for (let waitMs = 0; ; ) {
      signal?.throwIfAborted();
      const trial = await attempt(offset, maxBytes, waitMs);
      if ("fetched" in trial) {
        const { fetched } = trial;
        // Nothing, before the end: all that followed was compacted away. A broker may also not be ready: ask twice.
        const odd =
          fetched.what === "records" && fetched.partition.records.length === 0 && offset < fetched.end;
        if (!odd || waitMs > 0) return fetched;
        waitMs = DOUBT_MS;
      } else if ("throttleMs" in trial) {
        if (!(await patience.hold(trial.throttleMs))) throw throttled(at, offset);
      } else {
        const { failure } = trial;
        source.topics.forget(at.topic);
        const patient = failure.kind === "not-found" && topicId !== null ? gone : patience;
        const again = (trial.passing || patient === gone) && (await patient.again());
        if (!again) throw unreadable(at, offset, failure.kind, failure.sentence, failure.remedy);
      }
    }
  }

  async function attempt(offset: number, maxBytes: number, waitMs: number): Promise<Trial> {
    if (quietUntil > Date.now()) return { throttleMs: quietUntil - Date.now() };
    const [led] = await orAborted(source.topics.leaders([at]), signal);
    if (led === undefined) return { failure: noAnswer, passing: true };
    if ("kind" in led) return { failure: led, passing: mayPass(led) };
    if (topicId !== null && led.topicId !== null && led.topicId !== topicId)
      return { fetched: { what: "recreated" } };
    const bytes = Math.min(maxBytes, source.gate.mostBytes);
    let answer: FetchAnswer;
    try {
      const question = { ...at, ...led, offset, isolation, maxBytes: bytes, waitMs };
      const fetching = source.gate.run(led.leader, bytes, signal, () => fetchOnce(source.k, question));
      answer = await orAborted(fetching, signal);
    } catch (error) {
      signal?.throwIfAborted();
      return notFetched(error, bytes);
    }
    source.gate.inTime();
    if (answer.throttleMs > 0) quietUntil = Date.now() + answer.throttleMs;
    return judge(answer, led, offset);
  }

  async function judge(answer: FetchAnswer, led: Led, offset: number): Promise<Trial> {
    const { errorCode, partition, throttleMs, byId } = answer;
    if (errorCode === errorCodes.offsetOutOfRange) return outside(offset);
    if (errorCode !== errorCodes.none) {
      const failure = brokerFailure(errorCode, { about: "records", topic: at.topic });
      return { failure, passing: passingErrors.has(errorCode) };
    }
    if (partition === null) return throttleMs > 0 ? { throttleMs } : { failure: noAnswer, passing: true };
    const { highWatermark, lastStableOffset } = partition;
    const stable = isolation === "read_committed" && lastStableOffset >= 0;
    const end = stable ? Math.min(lastStableOffset, highWatermark) : highWatermark;
    if (partition.records.length === 0 && offset < end && throttleMs > 0) return { throttleMs };
    topicId ??= led.topicId;
    return { fetched: { what: "records", end, partition, byId } };
  }

  async function outside(offset: number): Promise<Trial> {
    const questions = [logEnds.earliest, logEnds.latest].map((timestamp) => ({ ...at, timestamp }));
    const [first = noAnswer, end = noAnswer] = await orAborted(
      offsetsOf(source, questions, "read_uncommitted", signal),
      signal,
    );
    if (typeof first !== "number") return { failure: first, passing: mayPass(first) };
    if (typeof end !== "number") return { failure: end, passing: mayPass(end) };
    if (offset < first || offset > end) return { fetched: { what: "outside", first, end } };
    // A leader that was just elected may have less than what its followers tell.
    const sentence = `the broker calls the offset out of range, and the range ${first} to ${end}`;
    return { failure: { kind: "server-error", sentence, remedy: null }, passing: true };
  }

  function notFetched(error: unknown, bytes: number): Trial {
    if (error instanceof NoBrokerReachedError && codeOf(error.cause) === "TOO_LARGE") {
      return { failure: tooLarge, passing: false };
    }
    const failure = kafkaFailure(error, { about: "records", topic: at.topic });
    if (failure.kind === "timeout") source.gate.tooLate(bytes);
    return { failure, passing: mayPass(failure) };
  }

  async function sameTopic(): Promise<boolean> {
    if (topicId === null) return true;
    source.topics.forget(at.topic);
    const [led] = await orAborted(source.topics.leaders([at]), signal);
    return led === undefined || "kind" in led || led.topicId === null || led.topicId === topicId;
  }

  return { fetch, sameTopic };
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : null;
}

function throttled(at: TopicPartition, offset: number) {
  return unreadable(
    at,
    offset,
    "timeout",
    "the broker held back all records for five minutes (its quota for this client is used up)",
    "Raise consumer_byte_rate for Tidemark's user, or for the client id tidemark, with kafka-configs.sh.",
  );
}

const noAnswer: Failure = {
  kind: "server-error",
  sentence: "the broker's answer leaves out the partition",
  remedy: null,
};

const tooLarge: Failure = {
  kind: "too-large",
  sentence: "the broker's answer is larger than the 64 MiB that Tidemark takes at once",
  remedy: "A single batch of that size cannot be read; the offsets after it can.",
};
