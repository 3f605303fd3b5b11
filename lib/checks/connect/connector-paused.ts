import type { ConnectorCheck } from "../check";
import { knownReport, stateEvidence } from "../connector-report";
import { meanwhile } from "../meanwhile";
import { sayer } from "../say";
import { resumeStep } from "../shell";

const say = sayer("connector-paused");

export const connectorPaused: ConnectorCheck = {
  subject: "connector",
  slug: "connector-paused",
  group: "connect",
  title: "Connector paused",
  looksAt: "Whether the connector was paused by someone.",
  severity: "warning",
  judge(facts, _limits, now) {
    const report = knownReport(facts, now);
    if (report.why !== undefined) return say.unknown(report.why);
    const { connector } = report.value;
    if (!connector) return say.unknown("Connect did not report the connector's state.");
    if (connector.state !== "PAUSED") return say.ok("not paused", "The connector is not paused.");
    const cost = meanwhile(report.value, "paused");
    return say.warning({
      short: "paused",
      sentence: `The connector was paused on purpose${cost ? `; ${cost}` : ""}.`,
      evidence: stateEvidence(report.value, facts),
      remedy: [resumeStep(facts.connector)],
    });
  },
};
