import { z } from "zod";
import { failureSchema } from "./observation";

/** The topics of one connector and where the list is from. */
export const connectorTopicsSchema = z.object({
  /** `reported`: Connect's own tracking. `derived`: names on the brokers that begin with topic.prefix. */
  from: z.enum(["reported", "derived"]),
  /** Why the list had to be derived, one sentence. */
  why: z.string().nullable(),
  topics: z.array(z.string()),
});
export type ConnectorTopics = z.infer<typeof connectorTopicsSchema>;

/** What a connector's topic is for. Only `table` topics carry row changes. */
export const topicRoles = [
  "table",
  "heartbeat",
  "transaction",
  "schema-change",
  "notification",
  "signal",
  "other",
] as const;

/** Ends of one topic, summed over its partitions. Offsets are decimal strings. */
export const topicEndSchema = z.object({
  topic: z.string(),
  role: z.enum(topicRoles),
  /** Null when the topic could not be described; `failure` says why. */
  partitions: z.number().int().nullable(),
  /** Sum of the end offsets. */
  end: z.string().nullable(),
  /** When `end` was last seen to have grown; null when not since the watch began. */
  grewAt: z.iso.datetime().nullable(),
  /** When this topic was first looked at: the watch began. */
  watchedSince: z.iso.datetime(),
  /** Offsets a second over the last look, control records included; null when there is only one look. */
  perSecond: z.number().nullable(),
  failure: failureSchema.nullable(),
});
export type TopicEnd = z.infer<typeof topicEndSchema>;
export const topicEndsSchema = z.object({ topics: z.array(topicEndSchema) });
export type TopicEnds = z.infer<typeof topicEndsSchema>;

/** A topic setting with where its value comes from (DescribeConfigs, ConfigSource). */
const settingSchema = z.object({
  value: z.string(),
  from: z.enum(["topic", "broker", "built-in", "unknown"]),
});
export type Setting = z.infer<typeof settingSchema>;

/**
 * A schema history topic as its brokers describe it. Every part can be unknown on its own:
 * then the part is null and `failures` says why.
 */
export const historyTopicSchema = z.object({
  topic: z.string(),
  /** False only when the brokers said that there is no such topic. */
  exists: z.boolean().nullable(),
  partitions: z.number().int().nullable(),
  /** The lowest over the partitions. */
  replicationFactor: z.number().int().nullable(),
  /** The lowest over the partitions. */
  inSyncReplicas: z.number().int().nullable(),
  cleanupPolicy: settingSchema.nullable(),
  retentionMs: settingSchema.nullable(),
  retentionBytes: settingSchema.nullable(),
  minInsyncReplicas: settingSchema.nullable(),
  /** First offset still there and the next to be written, of partition 0. */
  earliest: z.string().nullable(),
  latest: z.string().nullable(),
  failures: z.array(z.object({ about: z.enum(["metadata", "settings", "offsets"]), failure: failureSchema })),
});
export type HistoryTopic = z.infer<typeof historyTopicSchema>;
