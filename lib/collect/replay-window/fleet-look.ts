import type { DescribedTopic, Isolation } from "@/lib/kafka/log/log-reader";
import { noLeader } from "@/lib/kafka/topic-ends";
import type { TopicSettings } from "@/lib/kafka/topic-settings";
import type { PartitionLook, TopicLookFacts } from "@/lib/measure/replay-window/topic-look";
import type { Failure, Look } from "@/lib/observed/observation";
import type { BrokerProbe } from "../cluster-probe";
import { askPlaces, nothingYet, type TopicPlaces } from "./places";
import { settingsMemory } from "./topic-settings-memory";
import { TopicWishes } from "./topic-wishes";

/** What is asked about one topic for one connector. Times in milliseconds since 1970; null: not asked. */
export interface TopicQuestion {
  topic: string;
  /** The commit's time: the first record later than it is looked for. */
  after: number | null;
  /** The source's time inside the offset: the first record at or after it is looked for. */
  since: number | null;
  /** The time of the commit before: the first record later than it is looked for, where `since` is not asked. */
  before: number | null;
}

export interface FleetQuestion {
  connector: string;
  /** `read_committed` takes the last stable offset for the end. */
  isolation: Isolation;
  /** First offsets are to be asked for: what lies in the topics from their start counts, or those known are old. */
  needsEarliest: boolean;
  topics: readonly TopicQuestion[];
}

export type TopicLook = TopicLookFacts;

/** By topic, of one connector. */
export type ConnectorLook = Map<string, TopicLook>;

/**
 * Looks at the topics of all connectors of a cluster at once: ends, then the places of the commits' times and of the source's.
 * Each topic is asked about once for each time, however many connectors ask: with topics of their own that makes three
 * ListOffsets requests a leader (for each 5,000 partitions), one more where some connectors read committed records only, and
 * one where first offsets are needed. A topic that cannot be looked at fails alone; all fails where no broker answers.
 *
 * @returns by connector, then by topic
 */
export async function lookAtFleet(
  brokers: BrokerProbe,
  questions: readonly FleetQuestion[],
): Promise<Look<Map<string, ConnectorLook>>> {
  const wishes = new Map<string, TopicWishes>();
  for (const question of questions)
    for (const one of question.topics) {
      const wish = wishes.get(one.topic) ?? new TopicWishes(one.topic);
      wishes.set(one.topic, wish);
      wish.add(question, one);
    }
  const topics = [...wishes.keys()];
  if (topics.length === 0) return { value: new Map(questions.map((q) => [q.connector, new Map()])) };
  const now = Date.now();
  const [described, settingsOf] = await Promise.all([
    brokers.log.describe(topics),
    settingsMemory(brokers).of(topics, now),
  ]);
  if (described.failure !== undefined) return { failure: described.failure };
  const failures = new Map<string, Failure>();
  const places = new Map<string, TopicPlaces>();
  for (const wish of wishes.values()) {
    const topic = described.value.get(wish.topic) ?? leftOut(wish.topic);
    const failure = "kind" in topic ? topic : leaderless(topic);
    if (failure) failures.set(wish.topic, failure);
    else if (!("kind" in topic)) places.set(wish.topic, nothingYet(wish, topic));
  }
  await askPlaces(brokers.log, [...places.values()], now);
  const lookAt = (question: FleetQuestion, asked: TopicQuestion): TopicLook => {
    const of = places.get(asked.topic);
    const failure = failures.get(asked.topic) ?? of?.failure ?? null;
    if (failure || !of) return { failure: failure ?? leftOut(asked.topic) };
    return { partitions: partitionLooks(of, question, asked), ...settingsFacts(settingsOf(asked.topic)) };
  };
  return {
    value: new Map(
      questions.map((q) => [q.connector, new Map(q.topics.map((t) => [t.topic, lookAt(q, t)]))]),
    ),
  };
}

function partitionLooks(
  { wish, described, ends, times, firsts }: TopicPlaces,
  { isolation, needsEarliest }: FleetQuestion,
  { after, since, before }: TopicQuestion,
): PartitionLook[] {
  const placesAt = (time: number | null) => (time === null ? undefined : times.get(wish.asked(time)));
  const [afters, sinces] = [placesAt(after === null ? null : after + 1), placesAt(since)];
  const befores = since === null && before !== null ? placesAt(before + 1) : undefined;
  const { topic, topicId, partitions } = described;
  return partitions.flatMap(({ partition }, i) => {
    const end = ends.get(isolation)?.[i];
    // Each end is there, or the topic has failed.
    if (end === undefined) return [];
    const place = afters?.[i];
    const earliest = needsEarliest || place ? firsts[i] : undefined;
    const within = (offset: number | undefined) => (offset === undefined ? null : Math.min(offset, end));
    return {
      topic,
      partition,
      topicId,
      end,
      place: within(place?.offset),
      placeAt: place && place.offset < end && place.timestamp >= 0 ? place.timestamp : null,
      since: within(sinces?.[i]?.offset),
      before: within(befores?.[i]?.offset),
      earliest: within(earliest),
    };
  });
}

function settingsFacts(settings: TopicSettings | Failure) {
  if ("kind" in settings) return { appendTime: null, compacted: null, settings };
  const { cleanupPolicy, timestampType } = settings;
  return {
    appendTime: timestampType === null ? null : timestampType === "LogAppendTime",
    compacted: cleanupPolicy === null ? null : cleanupPolicy.includes("compact"),
    settings: null,
  };
}

/** Not waited for: the next poll comes soon, and the others' figures should not. */
function leaderless({ topic, partitions }: DescribedTopic): Failure | null {
  const without = partitions.find((p) => p.leader < 0);
  return without ? noLeader(topic, without.partition) : null;
}

function leftOut(topic: string): Failure {
  const sentence = `the brokers' answer leaves out topic ${topic}`;
  return { kind: "invalid-answer", sentence, remedy: null };
}
