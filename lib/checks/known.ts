import type { Failure, Observation } from "@/lib/observed/observation";
import { duration } from "./duration";

/** With a failed look, a value older than this is no ground for a verdict: 12 polls of connectors, 4 of schema history. */
const STALE_MS = 60_000;

/** What can be judged by, or why nothing can: never green from stale data. */
export type Known<T> = { value: T; why?: undefined } | { value?: undefined; why: string };

/** A failure as a sentence of its own. Names such as `kafka-1:9092` keep their case. */
export function failureSentence(failure: Failure): string {
  return wholeSentence(failure.sentence);
}

/** A reason such as `no offset is stored` as a sentence of its own; see {@link failureSentence}. */
export function wholeSentence(reason: string): string {
  const text = `${reason.trim().replace(/\.$/, "")}.`;
  return /^[a-z]+ /.test(text) ? capital(text) : text;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The value of an observation while it may be trusted. `what` names it in the sentence: "the stored offsets". */
export function known<T>(what: string, observation: Observation<T> | null, now: Date): Known<T> {
  if (!observation) return { why: `Warming up: no look at ${what} yet.` };
  const { value, trueAt, failure } = observation;
  if (value === null || trueAt === null) {
    return {
      why: failure
        ? `${capital(what)} cannot be read. ${failureSentence(failure)}`
        : `Warming up: no look at ${what} yet.`,
    };
  }
  const age = now.getTime() - trueAt.getTime();
  if (failure && age > STALE_MS) {
    return { why: `The last look at ${what} was ${duration(age)} ago. ${failureSentence(failure)}` };
  }
  return { value };
}
