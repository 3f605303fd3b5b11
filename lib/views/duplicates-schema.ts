import { z } from "zod";
import { outcomeSchema } from "@/lib/checks/verdict";
import { fallSchema, notMeasurableSchema, replaySchema } from "@/lib/observed/duplicates";
import { freshnessSchema } from "./freshness";

const count = z.number().int().min(0);

/** What is known of duplicates in one topic: figures, how they were got, and what could not be told. */
export const duplicatesTopicSchema = z.object({
  topic: z.string(),
  /** `in-part`: some of it cannot be measured. `measuring`: going backwards over what lies in it. `waiting`: nothing yet. */
  state: z.enum(["measured", "measuring", "in-part", "waiting", "not-measurable"]),
  outcome: outcomeSchema,
  /** Duplicates among `base`, 0 to 1; null where it is not known. */
  rate: z.number().min(0).max(1).nullable(),
  /** `0.8 %`, `at least 0.8 %`, `0 % so far`, `unknown`. */
  rateWords: z.string(),
  /** 95 %, of a sample; null where every replay was counted. */
  interval: z.tuple([z.number(), z.number()]).nullable(),
  /** What the rate is of, and in what it is counted. */
  base: count.nullable(),
  baseUnit: z.enum(["offsets", "changes"]),
  duplicates: count,
  replays: count,
  /** Of the last 24 hours; a measurement that a person asked for has none. */
  day: z
    .object({ records: count.nullable(), duplicates: count, replays: count, rateWords: z.string() })
    .nullable(),
  /** Since when and until when, by the records' timestamps. */
  from: z.iso.datetime().nullable(),
  to: z.iso.datetime().nullable(),
  /** Offsets that are still to be measured. */
  behind: count,
  /** `bisection, complete`, `bisection, known starts only`, `sample of 1 in 64, ±0.2 %`. */
  how: z.string(),
  /** What that means, a sentence each. */
  howSentences: z.array(z.string()),
  /** The other instrument's figure: `a sample of 1 in 64 gives 0.81 % ±0.03 %`; null: none ran. */
  checked: z.string().nullable(),
  /** Rows that snapshots read again, by design no duplicates; null: not counted without a scan. */
  reReads: count.nullable(),
  snapshotOverlap: count.nullable(),
  keyOrderViolations: count.nullable(),
  uncommittedCopies: count,
  /** `1,449 more for readers that do not wait for commits`; null: none. */
  uncommittedWords: z.string().nullable(),
  notMeasurable: z.array(notMeasurableSchema),
  falls: z.array(fallSchema.extend({ name: z.string() })),
});
export type DuplicatesTopic = z.infer<typeof duplicatesTopicSchema>;

const figureSchema = z.object({
  duplicates: count,
  replays: count,
  /** Null where it is not known how many came. */
  records: count.nullable(),
  rate: z.number().min(0).max(1).nullable(),
  /** `39,932`, `at least 39,932`, `unknown`. */
  countWords: z.string(),
  /** `0.8 %`, `at least 0.8 %`, `unknown`. */
  rateWords: z.string(),
  outcome: outcomeSchema,
  /** Why it is not all, one sentence; null when it is. */
  why: z.string().nullable(),
});
export type DuplicatesFigure = z.infer<typeof figureSchema>;

/** Duplicates in the connector's view: figures and words. The replays themselves: `GET …/duplicates`. */
export const duplicatesSectionSchema = z.object({
  freshness: freshnessSchema,
  /** Why there is nothing, one sentence; null when there is. */
  whyNone: z.string().nullable(),
  remedy: z.string().nullable(),
  /** True where none is a plain fact (a sink), not a fault. */
  noneIsFact: z.boolean(),
  /** Of the last 24 hours, over all topics, and of all that was measured. Null: `whyNone`. */
  day: figureSchema.nullable(),
  all: figureSchema.nullable(),
  /** Since when it is measured, by the records' timestamps: the latest of all topics. */
  since: z.iso.datetime().nullable(),
  /** Offsets that are still to be measured, newest first. */
  behind: count,
  /** Topics with most duplicates first, then those of which something is not known. */
  topics: z.array(duplicatesTopicSchema),
  /** What checks on duplicates say, where it is not all well. */
  judged: z.array(z.object({ slug: z.string(), outcome: outcomeSchema, sentence: z.string() })),
  /** What consumers may rely on about order, and what not. */
  order: z.array(z.object({ holds: z.boolean(), sentence: z.string() })),
});
export type DuplicatesSection = z.infer<typeof duplicatesSectionSchema>;

/** A replay as a list shows it and as consumer teams take it. */
export const replayLineSchema = replaySchema.extend({
  /** `crash`, `source connection retried`. */
  causeName: z.string(),
  /** When the two runs began, by their workers' clocks; null: their ids do not tell. */
  runBeforeAt: z.iso.datetime().nullable(),
  runAfterAt: z.iso.datetime().nullable(),
  /** One sentence for those who read the topic: what to forget. */
  forget: z.string(),
  /** The replay window of its restart, beside what came: over all topics of the connector. */
  restartWindow: z
    .object({
      /** What the page said at the last look before; null: it was not known. */
      shown: count.nullable(),
      /** Recomputed from the commit in force at the end of the run. */
      recomputed: count.nullable(),
      /** What came again, over all topics. */
      replayed: count.nullable(),
    })
    .nullable(),
});
export type ReplayLine = z.infer<typeof replayLineSchema>;

/** `GET …/duplicates?from=&to=`: each replay, with what is known of each topic. */
export const duplicatesViewSchema = z.object({
  cluster: z.string(),
  connector: z.string(),
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  /** Newest first. */
  replays: z.array(replayLineSchema),
  /** There are more in this time than are listed. */
  more: z.boolean(),
  topics: z.array(duplicatesTopicSchema),
  /** Why nothing is known of duplicates, one sentence; null when something is. */
  whyNone: z.string().nullable(),
  /** Addresses of the brokers, for commands. */
  brokers: z.array(z.string()),
});
export type DuplicatesView = z.infer<typeof duplicatesViewSchema>;

/** Duplicates of the last 24 hours in a fleet row. */
export const duplicatesCellSchema = z.object({
  /** `0.8 %`, `≥ 0.8 %`, `0 %`, `measuring`, `unknown`, `–`. */
  text: z.string(),
  /** Replays behind it; null: none. */
  replays: count.nullable(),
  /** What it means, one sentence or two. */
  sentence: z.string(),
  /** For sorting; null sorts last. */
  rate: z.number().nullable(),
  outcome: z.enum(["ok", "info", "warning", "unknown", "not-applicable"]),
});
export type DuplicatesCell = z.infer<typeof duplicatesCellSchema>;
