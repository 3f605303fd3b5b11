import { z } from "zod";
import { outcomeSchema, type Verdict, verdictSchema } from "@/lib/checks/verdict";
import { failureSchema } from "@/lib/observed/observation";

/**
 * What `tidemark check --json` prints. A contract with other programs: fields may be added, never renamed.
 * Verdicts are those of docs/checks.md; 64-bit numbers are texts.
 */
export const checkReportSchema = z.object({
  /** When it was looked, ISO 8601. */
  at: z.iso.datetime(),
  /** The exit code: 0 all well, 1 a warning, 2 something critical, 3 not everything could be looked at. */
  exitCode: z.number().int(),
  /** How many verdicts there are of each outcome. */
  counts: z.partialRecord(outcomeSchema, z.number().int()),
  clusters: z.array(
    z.object({
      cluster: z.string(),
      /** Why Kafka Connect could not be asked; null when it could. */
      failure: failureSchema.nullable(),
      verdicts: z.array(verdictSchema),
      connectors: z.array(
        z.object({
          connector: z.string(),
          /** `source`, `sink`; null when not reported. */
          type: z.string().nullable(),
          /** As Connect says it; null when not reported. */
          state: z.string().nullable(),
          /** The verdict on the whole, one or two sentences. */
          sentence: z.string(),
          verdicts: z.array(verdictSchema),
        }),
      ),
    }),
  ),
  /** Slugs of checks that one look cannot decide, and that are left out. */
  leftOut: z.array(z.string()),
});
export type CheckReport = z.infer<typeof checkReportSchema>;
export type ClusterPart = CheckReport["clusters"][number];

/** Checks that need a watch over time. */
export const needsWatching: readonly string[] = [
  "running-but-silent",
  "offset-went-back",
  "offset-not-comparable",
  "replay-window-large",
  "offset-commit-late",
  "heartbeat-off",
  "replay-happened",
  "duplicates-high",
  "duplicates-not-measurable",
  "key-order-broken",
];

/** Sums up what was looked at. A fault that was seen outweighs what could not be seen, but for a mere warning. */
export function checkReport(at: Date, clusters: ClusterPart[]): CheckReport {
  const all = clusters.flatMap((c) => [...c.verdicts, ...c.connectors.flatMap((x) => x.verdicts)]);
  const counts: CheckReport["counts"] = {};
  for (const { outcome } of all) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return {
    at: at.toISOString(),
    exitCode: exitCode(clusters, all),
    counts,
    clusters,
    leftOut: [...needsWatching],
  };
}

function exitCode(clusters: readonly ClusterPart[], all: readonly Verdict[]): number {
  const has = (outcome: Verdict["outcome"], of: readonly Verdict[]) => of.some((v) => v.outcome === outcome);
  // A cluster that could not be asked is not a finding of this look but the lack of one.
  const blind = clusters.some((c) => c.failure !== null) || has("unknown", all);
  const seen = clusters.flatMap((c) =>
    c.failure ? [] : [...c.verdicts, ...c.connectors.flatMap((x) => x.verdicts)],
  );
  if (has("critical", seen)) return 2;
  if (blind) return 3;
  return has("warning", seen) ? 1 : 0;
}
