import { z } from "zod";
import { failureSchema, type Observation } from "@/lib/observed/observation";
import { asSentence } from "./format";

/** How old an observation is and why it is not newer. Times are ISO 8601 in UTC. */
export const freshnessSchema = z.object({
  /** When the value was last seen to be true; null when there never was one. */
  asOf: z.iso.datetime().nullable(),
  /** When it was first seen to be what it is now. */
  since: z.iso.datetime().nullable(),
  /** The change to it lies between this and `since`; null: it was not seen to change. */
  notBefore: z.iso.datetime().nullable(),
  triedAt: z.iso.datetime().nullable(),
  /** The value is older than three poll intervals, or the last look failed. */
  stale: z.boolean(),
  /** The value is older than three poll intervals: it may no longer be so. */
  late: z.boolean(),
  failure: failureSchema.nullable(),
});
export type Freshness = z.infer<typeof freshnessSchema>;

/** A value counts as stale after this many poll intervals without a look. */
const stalePolls = 3;

export function iso(date: Date | null | undefined): string | null {
  return date ? date.toISOString() : null;
}

/** @param pollMs how often the look is made, in milliseconds */
export function freshness(observation: Observation<unknown> | null, pollMs: number, now: Date): Freshness {
  if (!observation) {
    return {
      asOf: null,
      since: null,
      notBefore: null,
      triedAt: null,
      stale: false,
      late: false,
      failure: null,
    };
  }
  const { trueAt, failure } = observation;
  const late = trueAt !== null && now.getTime() - trueAt.getTime() > stalePolls * pollMs;
  return {
    asOf: iso(trueAt),
    since: iso(observation.since),
    notBefore: iso(observation.notBefore),
    triedAt: iso(observation.triedAt),
    stale: trueAt !== null && (late || failure !== null),
    late,
    failure,
  };
}

/** Why there is no value, one sentence; null when there is one. `what` begins the sentence: "The stored offset". */
export function whyNoValue(observation: Observation<unknown> | null, what: string): string | null {
  if (!observation) return `${what} has not been looked at yet.`;
  if (observation.value !== null) return null;
  return observation.failure ? asSentence(observation.failure.sentence) : `${what} has not been seen yet.`;
}
