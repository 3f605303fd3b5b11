import { z } from "zod";
import type { Finding } from "@/lib/checks/finding";
import { byOutcome, evidenceSchema, outcomeSchema, remedyStepSchema } from "@/lib/checks/verdict";
import { checkTitle } from "./check-title";
import { iso } from "./freshness";
import { connectorPath, fleetPath } from "./paths";
import type { Surroundings } from "./surroundings";
import { watch, watchSchema } from "./watch";

/** A finding in one line, for lists. */
export const findingLineSchema = z.object({
  id: z.string(),
  cluster: z.string(),
  /** Null for a finding of a whole cluster. */
  connector: z.string().nullable(),
  slug: z.string(),
  title: z.string(),
  outcome: outcomeSchema,
  sentence: z.string(),
  openedAt: z.iso.datetime(),
  /** When a check last saw it to be so. */
  confirmedAt: z.iso.datetime(),
  /** Why it cannot be confirmed at present. */
  unconfirmedWhy: z.string().nullable(),
  closedAt: z.iso.datetime().nullable(),
  /** The page that shows it. */
  path: z.string(),
});
export type FindingLine = z.infer<typeof findingLineSchema>;

/** A finding with its evidence and the steps that mend it. */
export const findingDetailSchema = findingLineSchema.extend({
  short: z.string(),
  evidence: z.array(evidenceSchema),
  remedy: z.array(remedyStepSchema),
});
export type FindingDetail = z.infer<typeof findingDetailSchema>;

export function findingLine(finding: Finding): FindingLine {
  const { cluster, connector, slug, verdict } = finding;
  return {
    id: finding.id,
    cluster,
    connector,
    slug,
    title: checkTitle(slug),
    outcome: verdict.outcome,
    sentence: verdict.sentence,
    openedAt: finding.openedAt.toISOString(),
    confirmedAt: finding.confirmedAt.toISOString(),
    unconfirmedWhy: finding.unconfirmedWhy,
    closedAt: iso(finding.closedAt),
    path:
      connector === null
        ? `${fleetPath}?cluster=${encodeURIComponent(cluster)}`
        : connectorPath(cluster, connector, slug),
  };
}

export function findingDetail(finding: Finding): FindingDetail {
  const { short, evidence, remedy } = finding.verdict;
  return { ...findingLine(finding), short, evidence, remedy };
}

/** Worst first; of equals the newest first. */
export function byUrgency(a: Finding, b: Finding): number {
  return byOutcome(a.verdict, b.verdict) || b.openedAt.getTime() - a.openedAt.getTime();
}

export const findingsViewSchema = z.object({ watch: watchSchema, findings: z.array(findingDetailSchema) });
export type FindingsView = z.infer<typeof findingsViewSchema>;

export function findingsView(input: Surroundings & { findings: readonly Finding[] }): FindingsView {
  return { watch: watch(input), findings: [...input.findings].sort(byUrgency).map(findingDetail) };
}
