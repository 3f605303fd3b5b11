import { z } from "zod";

const count = z.number().int().min(0);
const offset = z.number().int().min(0);

/** Why a stretch was produced again, as far as it can be told. */
const replayCauses = [
  "crash", // the worker or task died: everything since the last commit came again
  "graceful-restart", // it was asked to stop and to start again
  "rebalance", // its tasks were given away, or came back
  "config-change",
  "worker-lost", // a worker that was taken for dead; what it still wrote when it came back is this too
  "source-retry", // Debezium began again by itself after an error of the source connection: Connect never shows it
  "producer-retry", // one run, doubled batches: a broker had taken them and could not say so
  "failover", // the source's role moved to another server
  "unknown",
] as const;
export const replayCauseSchema = z.enum(replayCauses);
export type ReplayCause = z.infer<typeof replayCauseSchema>;

/** How a replay was found. */
const replayEvidence = [
  "run-id", // a new run id begins there
  "restart-time", // a start of the task is known at that time
  "samples", // positions fall between two samples
  "whole", // the stretch was read whole, by identity
  "leader-epoch", // beside a change of the partition's leader, read whole
] as const;

/**
 * One stretch of a topic partition in which changes were produced again that consumers had got already. Rows of snapshots,
 * tombstones and records of aborted transactions are never counted.
 */
export const foundReplaySchema = z.object({
  topic: z.string(),
  /** Another one: the topic was deleted and made again. Null before Kafka 2.8. */
  topicId: z.string().nullable(),
  partition: z.number().int(),
  /** Kafka offsets of the first and the last record that came again. */
  firstOffset: offset,
  lastOffset: offset,
  /** Changes that came again: between the two, other records can lie. */
  count: z.number().int().min(1),
  /** `at-most` and `at-least` where not all of it could be told. */
  bound: z.enum(["exact", "at-most", "at-least"]),
  /** Positions of the first and the last, in their short form. */
  firstPosition: z.string().nullable(),
  lastPosition: z.string().nullable(),
  /** Where the first copies of those two lie; null: not looked for, or no longer there. */
  firstCopyOf: offset.nullable(),
  lastCopyOf: offset.nullable(),
  /** Null without Debezium 3.4's headers. */
  runBefore: z.string().nullable(),
  runAfter: z.string().nullable(),
  /** `source.name`, which is the connector's topic.prefix; null where events do not tell. */
  writer: z.string().nullable(),
  /** Timestamps of the first and the last of them. A stored one whose records tell none that can be: when its run began, or it was found. */
  at: z.iso.datetime(),
  until: z.iso.datetime(),
  evidence: z.enum(replayEvidence),
  /** What the log alone tells of the cause; null: nothing, it depends on what was seen of the connector then. */
  causeInLog: replayCauseSchema.nullable(),
});
export type FoundReplay = z.infer<typeof foundReplaySchema>;

/** A replay as it is kept: whose it is, and why it happened. */
export const replaySchema = foundReplaySchema.extend({
  /** `<topic>/<partition>/<firstOffset>`, unique in its cluster. */
  id: z.string(),
  cluster: z.string(),
  /** Null: of a topic that no watched connector writes. */
  connector: z.string().nullable(),
  cause: replayCauseSchema,
  /** One sentence: what it was concluded from. */
  causeWhy: z.string(),
  /** Id of the restart it belongs to, whose window before tells what was predicted; null where there is none. */
  restart: z.string().nullable(),
  /** Events that the page said a crash would cost, at the last poll before that restart. Null or absent: not known. */
  predicted: count.nullable().optional(),
});
export type Replay = z.infer<typeof replaySchema>;

export const replayId = ({ topic, partition, firstOffset }: FoundReplay) =>
  `${topic}/${partition}/${firstOffset}`;

/** What looks like a replay, since positions fall, and is none: the changes after it had not been seen before. */
const fallKinds = [
  "timeline", // PostgreSQL: promoted or restored, WAL positions of another history
  "reset", // binary logs reset, or another server's numbering
  "re-snapshot", // a snapshot began again, streaming goes on from an older place
  "binlog-position-set", // set-binlog-position
  "offsets-edited", // put back by hand, or deleted
  "other-connector", // several connectors write this partition
  "redo-thread", // Oracle: each thread has an order of its own
  "within-transaction", // SQL Server: change LSNs may fall inside one commit
  "unknown",
] as const;
export const fallSchema = z.object({
  topic: z.string(),
  partition: z.number().int(),
  /** The first record whose position is lower than one before it. */
  offset,
  at: z.iso.datetime(),
  kind: z.enum(fallKinds),
  /** One sentence. */
  sentence: z.string(),
});
export type Fall = z.infer<typeof fallSchema>;

/** Records or stretches about which nothing can be said, and what to change. */
export const notMeasurableSchema = z.object({
  /** `flattened`, `registry`, `keyless`, `unordered`, `deleted`, `no-position`, `budget`, … for programs. */
  slug: z.string(),
  reason: z.string(),
  /** Records; null where they were not counted. */
  count: count.nullable(),
  remedy: z.string().nullable(),
});
export type NotMeasurable = z.infer<typeof notMeasurableSchema>;

/** One run's part of a partition. */
export const runSeenSchema = z.object({
  runId: z.string().nullable(),
  taskId: z.string().nullable(),
  /** Its first record there, and the timestamp of that. */
  firstOffset: offset,
  at: z.iso.datetime(),
});
export type RunSeen = z.infer<typeof runSeenSchema>;

/** What was found in one partition, from `from` (included) to `to` (not). */
export const partitionDuplicatesSchema = z.object({
  topic: z.string(),
  partition: z.number().int(),
  topicId: z.string().nullable(),
  from: offset,
  to: offset,
  replays: z.array(foundReplaySchema),
  falls: z.array(fallSchema),
  runs: z.array(runSeenSchema),
  notMeasurable: z.array(notMeasurableSchema),
  /**
   * `complete`: run ids show every start. `known-starts`: only restarts that were seen, and replays larger than `spacing`.
   * `whole`: every record was read.
   */
  sure: z.enum(["complete", "known-starts", "whole"]),
  /** Records between two samples; null where none were taken. */
  spacing: count.nullable(),
  /** Copies in transactions that were aborted: only readers that do not wait for commits got them. Null: not looked for. */
  uncommittedCopies: count.nullable(),
  bytesRead: count,
  /** Reads of the log. */
  reads: count,
});
export type PartitionDuplicates = z.infer<typeof partitionDuplicatesSchema>;

/** What a scan of a whole range found, exactly or from two samples by hash. */
export const scanResultSchema = z.object({
  topic: z.string(),
  from: z.iso.datetime().nullable(),
  to: z.iso.datetime().nullable(),
  /** What consumers got: events, rows of snapshots, tombstones. */
  records: count,
  /** Changes: neither rows of snapshots nor tombstones. */
  events: count,
  /** Changes whose identity had been delivered before: exact when `share` is 1, else estimated. */
  duplicates: count,
  /** Duplicates among the changes, 0 to 1; null when there are none. */
  rate: z.number().min(0).max(1).nullable(),
  /** 95 %, Wilson, over distinct identities. */
  interval: z.tuple([z.number(), z.number()]).nullable(),
  /** Distinct identities in the sample, and what share of all the sample takes at the end, 0 to 1. */
  sampled: count,
  share: z.number().min(0).max(1),
  /** The same of the rows that order and overlap are told from; absent: 1. */
  keyShare: z.number().min(0).max(1).optional(),
  reReads: count,
  snapshotOverlap: count,
  keyOrderViolations: count,
  uncommittedCopies: count,
  /** Each an example of an order violation: coordinates, never the key. */
  violations: z.array(
    z.object({ partition: z.number().int(), offset, after: offset, position: z.string().nullable() }),
  ),
  notMeasurable: z.array(notMeasurableSchema),
  bytesRead: count,
});
export type ScanResult = z.infer<typeof scanResultSchema>;

/** What the watch knows of one topic of a connector. */
export const topicDuplicatesSchema = z.object({
  topic: z.string(),
  topicId: z.string().nullable(),
  /** Since when and until when what lies in it was measured, by its records' timestamps; null: not yet. */
  from: z.iso.datetime().nullable(),
  to: z.iso.datetime().nullable(),
  /** Offsets measured, over all partitions: the base. Null: not yet. */
  records: count.nullable(),
  /** Offsets that are still to be measured, newest first. */
  behind: count,
  /** Changes that came again among them. */
  duplicates: count,
  replays: count,
  /** The same of the last 24 hours; `records` null where it is not known how many came. */
  day: z.object({ records: count.nullable(), duplicates: count, replays: count }),
  sure: z.enum(["complete", "known-starts", "whole"]).nullable(),
  uncommittedCopies: count,
  notMeasurable: z.array(notMeasurableSchema),
  falls: z.array(fallSchema),
  /** Of the last whole scan by hash sampling; null where none ran. */
  scan: scanResultSchema.nullable(),
});
export type TopicDuplicates = z.infer<typeof topicDuplicatesSchema>;

/** What the watch knows of one connector. An observation's part: `duplicates`. */
export const connectorDuplicatesSchema = z.object({
  topics: z.array(topicDuplicatesSchema),
  /** The newest replays, newest first, at most 200; there may be more in the store. */
  replays: z.array(replaySchema),
});
export type ConnectorDuplicates = z.infer<typeof connectorDuplicatesSchema>;

/** A measurement that a person asked for: any topic, any range. */
export const measurementSchema = z.object({
  id: z.uuid(),
  cluster: z.string(),
  topic: z.string(),
  method: z.enum(["bisect", "scan"]),
  /** Records' timestamps; null: from the first, to the end as it is when it starts. */
  from: z.iso.datetime().nullable(),
  to: z.iso.datetime().nullable(),
  askedAt: z.iso.datetime(),
  state: z.enum(["waiting", "running", "done", "failed", "cancelled"]),
  startedAt: z.iso.datetime().nullable(),
  endedAt: z.iso.datetime().nullable(),
  /** Of the range: offsets done and in all, bytes fetched. */
  done: count,
  total: count.nullable(),
  bytesRead: count,
  /** Why it failed, one sentence, and what to do. */
  failure: z.object({ sentence: z.string(), remedy: z.string().nullable() }).nullable(),
  result: z
    .object({ partitions: z.array(partitionDuplicatesSchema), scan: scanResultSchema.nullable() })
    .nullable(),
});
export type Measurement = z.infer<typeof measurementSchema>;
