import {
  type DescribedTopic,
  LogReadError,
  type LogReader,
  type TopicPartition,
} from "@/lib/kafka/log/log-reader";
import type { LogRecord } from "@/lib/kafka/log/record";
import type { Failure } from "@/lib/observed/observation";
import { inTurn } from "../in-turn";

/** Partitions that are read at the same time. */
const AT_ONCE = 2;
/** Of one fetch: an offset topic is small, and what is read ahead is held in memory. */
const FETCH_BYTES = 256 * 1024;

/** A poll that has more to read than this allows says how far it is, and the next one goes on. Milliseconds. */
const LONGEST_POLL_MS = 30_000;

/** Takes what is read. */
export interface TopicSink {
  /** A topic will be read from its start, perhaps again. Called before it is asked where the partitions end. */
  begin(topic: string, partitions: readonly number[]): Promise<void>;
  /** The topic is about to be read; `ends` holds where each of its partitions ends. */
  start(topic: string, ends: ReadonlyMap<number, number>): Promise<void>;
  /** Records in the order of their partition. Those of a batch that failed on the way can come again. */
  take(topic: string, kafkaPartition: number, records: readonly LogRecord[]): Promise<void>;
  /** Other records lie there now than those that were taken of the topic; with `ends`, only from there on. */
  forget(topic: string, ends?: ReadonlyMap<number, number>): Promise<void>;
}

interface Followed {
  topicId: string | null;
  /** Next offset to be read, by partition; empty before the first read. */
  next: Map<number, number>;
  /** Records taken since the start. */
  taken: number;
}

/** What the reads of one poll share. */
interface Poll {
  sink: TopicSink;
  signal: AbortSignal | undefined;
  /** When they leave the rest for the next poll, milliseconds since 1970. */
  until: number;
  /** What the sink or the signal threw first. It is thrown on when no read is under way any more. */
  thrown: { error: unknown } | null;
}

/** Topics that are read from their start and then as they grow, each partition from where the last poll ended. */
interface TopicFollower {
  /**
   * Reads what is new. For each topic null when it has been read to its end as it was during this poll, or why not; a later
   * poll goes on from there. Throws only what the sink throws, and the signal's reason.
   */
  poll(
    topics: readonly string[],
    sink: TopicSink,
    signal?: AbortSignal,
  ): Promise<Map<string, Failure | null>>;
  /** The next poll reads from the start. */
  restart(): void;
}

export function followTopics(log: LogReader, longestPollMs = LONGEST_POLL_MS): TopicFollower {
  const followed = new Map<string, Followed>();

  async function poll(topics: readonly string[], sink: TopicSink, signal?: AbortSignal) {
    for (const topic of followed.keys()) if (!topics.includes(topic)) followed.delete(topic);
    const states = new Map<string, Failure | null>();
    if (topics.length === 0) return states;
    const look = await log.describe(topics);
    const described: DescribedTopic[] = [];
    for (const topic of topics) {
      const found = look.failure ?? look.value.get(topic) ?? notDescribed(topic);
      if ("kind" in found) states.set(topic, found);
      else if (await isAnother(found, sink)) states.set(topic, madeAgain(topic));
      else described.push(found);
    }
    for (const { topic, partitions } of described)
      if (!followed.has(topic))
        await sink.begin(
          topic,
          partitions.map((p) => p.partition),
        );
    const ends = await endsOf(described);
    const shared: Poll = { sink, signal, until: Date.now() + longestPollMs, thrown: null };
    await inTurn(described, AT_ONCE, async (topic) => {
      const state = await readTopic(topic, ends.get(topic.topic) ?? new Map(), shared).catch((error) => {
        stop(shared, error);
        return cancelled;
      });
      states.set(topic.topic, state);
    });
    if (shared.thrown) throw shared.thrown.error;
    return states;
  }

  /** Whether another topic has the name now; then nothing is known of it, and the next poll starts. */
  async function isAnother({ topic, topicId }: DescribedTopic, sink: TopicSink): Promise<boolean> {
    const known = followed.get(topic);
    if (!known || known.topicId === null || topicId === null || known.topicId === topicId) return false;
    await startAgain(topic, sink);
    return true;
  }

  /** With `ends`, the topic is the same one, cut by an unclean leader election: what lies before them is still true. */
  async function startAgain(
    topic: string,
    sink: TopicSink,
    ends?: ReadonlyMap<number, number>,
  ): Promise<Failure> {
    followed.delete(topic);
    await sink.forget(topic, ends);
    return madeAgain(topic);
  }

  /** Where each partition ends for a reader that waits for commits, in one question for all of them. */
  async function endsOf(described: readonly DescribedTopic[]) {
    const asked = described.flatMap((t) =>
      t.partitions.map((p) => ({ topic: t.topic, partition: p.partition })),
    );
    const answers = asked.length > 0 ? await log.ends(asked, "last-stable") : [];
    const ends = new Map<string, Map<number, number | Failure>>();
    asked.forEach(({ topic, partition }, i) => {
      const ofTopic = ends.get(topic) ?? new Map<number, number | Failure>();
      ends.set(topic, ofTopic);
      ofTopic.set(partition, answers[i] ?? notDescribed(topic));
    });
    return ends;
  }

  async function readTopic(
    { topic, topicId }: DescribedTopic,
    ends: ReadonlyMap<number, number | Failure>,
    shared: Poll,
  ): Promise<Failure | null> {
    const { sink } = shared;
    const known = new Map<number, number>();
    for (const [partition, end] of ends) if (typeof end === "number") known.set(partition, end);
    const failed = [...ends.values()].find((end) => typeof end !== "number");
    if (failed !== undefined && typeof failed !== "number") return failed;
    let state = followed.get(topic);
    if (!state) {
      await sink.start(topic, known);
      state = { topicId, next: new Map(), taken: 0 };
      followed.set(topic, state);
    }
    state.topicId ??= topicId;
    const { next } = state;
    const shorter = [...next].some(([partition, at]) => at > (known.get(partition) ?? 0));
    if (shorter) return startAgain(topic, sink, topicId === null ? undefined : known);
    const grown = [...known].filter(([partition, end]) => end > (next.get(partition) ?? 0));
    const results = await inTurn(grown, AT_ONCE, ([partition, to]) =>
      readPartition({ topic, partition, topicId, to }, state, shared),
    );
    if (results.includes("recreated")) return startAgain(topic, sink);
    if (results.includes("overtaken")) {
      followed.delete(topic);
      return overtaken(topic);
    }
    const failure = results.find((r) => typeof r === "object" && r !== null);
    return failure ?? (results.includes("unfinished") ? unfinished(topic, state.taken) : null);
  }

  /** Reads on from where the last read ended. That is noted batch by batch: what was taken stays taken. */
  async function readPartition(
    { topicId, to, ...at }: TopicPartition & { topicId: string | null; to: number },
    state: Followed,
    shared: Poll,
  ): Promise<Failure | "recreated" | "overtaken" | "unfinished" | null> {
    const { next } = state;
    const { sink, signal } = shared;
    const from = next.get(at.partition) ?? 0;
    if (Date.now() > shared.until) return "unfinished";
    const batches = log.read({
      ...at,
      topicId,
      from,
      to,
      isolation: "read_committed",
      fetchBytes: FETCH_BYTES,
      ...(signal ? { signal } : {}),
    });
    try {
      for (;;) {
        const step = await batches.next();
        if (step.done) {
          const { why, deleted } = step.value;
          if (why === "recreated") return "recreated";
          if (from > 0 && deleted.length > 0) return "overtaken";
          next.set(at.partition, step.value.next);
          if (why !== "cancelled") return null;
          stop(shared, signal?.reason);
          return cancelled;
        }
        const batch = step.value;
        const records = batch.records();
        await sink.take(at.topic, at.partition, records);
        const reached = Math.min(batch.lastOffset + 1, to);
        next.set(at.partition, reached);
        state.taken += records.length;
        if (reached < to && Date.now() > shared.until) return "unfinished";
      }
    } catch (error) {
      if (error instanceof LogReadError) return error.failure;
      stop(shared, error);
      return cancelled;
    } finally {
      await batches.return?.({ why: "cancelled", next: from, deleted: [], bytes: 0 });
    }
  }

  return { poll, restart: () => followed.clear() };
}

function stop(shared: Poll, error: unknown): void {
  shared.thrown ??= { error };
  shared.until = 0;
}

const cancelled: Failure = { kind: "internal", sentence: "reading was stopped", remedy: null };

function notDescribed(topic: string): Failure {
  return { kind: "not-found", sentence: `the brokers said nothing of topic ${topic}`, remedy: null };
}

function madeAgain(topic: string): Failure {
  return {
    kind: "server-error",
    sentence: `topic ${topic} was deleted and made again, or lost its newest records: it is read again from its start`,
    remedy: null,
  };
}

function overtaken(topic: string): Failure {
  return {
    kind: "server-error",
    sentence: `records of topic ${topic} were deleted before they could be read: it is read again from its start`,
    remedy: "An offset topic must have cleanup.policy=compact and nothing else, or offsets get lost.",
  };
}

function unfinished(topic: string, taken: number): Failure {
  return {
    kind: "timeout",
    sentence: `topic ${topic} is being read from its start: ${taken.toLocaleString("en-US")} records so far`,
    remedy: null,
  };
}
