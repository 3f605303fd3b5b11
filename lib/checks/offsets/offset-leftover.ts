import type { DecodedPartition } from "@/lib/debezium/decode-report";
import type { ConnectorCheck } from "../check";
import { knownReport, notOurs } from "../connector-report";
import { known } from "../known";
import { sayer } from "../say";
import { connectorRequest, resumeStep, stopStep } from "../shell";
import type { RemedyStep } from "../verdict";
import { storedPartitions } from "./stored-partitions";

const say = sayer("offset-leftover");

export const offsetLeftover: ConnectorCheck = {
  subject: "connector",
  slug: "offset-leftover",
  group: "offsets",
  title: "Left-over offsets",
  looksAt: "Stored offsets of partitions that no start with the current configuration would read.",
  severity: "info",
  judge(facts, _limits, now) {
    const report = knownReport(facts, now);
    if (report.why !== undefined) return say.unknown(report.why);
    const foreign = notOurs(report.value);
    if (foreign) return say.notApplicable(foreign);
    const { config } = report.value;
    if (!config) return say.unknown("Connect did not report the configuration.");
    const offsets = known("the stored offsets", facts.offsets, now);
    if (offsets.why !== undefined) return say.unknown(offsets.why);
    const { leftover, undecided } = storedPartitions(config, offsets.value);
    if (leftover.length === 0) {
      if (undecided.length > 0)
        return say.unknown(`Whether a start would read the stored offsets is ${undecided[0]?.why}.`);
      return say.ok("none", "No offsets are left over.");
    }
    return say.info({
      short: leftover.length === 1 ? "1 partition" : `${leftover.length} partitions`,
      sentence: `Offsets of ${leftover.map((p) => p.partition).join(", ")} are stored and not read: ${reasons(leftover)}. They do no harm, but would be read if the old setting came back.`,
      evidence: leftover.map((p) => ({ label: p.partition, value: p.position.text, from: p.why ?? null })),
      remedy: removeSteps(facts.connector, leftover),
    });
  },
};

function reasons(leftover: readonly DecodedPartition[]): string {
  return [...new Set(leftover.map((p) => p.why ?? "it fits no current configuration"))].join("; ");
}

function removeSteps(connector: string, leftover: readonly DecodedPartition[]): RemedyStep[] {
  const body = `{"offsets":[${leftover.map((p) => `{"partition":${p.partition},"offset":null}`).join(",")}]}`;
  return [
    stopStep(connector),
    {
      text: "Remove only what is left over (Connect 3.6 and later). Connect refuses while the connector is not yet STOPPED: then try again.",
      command: connectorRequest("PATCH", connector, "/offsets", body),
    },
    resumeStep(connector),
  ];
}
