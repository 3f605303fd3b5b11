import { z } from "zod";
import { type Outcome, outcomeSchema } from "@/lib/checks/verdict";

/** A state word of Connect, verbatim, with how bad it is. */
export const stateMarkSchema = z.object({
  state: z.string(),
  outcome: outcomeSchema,
  /** True when it was seen too long ago to be sure of: it was so. */
  past: z.boolean(),
});
export type StateMark = z.infer<typeof stateMarkSchema>;

const known: Readonly<Record<string, Outcome>> = {
  RUNNING: "ok",
  FAILED: "critical",
  UNASSIGNED: "warning",
  RESTARTING: "info",
  PAUSED: "warning",
  STOPPED: "warning",
  DESTROYED: "warning",
};

/** A state that no rule knows is passed on as it came, marked unknown. */
export function stateMark(state: string): StateMark {
  const outcome = Object.hasOwn(known, state) ? (known[state] ?? "unknown") : "unknown";
  return { state, outcome, past: false };
}

/** The mark of something seen long ago: never green. What was bad stays so until it is seen to be well. */
export function whenLate<M extends StateMark | null>(mark: M, late: boolean): M {
  if (mark === null || !late) return mark;
  return { ...mark, past: true, outcome: mark.outcome === "ok" ? "unknown" : mark.outcome };
}
