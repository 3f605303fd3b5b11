import { heartbeatIntervalMs } from "@/lib/debezium/config";
import type { ConnectorReport } from "@/lib/observed/connector";
import type { TopicEnd } from "@/lib/observed/topic";
import type { CheckLimits, ConnectorCheck, ConnectorFacts } from "../check";
import { knownReport, notOurs } from "../connector-report";
import { duration } from "../duration";
import { failureSentence, known } from "../known";
import { sayer } from "../say";
import type { Evidence, Verdict } from "../verdict";

const say = sayer("running-but-silent");

export const runningButSilent: ConnectorCheck = {
  subject: "connector",
  slug: "running-but-silent",
  group: "connect",
  title: "Running but silent",
  looksAt: "Whether table topics get records while the stored position moves.",
  severity: "warning",
  judge(facts, limits, now) {
    const report = knownReport(facts, now);
    if (report.why !== undefined) return say.unknown(report.why);
    const foreign = notOurs(report.value);
    if (foreign) return say.notApplicable(foreign);
    const { connector, tasks } = report.value;
    if (!connector || !tasks) return say.unknown("Connect did not report the state of connector and tasks.");
    if (connector.state !== "RUNNING" || !tasks.some((t) => t.state === "RUNNING")) {
      return say.notApplicable("No task is RUNNING.");
    }
    const ends = known("the ends of its topics", facts.ends, now);
    if (ends.why !== undefined) return say.unknown(ends.why);
    const tables = ends.value.topics.filter((t) => t.role === "table");
    return judgeTables(facts, report.value, tables, limits, now);
  },
};

function judgeTables(
  facts: ConnectorFacts,
  report: ConnectorReport,
  tables: readonly TopicEnd[],
  limits: CheckLimits,
  now: Date,
): Verdict {
  if (tables.length === 0) return say.unknown("It has no table topic yet.");
  const newest = tables
    .filter((t) => t.grewAt !== null)
    .sort((a, b) => ((a.grewAt ?? "") < (b.grewAt ?? "") ? 1 : -1))[0];
  const grewMs = newest?.grewAt ? now.getTime() - Date.parse(newest.grewAt) : null;
  if (newest && grewMs !== null && grewMs <= limits.silentMs) {
    return say.ok("records come", "Table topics get records.");
  }
  const unreadable = tables.find((t) => t.failure !== null);
  if (unreadable?.failure)
    return say.unknown(`Not every table topic can be seen. ${failureSentence(unreadable.failure)}`);
  const watched = now.getTime() - Math.min(...tables.map((t) => Date.parse(t.watchedSince)));
  if (watched < limits.silentMs) {
    return say.unknown(
      `Warming up: no record so far, and silence is judged over ${duration(limits.silentMs)}.`,
    );
  }
  const offsets = known("the stored offsets", facts.offsets, now);
  if (offsets.why !== undefined) return say.unknown(offsets.why);
  const silentFor = duration(grewMs ?? watched);
  const evidence: Evidence[] = [
    { label: "table topics", value: `${tables.length}`, from: "Connect" },
    { label: "last record seen", value: newest?.grewAt ?? `none in ${silentFor}`, from: "brokers" },
  ];
  const movedAt = facts.offsets?.notBefore ? facts.offsets.since : null;
  if (!movedAt || now.getTime() - movedAt.getTime() > limits.silentMs) {
    const beat = heartbeatIntervalMs(report.config ?? {});
    return say.unknown(
      `No table topic got a record for ${silentFor}, and the stored position stands still: the source may be quiet, or the connector stuck.${beat === 0 ? " With heartbeats it could be told." : ""}`,
      {
        evidence,
        remedy:
          beat === 0
            ? [
                {
                  text: "Set heartbeat.interval.ms (10000, say), so that the position moves on a quiet source.",
                  command: null,
                },
              ]
            : [],
      },
    );
  }
  return say.warning({
    short: `for ${silentFor}`,
    sentence: `RUNNING, and the stored position moves, yet no table topic got a record for ${silentFor}: the tables are quiet, or their events are skipped.`,
    evidence: [
      ...evidence,
      { label: "position moved", value: movedAt.toISOString(), from: "stored offsets" },
    ],
    remedy: [
      {
        text: "Write to a captured table and see whether a record comes. If none does: compare table.include.list and the publication with the table's name, and look for filters, and for event.processing.failure.handling.mode or inconsistent.schema.handling.mode set to skip or warn.",
        command: null,
      },
    ],
  });
}
