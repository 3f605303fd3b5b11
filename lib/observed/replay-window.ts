import { z } from "zod";
import { failureSchema } from "./observation";

/**
 * How much lies in one stretch of a connector's topics. `records` counts what a consumer gets: events, tombstones and
 * rows that a snapshot read; from offsets alone it counts whatever took an offset.
 */
export const amountSchema = z.object({
  records: z.number().int().min(0),
  /** As they lie in the log, compressed; an estimate unless said otherwise. Null: not known. */
  bytes: z.number().int().min(0).nullable(),
});
export type Amount = z.infer<typeof amountSchema>;

/** Why a figure is what it is, or may be off: `slug` for programs, the sentence for people. */
const noteSchema = z.object({ slug: z.string(), text: z.string() });
export type WindowNote = z.infer<typeof noteSchema>;

/** Counted by offsets between the commit's time and the end: no record is read. */
export const byTimeSchema = z.object({
  /** Later than the offset record's own timestamp: short by what was sent and not acknowledged at the flush. Null: `whyNoLow`. */
  low: amountSchema.nullable(),
  whyNoLow: z.string().nullable(),
  /** Later than the source's time inside the offset: valid as far as the clocks agree. Null: `whyNoHigh`. */
  high: amountSchema.nullable(),
  whyNoHigh: z.string().nullable(),
  /** The two times; with several source partitions the oldest of those that count. */
  committedAt: z.iso.datetime().nullable(),
  sourceAt: z.iso.datetime().nullable(),
  /** Timestamp of the first record later than `committedAt`, over all topics: since when a commit has been due. */
  firstAt: z.iso.datetime().nullable(),
  notes: z.array(noteSchema),
});
export type ByTime = z.infer<typeof byTimeSchema>;

/** Counted by reading: the records whose position comes after the committed one. */
export const byPositionSchema = z.object({
  /** When the end offsets were read, up to which it counts. */
  at: z.iso.datetime(),
  /** Distinct changes: a change and its replayed copy count once. Snapshot rows and tombstones are not among them. */
  events: z.number().int().min(0),
  tombstones: z.number().int().min(0),
  /** Rows of a running incremental snapshot that would be read again. */
  reReads: z.number().int().min(0),
  /** Bytes of the batches they lie in, by share. */
  bytes: z.number().int().min(0),
  /** From the first of them to the last, by the records' timestamps, in milliseconds; null when there is none. */
  spanMs: z.number().min(0).nullable(),
  /** `at-most` and `at-least` say in `notes` why. */
  bound: z.enum(["exact", "at-most", "at-least", "about"]),
  /** Records among `events` that were counted by their offsets, since the byte budget ended the reading. 0: all were read. */
  unread: z.number().int().min(0),
  /** Partitions that were read, batches read to find the places (most for one partition), and bytes fetched in all. */
  partitions: z.number().int(),
  probes: z.number().int(),
  bytesRead: z.number().int(),
  notes: z.array(noteSchema),
});
export type ByPosition = z.infer<typeof byPositionSchema>;

const exactlyOnceSchema = z.object({
  /** `exactly.once.support` of the connector's configuration: required. Null: the configuration is not known. */
  asked: z.boolean().nullable(),
  /** Whether the workers allow it: null, not audited. */
  allowed: z.boolean().nullable(),
  /** Whether the newest batch of its table topics is transactional; null: no batch was looked at. */
  seen: z.boolean().nullable(),
});

/** How often the workers flush offsets, inferred from the commits that were seen. */
export const flushIntervalSchema = z.object({
  /** Null: `why`. */
  ms: z.number().int().min(1).nullable(),
  /** Commits that it is inferred from, and whose they are: of the connector itself, or of others of the same cluster. */
  commits: z.number().int(),
  of: z.enum(["connector", "cluster"]),
  /** `sure`: the gaps are multiples of it; `likely`: most are. */
  confidence: z.enum(["sure", "likely", "unsure"]).nullable(),
  why: z.string().nullable(),
});
export type FlushInterval = z.infer<typeof flushIntervalSchema>;

/** The replay window of one connector: what would be produced again if its tasks died at `at`. */
export const replayWindowSchema = z.object({
  /** When the end offsets were read. */
  at: z.iso.datetime(),
  /**
   * `events`: those after the commit. `snapshot`: a snapshot is running and would start again. `exactly-once`: none.
   * `no-commit`: nothing is stored, a start would be its first. `unknown`: see `why`.
   */
  kind: z.enum(["events", "snapshot", "exactly-once", "no-commit", "unknown"]),
  /** One sentence; null where the figures stand. */
  why: z.string().nullable(),
  /** The connector's or all tasks' state where it is not running: the window stands still. Null while it runs. */
  standsStill: z.string().nullable(),
  /** The headline, over table topics. Which method gave it, and how sure it is. Null exactly when `kind` is `unknown`. */
  events: z.number().int().min(0).nullable(),
  by: z.enum(["time", "position", "snapshot", "exactly-once"]).nullable(),
  bound: z.enum(["exact", "at-most", "at-least", "about"]).nullable(),
  bytes: z.number().int().min(0).nullable(),
  /** How long it took to write them, in milliseconds. */
  spanMs: z.number().min(0).nullable(),
  byTime: byTimeSchema,
  /** The newest count by position; it may be older than `at`. Null: `whyNoPosition`. */
  byPosition: byPositionSchema.nullable(),
  whyNoPosition: z.string().nullable(),
  /** Heartbeats, transactions, schema changes and notifications, by time: apart, not among `events`. */
  ownTopics: amountSchema.nullable(),
  /** The commits that count. `position` in its short form. */
  commits: z.array(
    z.object({ partition: z.string(), committedAt: z.iso.datetime().nullable(), position: z.string() }),
  ),
  exactlyOnce: exactlyOnceSchema,
  flushInterval: flushIntervalSchema,
  /** Each topic that carries changes. `records` by time, the lower figure. A failure is the topic's own. */
  topics: z.array(
    z.object({
      topic: z.string(),
      records: z.number().int().min(0).nullable(),
      /** Next offsets summed over its partitions: what the series is made of. */
      end: z.number().int().min(0).nullable(),
      failure: failureSchema.nullable(),
    }),
  ),
  /** Worst of the last ten minutes and when, so that a saw-tooth does not open and close a finding with each commit. */
  recentWorst: z.object({ events: z.number().int(), at: z.iso.datetime() }).nullable(),
  /** When the newest event of any table topic was seen to arrive; null: none since the watch began. */
  grewAt: z.iso.datetime().nullable(),
});
export type ReplayWindow = z.infer<typeof replayWindowSchema>;
