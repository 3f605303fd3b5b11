import { z } from "zod";

/**
 * What `tidemark decode --json`, POST /api/v1/decode and the Position section show: stored offsets explained.
 * A contract with other programs (docs/cli.md): fields may be added, never renamed. 64-bit numbers are strings.
 */
const decodedFieldSchema = z.object({
  /** The key as stored, such as `lsn_commit`. */
  name: z.string(),
  /** The stored value as JSON text, digits kept. */
  raw: z.string(),
  /** The value for a person: `4D2/19A0D7F0`, `3e11fa47-…: 1-5:11-29:40 (25 transactions)`, `2026-09-14T06:30:00Z`. */
  text: z.string(),
  /** What the field is, in one sentence. */
  meaning: z.string(),
});
export type DecodedField = z.infer<typeof decodedFieldSchema>;

/** `streaming`: the log is followed. `unknown`: the shape does not say. */
const phaseSchema = z.enum(["snapshot", "incremental-snapshot", "streaming", "unknown"]);
export type Phase = z.infer<typeof phaseSchema>;

const decodeWarningSchema = z.object({ slug: z.string(), text: z.string() });
export type DecodeWarning = z.infer<typeof decodeWarningSchema>;

export const decodedPartitionSchema = z.object({
  /** The source partition, as canonical JSON text. */
  partition: z.string(),
  /** Whether a start with the given configuration would read this partition. */
  used: z.boolean(),
  /** Why it is not used; or, if used is true, why that is not certain. */
  why: z.string().optional(),
  phase: phaseSchema,
  /** One sentence on the phase: "snapshot running; a crash replays the whole snapshot". */
  phaseText: z.string(),
  position: z.object({
    /** The position in the short form of its field: `1A/31C90F40`, `binlog.000412 : 7713`, `0-223344-9120`. */
    text: z.string(),
    /** What `text` is, in one sentence. */
    meaning: z.string(),
    fields: z.array(decodedFieldSchema),
  }),
  /** When the source made the last change that the offset covers, ISO 8601, where the offset tells. */
  sourceTime: z.string().nullable(),
  warnings: z.array(decodeWarningSchema),
});
export type DecodedPartition = z.infer<typeof decodedPartitionSchema>;

/** What a record other than a stored offset is. */
const recordKinds = [
  "change",
  "flattened",
  "tombstone",
  "heartbeat",
  "transaction",
  "schema-change",
  "schema-history",
  "notification",
  "signal",
  "outbox",
  "connect",
  "unreadable",
] as const;

export const decodedRecordSchema = z.object({
  /** Where it lies; each null where the input does not tell. */
  topic: z.string().nullable(),
  partition: z.number().int().nullable(),
  offset: z.string().nullable(),
  /** The record's own timestamp, ISO 8601. */
  timestamp: z.string().nullable(),
  kind: z.enum(recordKinds),
  /** What it is, in one line: `create in public.orders`. For `unreadable`: why. */
  text: z.string(),
  /** `postgresql`, `mysql`, …; null where the record does not tell. */
  connector: z.string().nullable(),
  /** Where the source was, in its short form; null where the record does not tell. */
  position: z.object({ text: z.string(), meaning: z.string() }).nullable(),
  /** Every field that says something about the change; never the row itself. */
  fields: z.array(decodedFieldSchema),
  /** What makes two records the same change; null for records that are no change. */
  identity: z
    .object({
      /** Null when it cannot be told. */
      id: z.string().nullable(),
      /** Why not, or why two different changes may share it. */
      why: z.string().nullable(),
    })
    .nullable(),
  /** The run of the connector's task that wrote it (3.4 and later), and when that began. */
  run: z.object({ id: z.string(), startedAt: z.string().nullable() }).nullable(),
  /** When the source made the change, ISO 8601. */
  sourceTime: z.string().nullable(),
  warnings: z.array(decodeWarningSchema),
  /** What to change so that more can be read; null when there is nothing. */
  remedy: z.string().nullable(),
});
export type DecodedRecord = z.infer<typeof decodedRecordSchema>;

export const decodeReportSchema = z.object({
  /** `postgresql`, `mysql`, `mariadb`, … or the connector class as it came when unknown. */
  connector: z.string(),
  partitions: z.array(decodedPartitionSchema),
  /** Records that are no stored offsets, in the order of the input; absent when it holds none. */
  records: z.array(decodedRecordSchema).optional(),
});
export type DecodeReport = z.infer<typeof decodeReportSchema>;
