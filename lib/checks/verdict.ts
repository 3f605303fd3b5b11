import { z } from "zod";

const outcomes = ["critical", "warning", "unknown", "info", "ok", "not-applicable"] as const;
export const outcomeSchema = z.enum(outcomes);
export type Outcome = z.infer<typeof outcomeSchema>;

/** One figure behind a verdict, with where it comes from. */
export const evidenceSchema = z.object({ label: z.string(), value: z.string(), from: z.string().nullable() });
export type Evidence = z.infer<typeof evidenceSchema>;

/** One step of a remedy: what to do, and the command that does it where there is one. */
export const remedyStepSchema = z.object({ text: z.string(), command: z.string().nullable() });
export type RemedyStep = z.infer<typeof remedyStepSchema>;

/** What one check says of one subject. */
export const verdictSchema = z.object({
  slug: z.string(),
  outcome: outcomeSchema,
  /** For a person, one or two sentences: what is, and what it means. For `unknown`: why. */
  sentence: z.string(),
  /** A few words for a table cell: `7 days`, `kept`, `3 partitions`. */
  short: z.string(),
  evidence: z.array(evidenceSchema),
  remedy: z.array(remedyStepSchema),
});
export type Verdict = z.infer<typeof verdictSchema>;

/** Worst first; the order of `outcomes`. */
export function byOutcome(a: { outcome: Outcome }, b: { outcome: Outcome }): number {
  return outcomes.indexOf(a.outcome) - outcomes.indexOf(b.outcome);
}
