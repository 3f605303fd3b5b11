import { z } from "zod";
import type { JudgedConnector } from "@/lib/checks/judged";
import { topicEndSchema, topicRoles } from "@/lib/observed/topic";
import { freshness, freshnessSchema, whyNoValue } from "./freshness";
import type { PollIntervals } from "./surroundings";

const topicLineSchema = topicEndSchema.omit({ watchedSince: true, role: true }).extend({
  /** Null when the ends have not been read, so the topic's role was not told apart. */
  role: z.enum(topicRoles).nullable(),
  watchedSince: z.iso.datetime().nullable(),
});
export type TopicLine = z.infer<typeof topicLineSchema>;

export const topicsSectionSchema = z.object({
  freshness: freshnessSchema,
  from: z.enum(["reported", "derived"]).nullable(),
  /** Why the list had to be derived. */
  whyDerived: z.string().nullable(),
  /** Why there is no list. */
  whyNone: z.string().nullable(),
  /** Why end offsets and rates are not known. */
  whyNoEnds: z.string().nullable(),
  /** Table topics first, then by name. */
  topics: z.array(topicLineSchema),
});
export type TopicsSection = z.infer<typeof topicsSectionSchema>;

function topicLines(connector: JudgedConnector): TopicLine[] {
  const read: readonly TopicLine[] = connector.ends?.value?.topics ?? [];
  const known = new Set(read.map((line) => line.topic));
  const unread = (connector.topics?.value?.topics ?? []).filter((topic) => !known.has(topic)).map(unreadLine);
  return [...read, ...unread].sort(byRole);
}

function unreadLine(topic: string): TopicLine {
  return {
    topic,
    role: null,
    partitions: null,
    end: null,
    grewAt: null,
    watchedSince: null,
    perSecond: null,
    failure: null,
  };
}

function byRole(a: TopicLine, b: TopicLine): number {
  const rank = (line: TopicLine) => (line.role === null ? topicRoles.length : topicRoles.indexOf(line.role));
  return rank(a) - rank(b) || a.topic.localeCompare(b.topic);
}

function whyNoTopics(connector: JudgedConnector, lines: readonly TopicLine[]): string | null {
  if (lines.length > 0) return null;
  return (
    whyNoValue(connector.topics, "The list of topics") ??
    "Connect answers that this connector has not written to any topic since its topic tracking began."
  );
}

export function topicsSection(input: {
  connector: JudgedConnector;
  poll: PollIntervals;
  now: Date;
}): TopicsSection {
  const { connector, poll, now } = input;
  const topics = topicLines(connector);
  return {
    freshness: freshness(connector.ends ?? connector.topics, poll.topics, now),
    from: connector.topics?.value?.from ?? null,
    whyDerived: connector.topics?.value?.why ?? null,
    whyNone: whyNoTopics(connector, topics),
    whyNoEnds: whyNoValue(connector.ends, "The end of each topic"),
    topics,
  };
}
