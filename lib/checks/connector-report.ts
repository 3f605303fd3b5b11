import { connectorType } from "@/lib/debezium/connector-type";
import type { ConnectorReport } from "@/lib/observed/connector";
import type { ConnectorFacts } from "./check";
import { type Known, known } from "./known";
import type { Evidence } from "./verdict";

export function knownReport(facts: ConnectorFacts, now: Date): Known<ConnectorReport> {
  return known("the connector's state and configuration", facts.report, now);
}

/** A source connector of Debezium that we know, else why checks of positions and histories have nothing to say. */
export function notOurs(report: ConnectorReport): string | null {
  if (report.type === "sink") return "A sink connector has no source position.";
  if (!report.config) return null;
  const type = connectorType(report.config["connector.class"]);
  return type === "unknown" ? "Not a Debezium source connector that Tidemark knows." : null;
}

export function stateEvidence(report: ConnectorReport, facts: ConnectorFacts): Evidence[] {
  const { connector } = report;
  if (!connector) return [];
  const since = facts.times.connector?.state === connector.state ? facts.times.connector.since : null;
  return [
    { label: "connector state", value: connector.state, from: "Connect" },
    ...(connector.workerId ? [{ label: "worker", value: connector.workerId, from: "Connect" }] : []),
    ...(since ? [{ label: "since", value: since, from: "first seen so" }] : []),
  ];
}

/** Milliseconds since the connector was first seen in the state given; null when that is not known. */
export function inStateMs(facts: ConnectorFacts, state: string, now: Date): number | null {
  const time = facts.times.connector;
  return time?.state === state ? now.getTime() - Date.parse(time.since) : null;
}
