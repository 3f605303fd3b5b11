import { z } from "zod";
import { type Outcome, outcomeSchema } from "@/lib/checks/verdict";

/** A state word of Connect, verbatim, with how bad it is. */
export const stateMarkSchema = z.object({ state: z.string(), outcome: outcomeSchema });
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
  return { state, outcome: Object.hasOwn(known, state) ? (known[state] ?? "unknown") : "unknown" };
}
