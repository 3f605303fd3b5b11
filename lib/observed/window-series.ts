import { z } from "zod";

/** One poll of one connector's replay window, kept raw for hours. Times in milliseconds since 1970. */
export interface WindowPoint {
  at: number;
  /** Asked for afterwards, to see a burst between two polls in detail: only `produced` is known, and it is no poll. */
  between: boolean;
  /** Records produced to its table topics since the series began, a count that never falls; null: unknown at this poll. */
  produced: number | null;
  /** The headline at this poll; null: unknown. */
  events: number | null;
  /** The bracket by time, where it could be had. */
  low: number | null;
  high: number | null;
  by: "time" | "position" | "snapshot" | "exactly-once" | null;
  /** Timestamp of the commit in force (the oldest of those that count). */
  committedAt: number | null;
}

/** Flush intervals of the dial, in milliseconds. */
export const dialIntervals = [1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000] as const;

/** Growth of the topics over one flush interval, as roll-ups keep it. */
export interface DialCell {
  /** 0: the window itself. */
  intervalMs: number;
  /** Most records produced within any stretch of this length that ends in the roll-up's time; of length 0, the largest headline
   * that a flush interval bears on: snapshots are not in it. */
  most: number;
}

/** A minute or an hour of a connector, made of raw points: sums and extremes, so that roll-ups of roll-ups stay exact. */
export interface WindowRollup {
  /** Start, milliseconds since 1970; a whole minute or hour. */
  at: number;
  /** Polls with a known headline, and all polls. */
  known: number;
  polls: number;
  /** Over the known polls. */
  sum: number;
  most: number;
  least: number;
  /** When the most was seen. */
  mostAt: number;
  /** Of the known polls, how many had which headline: bucket, count, bucket, count, … of those not empty. See `histogramBounds`. */
  histogram: number[];
  /** Records produced within it, and the milliseconds for which that is known. */
  produced: number;
  producedMs: number;
  commits: number;
  dial: DialCell[];
}

/** A start of a task that was seen by its run id, or in its state; and what it cost. */
export const restartSchema = z.object({
  id: z.string(),
  cluster: z.string(),
  connector: z.string(),
  /** When the new run began: from its run id where there is one, else when it was noticed. */
  at: z.iso.datetime(),
  noticedAt: z.iso.datetime(),
  runBefore: z.string().nullable(),
  runAfter: z.string().nullable(),
  /** The headline of the last poll before it: what the page said. Null: there was none. */
  shown: z
    .object({ events: z.number().int().nullable(), at: z.iso.datetime(), by: z.string().nullable() })
    .nullable(),
  /** The window at the death, recomputed afterwards from the commit in force and the run's last records. Null: not yet, or `why`. */
  recomputed: z.number().int().nullable(),
  /** Events that the new run produced again. Null: not yet measured, or `why`. */
  replayed: z.number().int().nullable(),
  state: z.enum(["measuring", "measured", "not-measurable"]),
  /** Why it is not measured, one sentence. */
  why: z.string().nullable(),
  partitions: z.array(
    z.object({
      topic: z.string(),
      partition: z.number().int(),
      /** First and last offset of the replayed stretch. */
      firstOffset: z.number().int(),
      lastOffset: z.number().int(),
      count: z.number().int(),
    }),
  ),
});
export type Restart = z.infer<typeof restartSchema>;
