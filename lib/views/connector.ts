import { z } from "zod";
import type { Finding } from "@/lib/checks/finding";
import type { JudgedConnector } from "@/lib/checks/judged";
import { byOutcome, outcomeSchema, type Verdict, verdictSchema } from "@/lib/checks/verdict";
import { checkTitle } from "./check-title";
import { connectorTypeName } from "./connector-type";
import { duplicatesSectionSchema } from "./duplicates-schema";
import { duplicatesSection } from "./duplicates-section";
import { byUrgency, findingDetail, findingDetailSchema } from "./findings";
import { freshness, freshnessSchema, iso } from "./freshness";
import { headline } from "./headline";
import { historySection, historySectionSchema } from "./history-section";
import { newestChange } from "./newest-change";
import { positionSection, positionSectionSchema } from "./position-section";
import { replayWindowSectionSchema } from "./replay-window-schema";
import { replayWindowSection, type WindowLimits } from "./replay-window-section";
import { stateMark, stateMarkSchema, whenLate } from "./run-state";
import type { Surroundings } from "./surroundings";
import { tasksInShort } from "./tasks";
import { tasksSection, tasksSectionSchema } from "./tasks-section";
import { topicsSection, topicsSectionSchema } from "./topics-section";
import { watch, watchSchema } from "./watch";

const checkLineSchema = verdictSchema
  .pick({ slug: true, outcome: true, sentence: true })
  .extend({ title: z.string() });

export const connectorViewSchema = z.object({
  watch: watchSchema,
  /** When anything shown here last changed. */
  changedAt: z.iso.datetime().nullable(),
  cluster: z.string(),
  connector: z.string(),
  firstSeenAt: z.iso.datetime(),
  /** Since when Connect's list has no longer named it. */
  missingSince: z.iso.datetime().nullable(),
  head: z.object({
    freshness: freshnessSchema,
    /** `PostgreSQL`; null when the class was not reported. */
    type: z.string().nullable(),
    connectorClass: z.string().nullable(),
    version: z.string().nullable(),
    role: z.string().nullable(),
    topicPrefix: z.string().nullable(),
    state: stateMarkSchema.nullable(),
    stateSince: z.iso.datetime().nullable(),
    tasks: stateMarkSchema.nullable(),
    worker: z.string().nullable(),
  }),
  /** The page in one sentence, from the worst that is known. */
  verdict: z.object({ outcome: outcomeSchema, sentence: z.string() }),
  findings: z.object({
    open: z.array(findingDetailSchema),
    /** Of the last 24 hours; what was only not known for a while is left out. */
    recentlyClosed: z.array(findingDetailSchema),
    /** When the checks last judged it; null when they have not yet. */
    judgedAt: z.iso.datetime().nullable(),
  }),
  /** What each check says, the good ones too. */
  checks: z.array(checkLineSchema),
  position: positionSectionSchema,
  replayWindow: replayWindowSectionSchema,
  duplicates: duplicatesSectionSchema,
  history: historySectionSchema,
  tasks: tasksSectionSchema,
  topics: topicsSectionSchema,
  /** The configuration, every secret masked; null when it was not reported. */
  config: z
    .array(z.object({ name: z.string(), value: z.string().nullable(), inClear: z.boolean() }))
    .nullable(),
});
export type ConnectorView = z.infer<typeof connectorViewSchema>;

/** Findings closed within this time are still shown, in milliseconds. */
export const recentlyClosedMs = 24 * 3_600_000;

export interface ConnectorInput extends Surroundings {
  connector: JudgedConnector;
  openFindings: readonly Finding[];
  /** Those of the last `recentlyClosedMs`. */
  recentlyClosed: readonly Finding[];
  /** Limits of replay-window-large for this connector; absent: none. */
  limits?: WindowLimits;
}

function head({ connector, poll, now }: ConnectorInput): ConnectorView["head"] {
  const report = connector.report.value;
  const state = report?.connector?.state;
  const workers = new Set(report?.tasks?.flatMap((t) => (t.workerId ? [t.workerId] : [])));
  const age = freshness(connector.report, poll.connectors, now);
  return {
    freshness: age,
    type: connectorTypeName(report?.config?.["connector.class"]),
    connectorClass: report?.config?.["connector.class"] ?? null,
    version: report?.connector?.version ?? report?.tasks?.[0]?.version ?? null,
    role: report?.type ?? null,
    topicPrefix: report?.config?.["topic.prefix"] ?? null,
    state: state === undefined ? null : whenLate(stateMark(state), age.late),
    stateSince: connector.times.connector?.since ?? null,
    tasks: whenLate(tasksInShort(report?.tasks ?? null, state ?? null), age.late),
    worker: workers.size === 1 ? ([...workers][0] ?? null) : null,
  };
}

function config(connector: JudgedConnector): ConnectorView["config"] {
  const report = connector.report.value;
  if (!report?.config) return null;
  const inClear = new Set(report.plaintextSecrets);
  return Object.entries(report.config)
    .map(([name, value]) => ({ name, value, inClear: inClear.has(name) }))
    .sort((a, b) => a.name.localeCompare(b.name));
}

function checkLine(verdict: Verdict): ConnectorView["checks"][number] {
  const { slug, outcome, sentence } = verdict;
  return { slug, outcome, sentence, title: checkTitle(slug) };
}

/** One connector, as its page and GET /api/v1/clusters/{cluster}/connectors/{connector} say it. */
export function connectorView(input: ConnectorInput): ConnectorView {
  const { connector } = input;
  const open = [...input.openFindings].sort(byUrgency);
  const closed = input.recentlyClosed.filter((f) => f.verdict.outcome !== "unknown");
  return {
    watch: watch(input),
    changedAt: newestChange([
      connector.report.since,
      connector.offsets?.since,
      connector.commits?.since,
      connector.history?.since,
      ...open.map((f) => f.openedAt),
      ...closed.map((f) => f.closedAt),
    ]),
    cluster: connector.cluster,
    connector: connector.connector,
    firstSeenAt: connector.firstSeenAt.toISOString(),
    missingSince: iso(connector.missingSince),
    head: head(input),
    verdict: headline(connector, open, input.now),
    findings: {
      open: open.map(findingDetail),
      recentlyClosed: closed.map(findingDetail),
      judgedAt: iso(connector.judgedAt),
    },
    checks: [...connector.verdicts].sort(byOutcome).map(checkLine),
    position: positionSection(input),
    replayWindow: replayWindowSection(input),
    duplicates: duplicatesSection(input),
    history: historySection(connector, input),
    tasks: tasksSection(input),
    topics: topicsSection(input),
    config: config(connector),
  };
}
