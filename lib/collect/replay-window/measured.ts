import { byTime } from "@/lib/measure/replay-window/by-time";
import type { TopicEnd } from "@/lib/measure/replay-window/produced";
import type { TopicLookFacts } from "@/lib/measure/replay-window/topic-look";
import type { WindowNote } from "@/lib/observed/replay-window";
import type { Target } from "./target";
import type { CountedState, WindowMemory } from "./window-memory";

/** One connector by time, before any record is read. */
export interface Measured extends ReturnType<typeof byTime> {
  target: Target;
  memory: WindowMemory;
  /** By topic, own topics among them. */
  looks: ReadonlyMap<string, TopicLookFacts>;
  /** Ends of the topics that carry changes. */
  ends: TopicEnd[];
  state: CountedState;
}

/**
 * Makes the bracket by time of what the fleet look answered for one connector.
 * @param now when the answer was there, milliseconds since 1970
 */
export function measureByTime(
  target: Target,
  memory: WindowMemory,
  answered: ReadonlyMap<string, TopicLookFacts>,
  now = Date.now(),
): Measured {
  const { inForce } = target;
  const shared = new Set(target.topics.flatMap((t) => (t.shared ? [t.topic] : [])));
  const looks = memory.logStarts.join(
    answered,
    { after: (topic) => inForce.forTopic(topic).committedAt, shared: (topic) => shared.has(topic) },
    { asked: target.asksLogStarts, now },
  );
  const topics = target.topics.map((topic) => {
    const look = looks.get(topic.topic) ?? noAnswer(topic.topic);
    return { ...topic, look, seen: memory.seen.add(topic.topic, look, now) };
  });
  const ends = topics.filter((t) => !t.own).map(({ topic, look }) => endOf(topic, look));
  const counted = byTime({
    inForce,
    topics,
    bytesPerRecord: memory.bytesPerRecord,
    transactional: memory.transactional === true,
  });
  const stale = whyStale(target);
  if (stale) counted.byTime.notes.unshift(stale);
  return {
    ...counted,
    target,
    memory,
    looks,
    ends,
    state: stateOf(target, ends),
  };
}

/** A newer commit would make the window smaller, never larger. */
function whyStale({ known }: Target): WindowNote | null {
  const { failure = null, trueAt = null } = known.offsets ?? {};
  if (!failure || !trueAt) return null;
  const text = `The stored offset is the one of ${trueAt.toISOString()}; it could not be read since: ${failure.sentence}`;
  return { slug: "commit-stale", text };
}

function noAnswer(topic: string): TopicLookFacts {
  return {
    failure: { kind: "not-found", sentence: `the brokers said nothing of topic ${topic}`, remedy: null },
  };
}

function endOf(topic: string, look: TopicLookFacts): TopicEnd {
  if ("failure" in look) return { topic, topicId: null, end: null };
  const topicId = look.partitions[0]?.topicId ?? null;
  return { topic, topicId, end: look.partitions.reduce((sum, p) => sum + p.end, 0) };
}

function stateOf({ commits }: Target, ends: readonly TopicEnd[]): CountedState {
  const topicIds = ends.map((e) => `${e.topic} ${e.end === null ? "unknown" : e.topicId}`).join("\n");
  return { commits, topicIds, end: ends.reduce((sum, e) => sum + (e.end ?? 0), 0) };
}

/** The partitions of the topics that carry changes, as far as they could be looked at. */
export function tablePartitions({ target, looks }: Pick<Measured, "target" | "looks">) {
  return target.topics.flatMap(({ topic, own }) => {
    const look = own ? undefined : looks.get(topic);
    return look && !("failure" in look) ? look.partitions : [];
  });
}

/** Topics that carry changes and could not be looked at, though they exist. */
export function unreadTopics({ target, looks }: Pick<Measured, "target" | "looks">): string[] {
  return target.topics.flatMap(({ topic, own }) => {
    const look = own ? undefined : looks.get(topic);
    return look && "failure" in look && look.failure.kind !== "not-found" ? [topic] : [];
  });
}
