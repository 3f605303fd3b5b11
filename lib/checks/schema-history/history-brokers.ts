import { isReference } from "@/lib/debezium/config";
import type { ConnectorCheck, ConnectorFacts } from "../check";
import type { Evidence, Verdict } from "../verdict";
import { needsHistoryTopic } from "./needs-history-topic";

/** Brokers that a connector is told of, of which none is among those that were asked: another cluster, or other names. */
export interface OtherBrokers {
  told: string;
  lookedAt: string;
}

/** Null when an address is shared, or when either side is not known. */
export function otherBrokers(facts: ConnectorFacts, bootstrapServers: string | null): OtherBrokers | null {
  if (bootstrapServers === null || !facts.brokers || facts.brokers.length === 0) return null;
  if (overlap(addresses(bootstrapServers), addresses(facts.brokers.join(",")))) return null;
  return { told: bootstrapServers, lookedAt: [...new Set(facts.brokers)].join(", ") };
}

/**
 * Whether two connectors may keep their schema history on the same brokers. Only what both name plainly, without an
 * address in common and not both of the cluster that was asked, is taken for two clusters.
 */
export function maybeSameBrokers(facts: ConnectorFacts, one: string | null, other: string | null): boolean {
  if (one === null || other === null || isReference(one) || isReference(other)) return true;
  if (overlap(addresses(one), addresses(other))) return true;
  const asked = addresses((facts.brokers ?? []).join(","));
  return overlap(addresses(one), asked) && overlap(addresses(other), asked);
}

/**
 * A check of a topic that is there, with the doubt told where the connector names other brokers: names often differ
 * by listener only, so the verdict stands, but it is never good without the condition.
 */
export function tellingBrokers(check: ConnectorCheck): ConnectorCheck {
  return {
    ...check,
    judge(facts, limits, now) {
      const verdict = check.judge(facts, limits, now);
      if (verdict.outcome === "unknown" || verdict.outcome === "not-applicable") return verdict;
      const config = facts.report.value?.config;
      const need = config ? needsHistoryTopic(config) : null;
      const others = need && "topic" in need ? otherBrokers(facts, need.bootstrapServers) : null;
      return others ? withCondition(verdict, others) : verdict;
    },
  };
}

function withCondition(verdict: Verdict, { told, lookedAt }: OtherBrokers): Verdict {
  const condition = `${told}, where the connector keeps it, and ${lookedAt}, where Tidemark looked, are one Kafka cluster`;
  const evidence: Evidence[] = [
    { label: "connector's brokers", value: told, from: "connector configuration" },
    { label: "looked at", value: lookedAt, from: "kafka.brokers" },
  ];
  return {
    ...verdict,
    short: verdict.outcome === "ok" ? `${verdict.short}${ifOneCluster}` : verdict.short,
    sentence: verdict.outcome === "ok" ? `${verdict.sentence} This holds if ${condition}.` : verdict.sentence,
    evidence: [...verdict.evidence, ...evidence],
  };
}

/** Ends the short form of a good verdict that holds under that condition. */
export const ifOneCluster = ", if one cluster";

function addresses(list: string): string[] {
  return list
    .split(",")
    .map((address) =>
      address
        .trim()
        .replace(/^[A-Za-z_0-9]+:\/\//, "")
        .toLowerCase(),
    )
    .filter((address) => address !== "");
}

function overlap(some: readonly string[], others: readonly string[]): boolean {
  return some.some((address) => others.includes(address));
}
