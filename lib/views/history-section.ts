import { z } from "zod";
import type { JudgedConnector } from "@/lib/checks/judged";
import { byOutcome, type Outcome, outcomeSchema, type Verdict, verdictSchema } from "@/lib/checks/verdict";
import { checkTitle } from "./check-title";
import { freshness, freshnessSchema, whyNoValue } from "./freshness";
import type { PollIntervals } from "./surroundings";

/** One line of the check list: a history-* verdict under its title. */
const historyItemSchema = verdictSchema.extend({
  title: z.string(),
  /** What is looked at, in words that hold whether it is good or bad: `Retention by time`. */
  about: z.string(),
});
export type HistoryItem = z.infer<typeof historyItemSchema>;

export const historySectionSchema = z.object({
  freshness: freshnessSchema,
  /** The topic's name; null when the connector names none. */
  topic: z.string().nullable(),
  /** The worst of the items; null when nothing was judged. */
  worst: outcomeSchema.nullable(),
  /** Why there is nothing to list, one sentence. */
  whyNone: z.string().nullable(),
  /** What to do about looks that failed, such as what to grant; each once. */
  remedies: z.array(z.string()),
  /** Worst first. */
  items: z.array(historyItemSchema),
});
export type HistorySection = z.infer<typeof historySectionSchema>;

const aboutChecks: Readonly<Record<string, string>> = {
  "history-missing": "Exists",
  "history-truncated": "Earliest offset",
  "history-retention-time": "Retention by time",
  "history-retention-bytes": "Retention by size",
  "history-cleanup-policy": "Cleanup policy",
  "history-partitions": "Partitions",
  "history-replication": "Replicas",
  "history-shared": "Used by",
  "history-not-kafka": "Kept in",
};

/** The topic is told once, above the list. */
function historyItem(verdict: Verdict, topic: string | null): HistoryItem {
  const title = checkTitle(verdict.slug);
  return {
    ...verdict,
    title,
    about: aboutChecks[verdict.slug] ?? title,
    evidence: verdict.evidence.filter((e) => e.label !== "topic" || e.value !== topic),
  };
}

function topicOf({ history, report }: JudgedConnector): string | null {
  return history?.value?.topic ?? report.value?.config?.["schema.history.internal.kafka.topic"] ?? null;
}

function whyNothing(connector: JudgedConnector, items: readonly HistoryItem[]): string | null {
  if (items.length > 0) return null;
  if (connector.verdicts.some((v) => v.slug.startsWith("history-"))) {
    return "This connector keeps no schema history: its source describes the columns with each change.";
  }
  if (connector.judgedAt === null) return "The schema history has not been judged yet.";
  return whyNoValue(connector.history, "The schema history topic");
}

function remedies({ history }: JudgedConnector): string[] {
  const failures = [history?.failure, ...(history?.value?.failures.map((f) => f.failure) ?? [])];
  return [...new Set(failures.flatMap((f) => (f?.remedy ? [f.remedy] : [])))];
}

export function historySection(
  connector: JudgedConnector,
  { poll, now }: { poll: PollIntervals; now: Date },
): HistorySection {
  const topic = topicOf(connector);
  const items = connector.verdicts
    .filter((v) => v.slug.startsWith("history-") && v.outcome !== "not-applicable")
    .sort(byOutcome)
    .map((v) => historyItem(v, topic));
  const worst: Outcome | null = items[0]?.outcome ?? null;
  return {
    freshness: freshness(connector.history, poll.schemaHistory, now),
    topic,
    worst,
    whyNone: whyNothing(connector, items),
    remedies: remedies(connector),
    items,
  };
}
