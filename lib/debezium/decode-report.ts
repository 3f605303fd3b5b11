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

export const decodeReportSchema = z.object({
  /** `postgresql`, `mysql`, `mariadb`, … or the connector class as it came when unknown. */
  connector: z.string(),
  partitions: z.array(decodedPartitionSchema),
});
export type DecodeReport = z.infer<typeof decodeReportSchema>;
