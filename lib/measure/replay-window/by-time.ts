import { recordTime } from "@/lib/observed/record-time";
import type { Amount, ByTime, ReplayWindow } from "@/lib/observed/replay-window";
import type { InForce } from "./in-force";
import { clockAhead, notesOf, whyClockAhead, whyFailed } from "./time-notes";
import { countTopic, least, type TimedTopic, type TopicCount } from "./topic-look";

export interface ByTimeInput {
  inForce: InForce;
  /** Topics that nothing counts for, such as those of signals, are left out. */
  topics: readonly TimedTopic[];
  /** As they lie in the log, compressed; null: not known. */
  bytesPerRecord: number | null;
  /** Its batches are transactional: markers and aborted records take offsets too. */
  transactional?: boolean;
}

/**
 * The window counted by offsets, no record read: what lies later than the commit's own time (at least so much), and what lies
 * since the source's time inside the offset (at most so much). An upper figure needs every topic; a topic that other
 * connectors write to, or that a newer commit may cover, adds nothing to the lower one.
 */
export function byTime(input: ByTimeInput): {
  byTime: ByTime;
  ownTopics: Amount | null;
  topics: ReplayWindow["topics"];
} {
  const { inForce, bytesPerRecord } = input;
  const counts = input.topics.map((topic) => countTopic(topic, inForce.forTopic(topic.topic)));
  const changes = counts.filter((count) => !count.own);
  const low = lowOf(input, changes);
  const high = highOf(input, changes);
  const amount = (records: number) => ({
    records,
    bytes: bytesPerRecord === null && records > 0 ? null : Math.round(records * (bytesPerRecord ?? 0)),
  });
  return {
    byTime: {
      low: "why" in low ? null : amount(low.records),
      whyNoLow: "why" in low ? low.why : null,
      // Retention can cut one of two looks at the same partition and not the other.
      high: "why" in high ? null : amount(Math.max(high.records, "why" in low ? 0 : low.records)),
      whyNoHigh: "why" in high ? high.why : null,
      committedAt: isoOf(committedAt(inForce, counts)),
      sourceAt: isoOf(least(inForce.commits.flatMap((c) => c.sourceAt ?? []))),
      firstAt: isoOf(
        least(counts.filter((c) => !c.shared && !hasAppendTime(c)).flatMap((c) => c.firstAt ?? [])),
      ),
      notes: notesOf(inForce, changes, input.transactional === true),
    },
    ownTopics: ownOf(counts.filter((count) => count.own)),
    topics: changes.map(({ topic, look, afterCommit, end }) => ({
      topic,
      records: afterCommit,
      end,
      failure: "failure" in look ? look.failure : null,
    })),
  };
}

type Sum = { records: number } | { why: string };

/** What stands against any figure; null: nothing does. */
function obstacle({ inForce }: ByTimeInput, changes: readonly TopicCount[]): string | null {
  if (inForce.kind === "unknown") return inForce.why ?? "the commit in force is not known";
  if (changes.length === 0) return "no topic is known to carry its changes";
  const failed = changes.filter((c) => c.failure !== null);
  if (failed.length > 0) return whyFailed(failed);
  const append = changes.find(hasAppendTime);
  if (append)
    return `topic ${append.topic} carries the broker's time (message.timestamp.type=LogAppendTime), which cannot be compared with the commit's`;
  return null;
}

const hasAppendTime = ({ look }: TopicCount) => !("failure" in look) && look.appendTime === true;

function lowOf(input: ByTimeInput, changes: readonly TopicCount[]): Sum {
  const why = obstacle(input, changes);
  if (why !== null) return { why };
  if (input.transactional)
    return {
      why: "transaction markers and aborted records take offsets too: their difference counts too much",
    };
  const untimed = changes.find((c) => c.afterCommit === null);
  if (untimed)
    return { why: untimed.commit.why ?? `the brokers were not asked about topic ${untimed.topic}` };
  // Nothing later than the oldest of several commits is nothing later than any.
  const sure = changes.filter((c) => c.afterCommit === 0 || (!c.shared && !c.commit.atMost));
  const [unsure] = changes.filter((c) => !sure.includes(c));
  if (unsure && sure.length === 0)
    return {
      why: unsure.shared
        ? `other connectors write to topic ${unsure.topic} too, and offsets do not tell whose records they are`
        : `which of ${input.inForce.commits.length} commits covers a record of topic ${unsure.topic} is not in its name`,
    };
  return { records: sure.reduce((sum, c) => sum + (c.afterCommit ?? 0), 0) };
}

function highOf(input: ByTimeInput, changes: readonly TopicCount[]): Sum {
  const { inForce } = input;
  const why = obstacle(input, changes);
  if (why !== null) return { why };
  if (inForce.kind === "snapshot" || inForce.kind === "no-commit")
    return { why: inForce.why ?? "a start would begin from the start" };
  let records = 0;
  for (const count of changes) {
    const since = sinceOf(count);
    if (since === null) return { why: whyNoSource(inForce, count) };
    records += since;
  }
  const cut = changes.find((c) => c.cutOff);
  if (cut) return { why: `records of topic ${cut.topic} were deleted that may be later than the commit` };
  const lost = changes.find((c) => c.lost);
  if (lost)
    return { why: `topic ${lost.topic} was deleted, and may have held records later than the commit` };
  return { records };
}

/** Without a source's time, what lies later than the oldest of several commits is most of what can be uncovered. */
function sinceOf({ commit, sinceSource, afterCommit, gone }: TopicCount): number | null {
  if (gone) return 0;
  if (commit.sourceAt !== null) return sinceSource;
  return commit.atMost ? afterCommit : null;
}

function whyNoSource(inForce: InForce, { topic, commit }: TopicCount): string {
  if (commit.sourceAt !== null)
    return `the brokers were not asked about topic ${topic} since the source's time`;
  const ahead = clockAhead(inForce);
  if (ahead !== null) return whyClockAhead(ahead);
  if (commit.commit === null && commit.why !== null) return commit.why;
  if (inForce.commits.length > 0 && inForce.commits.every((c) => c.sourceAt !== null))
    return "source partitions come and go at the source, and one of them may have nothing stored yet: no time covers all";
  return "the stored offset does not hold when the source made its last change";
}

/** Null when one of them is not known: no part of a sum is told as the whole. */
function ownOf(own: readonly TopicCount[]): Amount | null {
  let records = 0;
  for (const count of own) {
    if (count.afterCommit === null || hasAppendTime(count)) return null;
    records += count.afterCommit;
  }
  return { records, bytes: records === 0 ? 0 : null };
}

/** The oldest that counts for a topic; without topics the oldest of all. */
function committedAt(inForce: InForce, counts: readonly TopicCount[]): number | null {
  const ofTopics = counts.flatMap(({ commit }) => commit.committedAt ?? []);
  return least(ofTopics) ?? least(inForce.commits.flatMap((c) => c.committedAt ?? []));
}

const isoOf = (time: number | null) => (time === null ? null : recordTime(time));
