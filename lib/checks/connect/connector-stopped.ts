import type { ConnectorCheck } from "../check";
import { knownReport, stateEvidence } from "../connector-report";
import { meanwhile } from "../meanwhile";
import { sayer } from "../say";
import { resumeStep } from "../shell";

const say = sayer("connector-stopped");

export const connectorStopped: ConnectorCheck = {
  subject: "connector",
  slug: "connector-stopped",
  group: "connect",
  title: "Connector stopped",
  looksAt: "Whether the connector was stopped by someone.",
  severity: "warning",
  judge(facts, _limits, now) {
    const report = knownReport(facts, now);
    if (report.why !== undefined) return say.unknown(report.why);
    const { connector } = report.value;
    if (!connector) return say.unknown("Connect did not report the connector's state.");
    if (connector.state !== "STOPPED") return say.ok("not stopped", "The connector is not stopped.");
    const cost = meanwhile(report.value, "stopped");
    return say.warning({
      short: "stopped",
      sentence: `The connector was stopped on purpose${cost ? `; ${cost}` : ""}.`,
      evidence: stateEvidence(report.value, facts),
      remedy: [resumeStep(facts.connector)],
    });
  },
};
