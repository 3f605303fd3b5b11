import { z } from "zod";
import type { JudgedConnector } from "@/lib/checks/judged";
import { byOutcome, type Outcome, outcomeSchema } from "@/lib/checks/verdict";
import { type Commit, commit, commitSchema } from "./commit";
import { connectorTypeName } from "./connector-type";
import { duplicatesCell } from "./duplicates-cell";
import { duplicatesCellSchema } from "./duplicates-schema";
import { byUrgency, findingLine, findingLineSchema } from "./findings";
import { freshness, whyNoValue } from "./freshness";
import { newestChange } from "./newest-change";
import { connectorPath } from "./paths";
import { windowCellSchema } from "./replay-window-schema";
import { stateMark, stateMarkSchema, whenLate } from "./run-state";
import { shortPosition, shortPositionSchema } from "./short-position";
import type { FleetInput } from "./surroundings";
import { tasksInShort } from "./tasks";
import { type Watch, watch, watchSchema } from "./watch";
import { windowCell } from "./window-cell";

const historyCellSchema = z.object({
  slug: z.string(),
  outcome: outcomeSchema,
  short: z.string(),
  sentence: z.string(),
});

const fleetRowSchema = z.object({
  cluster: z.string(),
  connector: z.string(),
  path: z.string(),
  /** `PostgreSQL`; null when the class was not reported. */
  type: z.string().nullable(),
  version: z.string().nullable(),
  /** `source`, `sink`, or as it came. */
  role: z.string().nullable(),
  /** The connector's own state word, verbatim; null when not reported. */
  state: stateMarkSchema.nullable(),
  /** `2 of 5 tasks FAILED`; null when there is nothing to add to the state. */
  tasks: stateMarkSchema.nullable(),
  position: shortPositionSchema,
  commit: commitSchema.nullable(),
  replayWindow: windowCellSchema,
  /** Of the last 24 hours. */
  duplicates: duplicatesCellSchema,
  /** The worst verdict on its schema history; null when it needs none or nothing was judged yet. */
  history: historyCellSchema.nullable(),
  /** The worst open finding; `ok` when there is none. */
  worst: outcomeSchema,
  openFindings: z.number().int(),
  missingSince: z.iso.datetime().nullable(),
  /** Set when state or position are older than they should be: as of when, and why. */
  stale: z.object({ asOf: z.iso.datetime().nullable(), why: z.string().nullable() }).nullable(),
});
export type FleetRow = z.infer<typeof fleetRowSchema>;

/** Findings beyond this many are counted, not listed. */
const listedFindings = 200;

export const fleetViewSchema = z.object({
  watch: watchSchema,
  /** When anything shown here last changed. */
  changedAt: z.iso.datetime().nullable(),
  counts: z.object({
    /** Connectors with a critical finding or a warning. */
    attention: z.number().int(),
    fine: z.number().int(),
    /** Connectors of which nothing worse is known than that something is unknown. */
    unknown: z.number().int(),
  }),
  /** Open findings, worst first, at most 200. */
  findings: z.array(findingLineSchema),
  findingsTotal: z.number().int(),
  connectors: z.array(fleetRowSchema),
  /** Why the list is empty or may lack connectors, a sentence each, and whether it is a fault or a plain fact. */
  gaps: z.array(
    z.object({ cluster: z.string().nullable(), kind: z.enum(["fact", "fault"]), sentence: z.string() }),
  ),
});
export type FleetView = z.infer<typeof fleetViewSchema>;

function historyCell(connector: JudgedConnector): FleetRow["history"] {
  const verdicts = connector.verdicts.filter(
    (v) => v.slug.startsWith("history-") && v.outcome !== "not-applicable",
  );
  const worst = verdicts.sort(byOutcome)[0];
  if (!worst) return null;
  const { slug, outcome, short, sentence } = worst;
  if (outcome !== "ok") return { slug, outcome, short, sentence };
  // All well: the cell says what the check of the topic itself says, with its condition where it has one.
  const topic = verdicts.find((v) => v.slug === "history-missing") ?? worst;
  return { slug: topic.slug, outcome, short: topic.short, sentence: topic.sentence };
}

function staleness(connector: JudgedConnector, input: FleetInput): FleetRow["stale"] {
  const parts = [
    freshness(connector.report, input.poll.connectors, input.now),
    freshness(connector.offsets, input.poll.offsets, input.now),
  ].filter((f) => f.stale);
  const oldest = parts.sort((a, b) => (a.asOf ?? "").localeCompare(b.asOf ?? ""))[0];
  return oldest ? { asOf: oldest.asOf, why: oldest.failure?.sentence ?? null } : null;
}

function runState(connector: JudgedConnector, late: boolean): FleetRow["state"] {
  const state = connector.report.value?.connector?.state;
  return state === undefined ? null : whenLate(stateMark(state), late);
}

function fleetRow(connector: JudgedConnector, outcomes: readonly Outcome[], input: FleetInput): FleetRow {
  const report = connector.report.value;
  const { late } = freshness(connector.report, input.poll.connectors, input.now);
  const committed: Commit | null = commit(connector);
  return {
    cluster: connector.cluster,
    connector: connector.connector,
    path: connectorPath(connector.cluster, connector.connector),
    type: connectorTypeName(report?.config?.["connector.class"]),
    version: report?.connector?.version ?? report?.tasks?.[0]?.version ?? null,
    role: report?.type ?? null,
    state: runState(connector, late),
    tasks: whenLate(tasksInShort(report?.tasks ?? null, report?.connector?.state ?? null), late),
    position: shortPosition(connector),
    commit: committed,
    replayWindow: windowCell(connector, {
      spark: input.sparks?.get(subject(connector.cluster, connector.connector)),
      pollMs: input.poll.replayWindow,
      now: input.now,
    }),
    duplicates: duplicatesCell(connector, { pollMs: input.poll.duplicates, now: input.now }),
    history: historyCell(connector),
    worst: worstOf(outcomes),
    openFindings: outcomes.length,
    missingSince: connector.missingSince?.toISOString() ?? null,
    stale: staleness(connector, input),
  };
}

function worstOf(outcomes: readonly Outcome[]): Outcome {
  return outcomes.map((outcome) => ({ outcome })).sort(byOutcome)[0]?.outcome ?? "ok";
}

/** Why connectors may be missing from the list: a false "none" is worse than no page. */
function gaps(input: FleetInput, seen: Watch): FleetView["gaps"] {
  if (input.clusters.length === 0) {
    return [{ cluster: null, ...whyNoClusters(seen) }];
  }
  return input.clusters.flatMap((cluster): FleetView["gaps"] => {
    const why = whyNoValue(cluster.connect, `Kafka Connect of ${cluster.name}`);
    if (why) return [{ cluster: cluster.name, kind: cluster.connect ? "fault" : "fact", sentence: why }];
    const shown = input.connectors.some((c) => c.cluster === cluster.name);
    if (shown || cluster.connect?.failure) return [];
    const none = cluster.connect?.value?.connectors.length === 0;
    const sentence = none
      ? `There is no connector on ${cluster.name}: its Kafka Connect answers and lists none.`
      : `The connectors of ${cluster.name} are being read for the first time.`;
    return [{ cluster: cluster.name, kind: "fact", sentence }];
  });
}

function whyNoClusters(seen: Watch): { kind: "fact" | "fault"; sentence: string } {
  return seen.collector.state === "alive"
    ? {
        kind: "fact",
        sentence: "No cluster is configured: set CONNECT_URL, or list clusters in tidemark.yaml.",
      }
    : { kind: "fault", sentence: "The collector has not run yet, so nothing is known of any cluster." };
}

function outcomesByConnector(input: FleetInput): Map<string, Outcome[]> {
  const map = new Map<string, Outcome[]>();
  for (const finding of input.openFindings) {
    if (finding.connector === null) continue;
    const key = subject(finding.cluster, finding.connector);
    const list = map.get(key);
    if (list) list.push(finding.verdict.outcome);
    else map.set(key, [finding.verdict.outcome]);
  }
  return map;
}

function subject(cluster: string, connector: string): string {
  return JSON.stringify([cluster, connector]);
}

function counts(rows: readonly FleetRow[]): FleetView["counts"] {
  const attention = rows.filter((r) => r.worst === "critical" || r.worst === "warning").length;
  const unknown = rows.filter((r) => r.worst === "unknown" || (r.worst === "ok" && r.state === null)).length;
  return { attention, unknown, fine: rows.length - attention - unknown };
}

/** The fleet, worst connector first, as the Fleet page and GET /api/v1/fleet say it. */
export function fleetView(input: FleetInput): FleetView {
  const seen = watch(input);
  const outcomes = outcomesByConnector(input);
  const rows = input.connectors
    .map((c) => fleetRow(c, outcomes.get(subject(c.cluster, c.connector)) ?? [], input))
    .sort(
      (a, b) =>
        byOutcome({ outcome: a.worst }, { outcome: b.worst }) || a.connector.localeCompare(b.connector),
    );
  const findings = [...input.openFindings].sort(byUrgency);
  return {
    watch: seen,
    changedAt: newestChange([
      ...input.connectors.flatMap((c) => [c.report.since, c.offsets?.since, c.history?.since]),
      ...findings.map((f) => f.openedAt),
    ]),
    counts: counts(rows),
    findings: findings.slice(0, listedFindings).map(findingLine),
    findingsTotal: findings.length,
    connectors: rows,
    gaps: gaps(input, seen),
  };
}
