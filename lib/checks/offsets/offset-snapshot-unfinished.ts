import type { DecodedPartition } from "@/lib/debezium/decode-report";
import type { ConnectorReport } from "@/lib/observed/connector";
import type { ConnectorCheck, ConnectorFacts } from "../check";
import { knownReport, notOurs } from "../connector-report";
import { known } from "../known";
import { sayer } from "../say";
import type { Evidence, Verdict } from "../verdict";
import { placeOf, utc } from "./known-commits";
import { storedPartitions } from "./stored-partitions";

const say = sayer("offset-snapshot-unfinished");
/** A snapshot that emits rows is committed with every flush, 60 s apart by default: ten times that is quiet. */
const QUIET_MS = 600_000;

export const offsetSnapshotUnfinished: ConnectorCheck = {
  subject: "connector",
  slug: "offset-snapshot-unfinished",
  group: "offsets",
  title: "Snapshot not finished",
  looksAt: "Whether the stored offset says that a snapshot is under way, and whether one is.",
  severity: "warning",
  judge(facts, _limits, now) {
    const report = knownReport(facts, now);
    if (report.why !== undefined) return say.unknown(report.why);
    const foreign = notOurs(report.value);
    if (foreign) return say.notApplicable(foreign);
    const { config } = report.value;
    if (!config) return say.unknown("Connect did not report the configuration.");
    const offsets = known("the stored offsets", facts.offsets, now);
    if (offsets.why !== undefined) return say.unknown(offsets.why);
    const { used, undecided } = storedPartitions(config, offsets.value);
    const partitions = [...used, ...undecided];
    if (partitions.length === 0) return say.notApplicable("No position is stored.");
    const running = partitions.find((p) => p.phase === "snapshot");
    if (running) return judgeSnapshot(facts, report.value, running, now);
    const unclear = partitions.find((p) => p.phase === "unknown");
    if (unclear) return say.unknown(`Whether a snapshot is under way: not known. ${unclear.phaseText}.`);
    return say.ok("none", "The stored offset says that no snapshot is under way.");
  },
};

function judgeSnapshot(
  facts: ConnectorFacts,
  report: ConnectorReport,
  partition: DecodedPartition,
  now: Date,
): Verdict {
  const state = report.connector?.state ?? null;
  if (state === null || report.tasks === null)
    return say.unknown(
      "The stored offset says that a snapshot is under way; Connect did not report whether a task runs.",
    );
  const evidence: Evidence[] = [
    { label: "phase", value: partition.phaseText, from: "stored offset" },
    { label: "position", value: partition.position.text, from: "stored offset" },
  ];
  const still = standingStill(state, report.tasks);
  if (still) {
    return say.warning({
      short: "unfinished",
      sentence: `The stored offset says that a snapshot is under way, but ${still}: the next start begins it again, from the first row.`,
      evidence,
    });
  }
  const moved = lastMove(facts, partition.partition);
  const quiet = moved !== null && now.getTime() - moved.at.getTime() > QUIET_MS;
  const growth = tableGrowth(facts, now);
  if (!quiet || growth === "growing") {
    return say.info({
      short: "under way",
      sentence: "A snapshot is under way; a restart before its end begins it again, from the first row.",
      evidence,
    });
  }
  return say.warning({
    short: "unfinished",
    sentence: `The stored offset still says that a snapshot is under way, but nothing was committed since ${utc(moved.at.toISOString())}${growth === "silent" ? " and no table topic grew" : ""}: it has ended with nothing to commit since, or it waits. A restart now would begin it again, from the first row.`,
    evidence: [...evidence, { label: "last commit", value: moved.at.toISOString(), from: moved.from }],
    remedy: [
      {
        text: "Look in the worker's log, or in the notification topic, for the snapshot's end. If it has ended, have one more offset committed before any restart: write a row to a captured table, or set heartbeat.interval.ms (which restarts the task once).",
        command: null,
      },
      {
        text: "If it has not, look at the source for what it waits on: a lock, or a query that has not brought its first row.",
        command: null,
      },
    ],
  });
}

/** Why no snapshot can be under way; null while a task runs or is about to. */
function standingStill(state: string, tasks: readonly { state: string }[]): string | null {
  if (state === "STOPPED" || state === "PAUSED" || state === "FAILED") return `the connector is ${state}`;
  if (tasks.length === 0) return "the connector has no task";
  const failed = tasks.every((t) => t.state === "FAILED" || t.state === "PAUSED");
  return failed ? `its task is ${tasks[0]?.state}` : null;
}

/** The newest commit of the partition: exact from the offset topic, else when REST was first seen to answer so. */
function lastMove(facts: ConnectorFacts, partition: string): { at: Date; from: string } | null {
  const commits = facts.commits?.value?.partitions.find((p) => p.partition === partition)?.commits;
  const newest = commits?.at(-1);
  const seen = facts.offsets?.since ?? null;
  const exact = newest ? new Date(newest.at) : null;
  // A topic that can no longer be read lags behind what REST shows.
  if (newest && exact && (facts.commits?.failure === null || !seen || exact >= seen))
    return { at: exact, from: placeOf(newest) };
  return seen && { at: seen, from: "not seen to change since, by REST" };
}

/** Whether a table topic got records lately; `not known` when not all of them can be seen. */
function tableGrowth(facts: ConnectorFacts, now: Date): "growing" | "silent" | "not known" {
  const ends = known("the ends of its topics", facts.ends, now);
  const tables = ends.value?.topics.filter((t) => t.role === "table") ?? [];
  if (tables.some((t) => t.grewAt !== null && now.getTime() - Date.parse(t.grewAt) <= QUIET_MS))
    return "growing";
  const watched = tables.every(
    (t) => t.failure === null && now.getTime() - Date.parse(t.watchedSince) > QUIET_MS,
  );
  return tables.length > 0 && watched ? "silent" : "not known";
}
