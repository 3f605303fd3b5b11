import { rootCause } from "@/lib/debezium/trace";
import type { ConnectorCheck } from "../check";
import { knownReport, stateEvidence } from "../connector-report";
import { sayer } from "../say";
import { restartFailedStep } from "../shell";

const say = sayer("connector-failed");
/** States of org.apache.kafka.connect.runtime.AbstractStatus, Connect 4.4. */
const knownStates = new Set(["UNASSIGNED", "RUNNING", "PAUSED", "STOPPED", "FAILED", "RESTARTING"]);

export const connectorFailed: ConnectorCheck = {
  subject: "connector",
  slug: "connector-failed",
  group: "connect",
  title: "Connector failed",
  looksAt: "The state of the connector itself; its tasks have a check of their own.",
  severity: "critical",
  judge(facts, _limits, now) {
    const report = knownReport(facts, now);
    if (report.why !== undefined) return say.unknown(report.why);
    const { connector } = report.value;
    if (!connector) return say.unknown("Connect did not report the connector's state.");
    const { state } = connector;
    const evidence = stateEvidence(report.value, facts);
    if (!knownStates.has(state))
      return say.unknown(`The connector is in the unknown state "${state}".`, { short: state, evidence });
    if (state === "RESTARTING") return say.ok("restarting", "The connector is restarting.", evidence);
    if (state !== "FAILED") return say.ok(state.toLowerCase(), `The connector is ${state}.`, evidence);
    const cause = connector.trace ? rootCause(connector.trace) : null;
    return say.critical({
      short: "FAILED",
      sentence: cause
        ? `The connector FAILED: ${cause.headline}${cause.hint ? ` (${cause.hint})` : ""}.`
        : "The connector FAILED, and Connect gave no trace.",
      evidence: [
        ...evidence,
        ...(cause?.exceptionClass
          ? [{ label: "exception", value: cause.exceptionClass, from: "stack trace" }]
          : []),
      ],
      remedy: [restartFailedStep(facts.connector)],
    });
  },
};
