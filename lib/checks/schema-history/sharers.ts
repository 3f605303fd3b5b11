import type { ConnectorFacts } from "../check";
import { maybeSameBrokers } from "./history-brokers";
import { needsHistoryTopic } from "./needs-history-topic";

export type Sharer = ConnectorFacts["fleet"][number] & { config: Record<string, string | null> };
/** A topic, and the brokers that the configuration names for it. */
interface HistoryPlace {
  topic: string;
  bootstrapServers: string | null;
}

/**
 * Every connector whose schema history topic has this name, by the connector's name; the judged one is among `same`.
 * `elsewhere`: those that keep it on brokers with other addresses.
 */
export function sharers(
  facts: ConnectorFacts,
  { topic, bootstrapServers }: HistoryPlace,
): { same: Sharer[]; elsewhere: Sharer[] } {
  const same: Sharer[] = [];
  const elsewhere: Sharer[] = [];
  for (const other of facts.fleet) {
    const { config } = other;
    if (!config) continue;
    const need = needsHistoryTopic(config);
    if (!("topic" in need) || need.topic !== topic) continue;
    const near = isMe(facts, other) || maybeSameBrokers(facts, bootstrapServers, need.bootstrapServers);
    (near ? same : elsewhere).push({ ...other, config });
  }
  const byName = (a: Sharer, b: Sharer) => (nameOf(a) < nameOf(b) ? -1 : 1);
  return { same: same.sort(byName), elsewhere: elsewhere.sort(byName) };
}

/** Whether any other connector names this topic, on whichever brokers: one that may be shared is not to be deleted. */
export function isShared(facts: ConnectorFacts, topic: string): boolean {
  const { same } = sharers(facts, { topic, bootstrapServers: null });
  return same.some((s) => !isMe(facts, s));
}

function isMe(facts: ConnectorFacts, s: { cluster: string; connector: string }): boolean {
  return s.cluster === facts.cluster && s.connector === facts.connector;
}

function nameOf(s: { cluster: string; connector: string }): string {
  return `${s.connector}\n${s.cluster}`;
}
