import type { ConnectorFacts } from "../check";
import { needsHistoryTopic } from "./needs-history-topic";

export type Sharer = ConnectorFacts["fleet"][number] & { config: Record<string, string | null> };

/** Every connector that keeps its schema history in this topic, by name; the judged one is among them. */
export function sharers(facts: ConnectorFacts, topic: string): Sharer[] {
  const users: Sharer[] = [];
  for (const other of facts.fleet) {
    const { config } = other;
    if (!config) continue;
    const need = needsHistoryTopic(config);
    if ("topic" in need && need.topic === topic) users.push({ ...other, config });
  }
  return users.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

export function isShared(facts: ConnectorFacts, topic: string): boolean {
  return sharers(facts, topic).some((s) => s.cluster !== facts.cluster || s.connector !== facts.connector);
}

function nameOf(s: { cluster: string; connector: string }): string {
  return `${s.connector}\n${s.cluster}`;
}
