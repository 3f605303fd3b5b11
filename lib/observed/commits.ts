import { z } from "zod";

/** One write of a source offset to the offset topic. */
export const offsetCommitSchema = z.object({
  /** The record's own timestamp: when the worker flushed it. */
  at: z.iso.datetime(),
  /** The offset as JSON text, digits kept; null when the record deletes what was stored (a tombstone). */
  offset: z.string().nullable(),
  /** Where the record lies. */
  topic: z.string(),
  kafkaPartition: z.number().int(),
  kafkaOffset: z.number().int(),
});
export type OffsetCommit = z.infer<typeof offsetCommitSchema>;

/** The newest commits of one connector, read from the offset topic. */
export const commitHistorySchema = z.object({
  /** Topics they were read from: the workers', or the connector's own where it has one, which alone counts then. */
  topics: z.array(z.string()),
  partitions: z.array(
    z.object({
      /** The source partition as canonical JSON text. */
      partition: z.string(),
      /** Newest last, at most {@link recentCommits}. */
      commits: z.array(offsetCommitSchema),
    }),
  ),
});
export type CommitHistory = z.infer<typeof commitHistorySchema>;

/** Commits of a source partition that are kept at hand; the store has more. */
export const recentCommits = 60;
