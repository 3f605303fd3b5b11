import { z } from "zod";
import { outcomeSchema } from "@/lib/checks/verdict";
import { measurementSchema, partitionDuplicatesSchema, scanResultSchema } from "@/lib/observed/duplicates";
import { duplicatesTopicSchema, replayLineSchema } from "./duplicates-schema";
import { momentSchema } from "./moment-schema";
import { watchSchema } from "./watch";

const count = z.number().int().min(0);

/** A request to measure is at most this many bytes. */
export const measureRequestBytes = 4_096;

/** So many measurements of one cluster may wait for their turn. */
export const mostWaiting = 20;

/** Kafka's own rule for names of topics. */
const topicName = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,249}$/)
  .refine((name) => name !== "." && name !== "..");

/** `POST /api/v1/measurements` */
export const measureRequestSchema = z
  .strictObject({
    cluster: z.string().min(1).max(249),
    topic: topicName,
    method: measurementSchema.shape.method,
    /** Timestamps of records; null or absent: from the first, to the end as it is when it starts. */
    from: momentSchema.nullish(),
    to: momentSchema.nullish(),
  })
  .refine(({ from, to }) => !from || !to || Date.parse(from) < Date.parse(to), {
    message: "from has to be before to",
  });
export type MeasureRequest = z.infer<typeof measureRequestSchema>;

const stateSchema = z.object({ outcome: outcomeSchema, words: z.string() });

/** A measurement in the list of recent ones. */
export const measurementLineSchema = measurementSchema.omit({ result: true }).extend({
  /** The page of it. */
  path: z.string(),
  mark: stateSchema,
  /** Null until it is done. */
  replays: count.nullable(),
  duplicates: count.nullable(),
});
export type MeasurementLine = z.infer<typeof measurementLineSchema>;

/** `GET /api/v1/measurements`: what can be measured, and what was. */
export const measurementsViewSchema = z.object({
  watch: watchSchema,
  changedAt: z.iso.datetime().nullable(),
  clusters: z.array(
    z.object({
      name: z.string(),
      /** Why nothing can be measured there, one sentence; null when it can. */
      whyNot: z.string().nullable(),
    }),
  ),
  /** Newest first, at most 50. */
  measurements: z.array(measurementLineSchema),
});
export type MeasurementsView = z.infer<typeof measurementsViewSchema>;

/** `GET /api/v1/measurements/{id}`: how far one is, and what it found. */
export const measurementViewSchema = z.object({
  watch: watchSchema,
  changedAt: z.iso.datetime().nullable(),
  measurement: measurementSchema.omit({ result: true }),
  mark: stateSchema,
  progress: z
    .object({
      /** Of its range, 0 to 1; null: its size is not known yet. */
      share: z.number().min(0).max(1).nullable(),
      /** `1,204,551 of 9,120,440 offsets`, `26.8 MiB read`. */
      done: z.string(),
      read: z.string(),
      /** `48,000 offsets/s, 3.1 MiB/s`, `took 42 s`; null: too early to tell. */
      rate: z.string().nullable(),
      /** `about 40 s to go` */
      left: z.string().nullable(),
    })
    .nullable(),
  /** Why it does not go on, one sentence: no collector runs. */
  stuck: z.string().nullable(),
  /** What was found in one or two sentences; null until it is done. */
  summary: z.string().nullable(),
  topic: duplicatesTopicSchema.nullable(),
  /** Newest first, at most 1,000; the CSV has all. */
  replays: z.array(replayLineSchema),
  more: z.boolean(),
  partitions: z.array(partitionDuplicatesSchema.omit({ replays: true })),
  scan: scanResultSchema.nullable(),
  brokers: z.array(z.string()),
});
export type MeasurementView = z.infer<typeof measurementViewSchema>;

/** `GET /api/v1/topics`: topics that connectors are known to write. */
export const topicsViewSchema = z.object({
  cluster: z.string(),
  topics: z.array(z.object({ topic: z.string(), connector: z.string() })),
  /** There are more than are listed. */
  more: z.boolean(),
});
export type TopicsView = z.infer<typeof topicsViewSchema>;
