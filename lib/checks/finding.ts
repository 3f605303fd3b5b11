import type { Outcome, Verdict } from "./verdict";

/** One case of a check, from the verdict that opened it to the one that closed it. Connector is null for a cluster's own. */
export interface Finding {
  id: string;
  cluster: string;
  connector: string | null;
  slug: string;
  /** The newest verdict that could be given about it: never `ok` or `not-applicable`. */
  verdict: Verdict;
  openedAt: Date;
  /** When a check last saw it to be so. */
  confirmedAt: Date;
  /** Why it cannot be confirmed at present; null when it was confirmed at the last look. */
  unconfirmedWhy: string | null;
  closedAt: Date | null;
}

export type FindingChange =
  | { kind: "open"; verdict: Verdict }
  | { kind: "confirm"; id: string; verdict: Verdict }
  | { kind: "unconfirm"; id: string; why: string }
  | { kind: "close"; id: string };

const firing: ReadonlySet<Outcome> = new Set(["critical", "warning", "info", "unknown"]);

/**
 * What new verdicts of one subject do to its open findings.
 * A fault that can no longer be seen stays open and says so: "unknown" closes nothing but another "unknown".
 */
export function findingChanges(open: readonly Finding[], verdicts: readonly Verdict[]): FindingChange[] {
  const bySlug = new Map(open.map((f) => [f.slug, f]));
  const changes: FindingChange[] = [];
  for (const verdict of verdicts) {
    const finding = bySlug.get(verdict.slug);
    if (!finding) {
      if (firing.has(verdict.outcome)) changes.push({ kind: "open", verdict });
    } else if (!firing.has(verdict.outcome)) {
      changes.push({ kind: "close", id: finding.id });
    } else if (verdict.outcome === "unknown" && finding.verdict.outcome !== "unknown") {
      changes.push({ kind: "unconfirm", id: finding.id, why: verdict.sentence });
    } else if (finding.verdict.outcome === "unknown" && verdict.outcome !== "unknown") {
      // Not the same case: what was unknown is known now, since now.
      changes.push({ kind: "close", id: finding.id }, { kind: "open", verdict });
    } else {
      changes.push({ kind: "confirm", id: finding.id, verdict });
    }
  }
  const judged = new Set(verdicts.map((v) => v.slug));
  for (const finding of open) if (!judged.has(finding.slug)) changes.push({ kind: "close", id: finding.id });
  return changes;
}
