import { type ConnectorConfig, isReference, schemaHistoryStore, typeOf } from "@/lib/debezium/config";
import { connectorLabel } from "@/lib/debezium/connector-type";

/** The schema history topic that a configuration names, or why there is none to look at. */
export type HistoryNeed =
  | { topic: string; bootstrapServers: string | null }
  | { why: string; needed: boolean };

/** Whether a connector with this configuration needs a schema history topic, and which. Knows the names of 1.x. */
export function needsHistoryTopic(config: ConnectorConfig): HistoryNeed {
  const store = schemaHistoryStore(config);
  if (store.store === "none") {
    const type = typeOf(config);
    return {
      why:
        type === "unknown"
          ? "Not a Debezium source connector that Tidemark knows."
          : `A ${connectorLabel(type)} connector needs no schema history.`,
      needed: false,
    };
  }
  if (store.store === "other" && isReference(store.className)) {
    return { why: referencedStore(store.className), needed: true };
  }
  if (store.store === "other") {
    return { why: `The schema history is kept by ${store.className}, not in Kafka.`, needed: false };
  }
  if (store.topic === null) return { why: "The configuration names no schema history topic.", needed: true };
  if (isReference(store.topic)) {
    return {
      why: `The schema history topic is ${store.topic}, which only the worker can resolve.`,
      needed: true,
    };
  }
  return { topic: store.topic, bootstrapServers: store.bootstrapServers };
}

/** Why it is not known where the schema history is kept. */
export function referencedStore(className: string): string {
  return `Where the schema history is kept is ${className}, which only the worker can resolve.`;
}
