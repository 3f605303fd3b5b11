import { z } from "zod";
import { replayWindowSchema } from "@/lib/observed/replay-window";
import { restartSchema } from "@/lib/observed/window-series";
import { freshnessSchema } from "./freshness";
import { windowRanges } from "./window-range";

const count = z.number().int().min(0);

/** The replay window in the connector's view: now, in figures and in words. */
export const replayWindowSectionSchema = z.object({
  freshness: freshnessSchema,
  /** Why there is no window, one sentence; null when there is one. */
  whyNone: z.string().nullable(),
  remedy: z.string().nullable(),
  /** True where none is a plain fact (a sink), not a fault. */
  noneIsFact: z.boolean(),
  window: replayWindowSchema.nullable(),
  words: z
    .object({
      /** `41,000 events`, `at most 310 events`, `110 to 1,210 events`, `0 events`, `the whole snapshot, 120,000 rows so far`, `unknown`. */
      headline: z.string(),
      /** `44 s of writes, 26.8 MiB`; null where there is nothing to add. */
      beside: z.string().nullable(),
      /** How it was got: `by position, exact`; `by time, 40,100 to 44,200`; `seen: transactional batches`. */
      how: z.string(),
      /** A sentence or two more a person should know; from the notes, the most important first. */
      notes: z.array(z.string()),
      /** `every 60 s, from 34 commits`; `unknown: …`. */
      flushInterval: z.string(),
      exactlyOnce: z.object({
        inShort: z.string(),
        asked: z.string(),
        allowed: z.string(),
        seen: z.string(),
      }),
    })
    .nullable(),
  /** How the limits of replay-window-large stand; null: no such limit. */
  limits: z.object({ events: count.nullable(), bytes: count.nullable(), spanMs: count.nullable() }),
});
export type ReplayWindowSection = z.infer<typeof replayWindowSectionSchema>;

export const windowRangeSchema = z.enum(windowRanges);

const statisticsSchema = z.object({
  /** Of all polls in the range, how many had a known figure. */
  known: count,
  polls: count,
  median: count.nullable(),
  p95: count.nullable(),
  worst: count.nullable(),
  worstAt: z.iso.datetime().nullable(),
  mean: z.number().nullable(),
});

/** One point of the saw-tooth, thinned to what pixels can show: the lowest and the highest of its stretch. */
const sawToothPointSchema = z.object({
  at: z.iso.datetime(),
  /** Null: unknown, drawn as a hatched stretch, never as 0. */
  least: count.nullable(),
  most: count.nullable(),
});

const dialPointSchema = z.object({
  intervalMs: z.number().int(),
  expected: z.number().min(0).nullable(),
  worst: count.nullable(),
  writesPerHour: z.number(),
  /** The interval in force, as inferred. */
  inForce: z.boolean(),
});

/** `GET …/replay-window?range=`: how the window was over a time, the dial, and restarts with what they cost. */
export const replayHistoryViewSchema = z.object({
  cluster: z.string(),
  connector: z.string(),
  range: windowRangeSchema,
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  /** Since when there are figures; null: none in the range. */
  since: z.iso.datetime().nullable(),
  /** Why there is no series or dial, one sentence; null when there is. */
  whyNone: z.string().nullable(),
  statistics: z.array(statisticsSchema.extend({ range: windowRangeSchema })),
  sawTooth: z.array(sawToothPointSchema),
  /** Commits as ticks; more than fit are left out and `commitsTotal` says how many there were. */
  commits: z.array(z.iso.datetime()),
  commitsTotal: count,
  restarts: z.array(restartSchema),
  dial: z.object({
    points: z.array(dialPointSchema),
    inForceMs: z.number().int().nullable(),
    /** In words: "5 s instead of 60 s: worst case 3,400 instead of 41,000 events; 720 offset writes an hour instead of 60. It never reaches 0." */
    sentence: z.string().nullable(),
    whyNone: z.string().nullable(),
    /** What it is made of: `the 360 polls of the last hour`. */
    basis: z.string().nullable(),
  }),
});
export type ReplayHistoryView = z.infer<typeof replayHistoryViewSchema>;

/** The window in a fleet row. */
export const windowCellSchema = z.object({
  /** `41,000`, `≤ 310`, `0`, `unknown`, `snapshot`. */
  text: z.string(),
  /** What it means, one sentence: for a tooltip and a screen reader. */
  sentence: z.string(),
  /** For sorting; null sorts last. */
  events: count.nullable(),
  outcome: z.enum(["ok", "warning", "unknown", "not-applicable"]),
  /** About 30 values of the last hour, oldest first; null where it was not known. */
  spark: z.array(count.nullable()),
});
export type WindowCell = z.infer<typeof windowCellSchema>;
