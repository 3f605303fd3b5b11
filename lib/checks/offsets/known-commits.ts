import { type ConnectorConfig, typeOf } from "@/lib/debezium/config";
import type { ConnectorType } from "@/lib/debezium/connector-type";
import type { OffsetCommit } from "@/lib/observed/commits";
import type { ConnectorFacts } from "../check";
import { knownReport, notOurs } from "../connector-report";
import { known } from "../known";
import type { sayer } from "../say";
import type { Evidence, Verdict } from "../verdict";
import { type CommitStep, commitSteps } from "./commit-steps";

/** What happened to a position stays a finding for this long, while the commits that show it are at hand. */
const REMEMBERED_MS = 24 * 3_600_000;

export interface KnownSteps {
  type: ConnectorType;
  config: ConnectorConfig;
  /** Every commit at hand of every source partition, compared with the one before it. */
  partitions: { partition: string; steps: CommitStep[] }[];
}

type Sayer = ReturnType<typeof sayer>;

/** The recent commits compared with each other, or the verdict that says why that cannot be done. */
export function knownSteps(say: Sayer, facts: ConnectorFacts, now: Date): KnownSteps | Verdict {
  const report = knownReport(facts, now);
  if (report.why !== undefined) return say.unknown(report.why);
  const foreign = notOurs(report.value);
  if (foreign) return say.notApplicable(foreign);
  if (!report.value.config) return say.unknown("Connect did not report the configuration.");
  const commits = known("the offset topic", facts.commits, now);
  if (commits.why !== undefined) return withoutTopic(say, facts, commits.why);
  const type = typeOf(report.value.config);
  return {
    type,
    config: report.value.config,
    partitions: commits.value.partitions.map(({ partition, commits: list }) => ({
      partition,
      steps: commitSteps(type, list),
    })),
  };
}

function withoutTopic(say: Sayer, facts: ConnectorFacts, why: string): Verdict {
  const failure = facts.commits?.failure;
  const remedy = failure?.remedy ? [{ text: failure.remedy, command: null }] : [];
  const needs = "Commits are compared with each other, and only the offset topic has more than the newest.";
  return say.unknown(failure ? `${why} ${needs}` : why, { remedy });
}

/** Steps whose commit is younger than a set time, newest first. */
export function recentSteps(steps: readonly CommitStep[], now: Date): CommitStep[] {
  return steps.filter((s) => now.getTime() - Date.parse(s.commit.at) <= REMEMBERED_MS).reverse();
}

/** Where a commit lies in the offset topic. */
export function placeOf({ topic, kafkaPartition, kafkaOffset, at }: OffsetCommit): string {
  return `${topic}, partition ${kafkaPartition}, offset ${kafkaOffset}, ${at}`;
}

/** The source partition, where a connector has several. */
export function partitionEvidence(all: KnownSteps["partitions"], partition: string): Evidence[] {
  return all.length > 1 ? [{ label: "source partition", value: partition, from: "offset topic" }] : [];
}

/** `2026-09-14 06:30:00 UTC` */
export function utc(at: string): string {
  return `${at.slice(0, 10)} ${at.slice(11, 19)} UTC`;
}
