import { z } from "zod";
import { connectorTypes } from "@/lib/debezium/connector-type";
import { positionStateSchema } from "./position-state";

const offset = z.number().int().min(0);

/** How far a run got in one lane: its last change there. */
const laneEndSchema = z.object({
  lane: z.string(),
  type: z.enum(connectorTypes),
  position: positionStateSchema,
  offset,
});

/** One run's part of a partition: its records lie from `first` to before `end`. */
const runPartSchema = z.object({
  runId: z.string().nullable(),
  taskId: z.string().nullable(),
  first: offset,
  /** Milliseconds since 1970: the timestamp of its first record. */
  at: z.number(),
  end: offset,
  lanes: z.array(laneEndSchema),
});

/** What one writer's records need of what lies before. */
const writerStateSchema = z.object({
  /** Null: the only one, or not told. */
  writer: z.string().nullable(),
  /** The newest, oldest first; the oldest one's marks hold for all that were before it. */
  runs: z.array(runPartSchema),
  /** Where the last run began, when what it produced again was not all there yet: it is measured again from there. */
  open: z.object({ from: offset }).nullable(),
  /** How far after the last start records of an earlier run are still looked for: milliseconds since 1970, and bytes. */
  search: z.object({ until: z.number(), bytes: z.number().int().min(0) }).nullable(),
});

/** What a later look at a partition needs of what lies before it; JSON, of a few kilobytes. */
export const carriedSchema = z.object({
  version: z.literal(1),
  topicId: z.string().nullable(),
  /** Where the next look begins. */
  at: offset,
  writers: z.array(writerStateSchema),
});
export type Carried = z.infer<typeof carriedSchema>;
export type WriterState = Carried["writers"][number];
