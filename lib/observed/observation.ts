import { z } from "zod";

/** Why a look at the world failed. `kind` is for programs, the rest for people. */
export const failureKinds = [
  "unreachable", // refused, no such host, reset
  "timeout", // connected, no answer in time
  "not-connect", // answered, but as something else: HTML, plain text, another service
  "redirected", // answered with a redirect, which is never followed
  "too-large", // the answer is over the bound
  "unauthorised", // 401, or a failed SASL login
  "forbidden", // 403, or a missing ACL
  "rebalancing", // 409 for a rebalance
  "conflict", // 409 that lasts
  "not-found", // 404: no such connector or topic
  "not-supported", // this version cannot tell
  "server-error", // 5xx with a Connect error body
  "invalid-answer", // JSON, but not of the expected form
  "not-configured", // nothing to ask: no brokers given, say
  "internal", // a fault of Tidemark itself
] as const;

export const failureSchema = z.object({
  kind: z.enum(failureKinds),
  /** What happened, one sentence, safe to show: no secret, no markup. */
  sentence: z.string(),
  /** What a person can do, one sentence; null when there is nothing to do but wait. */
  remedy: z.string().nullable(),
});
export type Failure = z.infer<typeof failureSchema>;

/**
 * One thing seen in the world, with the times at which it was true.
 * A failed look never removes the value: it keeps its age, and `failure` says why it is not newer.
 */
export interface Observation<T> {
  /** The newest value that could be had; null when there never was one. */
  value: T | null;
  /** When `value` was last seen to be true. */
  trueAt: Date | null;
  /** When `value` was first seen to be what it is now. */
  since: Date | null;
  /** The last time it was seen to be something else: the change lies between this and `since`. Null: unknown. */
  notBefore: Date | null;
  /** When a look was last tried. */
  triedAt: Date;
  /** Why that look failed; null when it succeeded. */
  failure: Failure | null;
}

/** What one look brought: a value, or the reason why there is none. */
export type Look<T> = { value: T; failure?: undefined } | { value?: undefined; failure: Failure };

/** The observation after one more look. `same` tells whether two values are equal; by default their JSON decides. */
export function observe<T>(
  before: Observation<T> | null,
  look: Look<T>,
  at: Date,
  same: (a: T, b: T) => boolean = (a, b) => JSON.stringify(a) === JSON.stringify(b),
): Observation<T> {
  if (look.failure !== undefined) {
    const kept = before ?? { value: null, trueAt: null, since: null, notBefore: null };
    return { ...kept, triedAt: at, failure: look.failure };
  }
  const unchanged = before?.value != null && same(before.value, look.value);
  return {
    value: look.value,
    trueAt: at,
    since: unchanged ? before.since : at,
    notBefore: unchanged ? before.notBefore : (before?.trueAt ?? null),
    triedAt: at,
    failure: null,
  };
}
