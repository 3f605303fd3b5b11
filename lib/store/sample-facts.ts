import type { Verdict } from "@/lib/checks/verdict";
import type { ConnectorReport, StateTimes } from "@/lib/observed/connector";
import type { Observation } from "@/lib/observed/observation";
import type { ReportToSave } from "./connectors";

/** Facts for tests of the store. */
export const at = (second: number) => new Date(Date.UTC(2026, 10, 29, 12, 0, second, 123));

export function seen<T>(value: T, when: Date = at(0), since: Date = when): Observation<T> {
  return { value, trueAt: when, since, notBefore: null, triedAt: when, failure: null };
}

export function connectorReport(name: string, config: Record<string, string | null> = {}): ConnectorReport {
  return {
    name,
    type: "source",
    connector: { state: "RUNNING", workerId: "127.0.0.1:8083", version: "3.6.1.Final", trace: null },
    tasks: [{ id: 0, state: "RUNNING", workerId: "127.0.0.1:8083", version: null, trace: null }],
    config: { name, "z.first": "1", "a.second": null, ...config },
    plaintextSecrets: [],
  };
}

const runningTimes: StateTimes = {
  connector: { state: "RUNNING", since: at(0).toISOString() },
  tasks: [{ id: 0, state: "RUNNING", since: at(0).toISOString() }],
};

export function reportOf(connector: string, when: Date = at(0), config = {}): ReportToSave {
  return {
    connector,
    firstSeenAt: when,
    missingSince: null,
    report: seen(connectorReport(connector, config), when),
    times: runningTimes,
  };
}

export function verdict(
  slug: string,
  outcome: Verdict["outcome"],
  sentence = `${slug} is ${outcome}.`,
): Verdict {
  return {
    slug,
    outcome,
    sentence,
    short: outcome,
    evidence: [{ label: "retention.ms", value: "604800000", from: "topic" }],
    remedy: [{ text: "Keep it for ever.", command: "kafka-configs.sh --alter" }],
  };
}
