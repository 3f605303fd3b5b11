import { catalogue } from "./catalogue";
import type { ConnectorFacts } from "./check";
import { crashSentence } from "./replay/window-words";
import { ifOneCluster } from "./schema-history/history-brokers";
import { byOutcome, type Verdict } from "./verdict";

/** Faults of which Debezium itself says that it does not start with them. */
const stopsStart = ["history-missing"] as const;
/** What must hold for the schema history to be there at the next start. */
const historyKept = [
  "history-missing",
  "history-truncated",
  "history-cleanup-policy",
  "history-retention-time",
  "history-retention-bytes",
  "history-partitions",
] as const;

/**
 * One or two sentences for the head of a connector's page, from the worst verdicts.
 * Claims nothing that no check claimed: what could not be checked is named as not known.
 */
export function verdictSentence(facts: ConnectorFacts, verdicts: readonly Verdict[]): string {
  const bySlug = new Map(verdicts.map((v) => [v.slug, v]));
  if (verdicts.length === 0) return "Not judged yet.";
  const state = bySlug.get("connector-failed");
  if (!state || state.outcome === "unknown")
    return `How it is, is not known. ${state?.sentence ?? ""}`.trim();

  const broken = stopsStart.map((slug) => bySlug.get(slug)).find((v) => v?.outcome === "critical");
  const failed = [state, bySlug.get("task-failed")].find((v) => v?.outcome === "critical");
  if (failed)
    return broken
      ? `${failed.sentence} A restart alone does not help: ${lower(broken.sentence)}`
      : failed.sentence;
  if (broken) return `${facts.connector} would not come back: ${lower(broken.sentence)}`;

  const now = `${facts.report.value?.connector?.state ?? "State not reported"}${comesBack(bySlug)}`;
  const worst = worstFault(verdicts);
  if (worst) return `${now}. ${worst.sentence}`;
  const unsure = verdicts.find((v) => v.outcome === "unknown" && bearsOnStart(v.slug));
  if (unsure) return `${now}. Not known: ${lower(unsure.sentence)}`;
  return `${now}.${crash(facts, bySlug.get("replay-window-large"))}`;
}

/**
 * What a crash would cost, where the check of it found its window good enough to go by. The figure is that of the newest
 * look, since a verdict that is well does not change with each.
 */
function crash({ window }: ConnectorFacts, verdict: Verdict | undefined): string {
  if (!verdict || !window) return "";
  if (verdict.outcome === "unknown")
    return ` What a crash now would produce again is not known: ${lower(verdict.sentence)}`;
  const sentence = window.value ? crashSentence(window.value) : null;
  return sentence === null ? "" : ` ${sentence}`;
}

/** What the checks of the schema history say of the next start; empty when they say nothing certain. */
function comesBack(bySlug: ReadonlyMap<string, Verdict>): string {
  const parts = historyKept.map((slug) => bySlug.get(slug));
  if (parts.every((v) => v?.outcome === "ok")) {
    const short = bySlug.get("history-missing")?.short;
    if (short === "kept")
      return ", and it would start again as far as its schema history goes: no record of it is gone, and none will be deleted";
    return short === `kept${ifOneCluster}`
      ? ", and it would start again as far as its schema history goes, if the brokers that it names and those that Tidemark looked at are one Kafka cluster"
      : "";
  }
  const needsNone = bySlug.get("history-not-kafka")?.outcome === "not-applicable";
  const stored = bySlug.get("offset-missing")?.outcome === "ok";
  return needsNone && stored ? ", its position is stored, and it needs no schema history" : "";
}

function worstFault(verdicts: readonly Verdict[]): Verdict | undefined {
  return inOrder(verdicts).find((v) => v.outcome === "critical" || v.outcome === "warning");
}

function bearsOnStart(slug: string): boolean {
  return slug === "offset-missing" || slug.startsWith("history-");
}

/** Worst first; among equals in the order of the catalogue. */
function inOrder(verdicts: readonly Verdict[]): Verdict[] {
  const place = new Map(catalogue.map((check, i) => [check.slug, i]));
  const of = (v: Verdict) => place.get(v.slug) ?? catalogue.length;
  return [...verdicts].sort((a, b) => byOutcome(a, b) || of(a) - of(b));
}

function lower(sentence: string): string {
  return /^(The|Topic|Schema|Warming|No) /.test(sentence)
    ? `${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`
    : sentence;
}
