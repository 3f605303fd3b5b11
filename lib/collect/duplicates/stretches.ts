import { z } from "zod";
import { type Carried, carriedSchema } from "@/lib/measure/duplicates/carried";
import { type FoundWithout, foundFrom, foundSchema, foundTogether } from "./found-together";

const stretchSchema = z.object({
  /** Kafka offsets: the first measured, the first that was not. */
  from: z.number().int(),
  to: z.number().int(),
  /** What a measurement that goes on from `to` needs. */
  carried: carriedSchema,
  found: foundSchema,
});
type Stretch = z.infer<typeof stretchSchema>;

export const progressSchema = z.object({
  version: z.literal(1),
  topicId: z.string().nullable(),
  /** Where the oldest records lay when the first look began: before it nothing is measured. */
  bottom: z.number().int(),
  /** Measured, oldest first. The newest grows with the log; the first looks add older ones in front of it. */
  stretches: z.array(stretchSchema),
  /** Offsets of the next slice backwards. */
  slice: z.number().int().min(1),
});
/** How far one partition is measured. */
export type Progress = z.infer<typeof progressSchema>;

/** Offsets of the first slice; each further one back is twice as large: where nothing happened a slice costs little. */
const FIRST_SLICE = 1_000_000;
const MOST_SLICE = 2 ** 40;
/** Offsets of a join: where that does not do to come to a place that cuts nothing, another one follows. */
const JOINED_AT_ONCE = 200_000;

/** What to measure next. */
export interface Step {
  /**
   * What is new; a hole that a budget left; further back; or once more what follows an older stretch, at whose end a replay
   * was going on.
   */
  kind: "new" | "fill" | "back" | "join";
  from: number;
  to: number;
  carried: Carried | null;
}

/** What measuring it brought. */
export interface StepResult {
  found: FoundWithout;
  carried: Carried;
}

/** @param slice offsets of the first slice backwards */
export function noProgress(topicId: string | null, bottom: number, slice = FIRST_SLICE): Progress {
  return { version: 1, topicId, bottom, stretches: [], slice };
}

/** Offsets that were measured. */
export function offsetsMeasured({ stretches }: Progress): number {
  return stretches.reduce((sum, { from, to }) => sum + to - from, 0);
}

/** Offsets that were not measured yet. */
export function offsetsBehind(progress: Progress, end: number): number {
  const bottom = Math.min(progress.bottom, progress.stretches[0]?.from ?? progress.bottom);
  return Math.max(0, end - bottom - offsetsMeasured(progress));
}

/** The ends of what was measured; null before anything was. */
export function measuredRange({ stretches }: Progress): { from: number; to: number } | null {
  const [first] = stretches;
  const last = stretches.at(-1);
  return first && last ? { from: first.from, to: last.to } : null;
}

/** Everything that was found; null before anything was. */
export function allFound({ stretches }: Progress): FoundWithout | null {
  return stretches.length > 0 ? foundTogether(stretches.map(({ found }) => found)) : null;
}

/** What is new comes first, then holes, then replays that were cut in two, then what lies further back. Null: all is done. */
export function nextStep({ stretches, bottom, slice }: Progress, end: number): Step | null {
  const [first] = stretches;
  const last = stretches.at(-1);
  if (!first || !last) {
    if (end <= bottom) return null;
    return { kind: "back", from: Math.max(bottom, end - slice), to: end, carried: null };
  }
  if (last.to < end) return { kind: "new", from: last.to, to: end, carried: last.carried };
  const at = stretches.findLastIndex((_, i) => i < stretches.length - 1);
  const [before, after] = [stretches[at], stretches[at + 1]];
  if (before && after) {
    const { to: from, carried } = before;
    return from < after.from
      ? { kind: "fill", from, to: after.from, carried }
      : { kind: "join", from, to: Math.min(after.to, from + JOINED_AT_ONCE), carried };
  }
  if (first.from <= bottom) return null;
  return { kind: "back", from: Math.max(bottom, first.from - slice), to: first.from, carried: null };
}

/** The progress after a step was taken. */
export function afterStep(progress: Progress, step: Step, { found, carried }: StepResult): Progress {
  const { stretches, slice } = progress;
  const stretch: Stretch = { from: step.from, to: found.to, carried, found };
  if (step.kind === "back") {
    const doubled = Math.min(slice * 2, MOST_SLICE);
    // What retention took before it could be read.
    const from = Math.min(Math.max(step.from, found.from), found.to);
    const bottom = found.from > step.from ? Math.max(progress.bottom, found.from) : progress.bottom;
    return put({ ...progress, bottom, slice: doubled }, [{ ...stretch, from }, ...stretches]);
  }
  const at = stretches.findLastIndex((one) => one.to === step.from);
  const before = stretches[at];
  if (!before) return progress;
  const grown = joined(before, stretch);
  const others = stretches.slice(at + 1);
  if (step.kind !== "join") return put(progress, [...stretches.slice(0, at), grown, ...others]);
  const [after, ...newer] = others;
  const rest =
    after && found.to < after.to
      ? [{ ...after, from: found.to, found: foundFrom(after.found, found.to) }]
      : [];
  return put(progress, [...stretches.slice(0, at), grown, ...rest, ...newer]);
}

/** Stretches that follow on each other become one, unless the end of the older one cut something in two. */
function put(progress: Progress, stretches: readonly Stretch[]): Progress {
  const all: Stretch[] = [];
  for (const stretch of stretches) {
    const last = all.at(-1);
    if (last && last.to === stretch.from && !isUnfinished(last.carried))
      all.splice(-1, 1, joined(last, stretch));
    else all.push(stretch);
  }
  return { ...progress, stretches: all };
}

/** Whether a replay was going on at its end, or records of an earlier run are still looked for. */
function isUnfinished({ writers }: Carried): boolean {
  return writers.some(({ open, search }) => open !== null || search !== null);
}

/** A join that cannot be made, since records are gone: what was measured of both stays as it is. */
export function leftAsTheyAre(progress: Progress): Progress {
  const { stretches } = progress;
  const at = stretches.findLastIndex((one, i) => one.to === stretches[i + 1]?.from);
  const [before, after] = [stretches[at], stretches[at + 1]];
  if (!before || !after) return progress;
  return { ...progress, stretches: stretches.toSpliced(at, 2, joined(before, after)) };
}

function joined(before: Stretch, after: Stretch): Stretch {
  const { from } = before;
  const { to, carried } = after;
  return { from, to, carried, found: { ...foundTogether([before.found, after.found]), from, to } };
}

/** What is said of a stretch that could not be measured. */
export function notMeasured(
  { from }: Step,
  to: number,
  note: { slug: string; reason: string; remedy: string | null },
  at: { topic: string; partition: number; topicId: string | null },
): FoundWithout {
  return {
    ...at,
    from,
    to,
    falls: [],
    runs: [],
    notMeasurable: [{ ...note, count: to - from }],
    sure: "whole",
    spacing: null,
    uncommittedCopies: null,
    bytesRead: 0,
    reads: 0,
  };
}
