import type { ConnectorConfig } from "@/lib/debezium/config";
import { type ConnectorType, connectorType } from "@/lib/debezium/connector-type";
import { type ClusterWatch, changeConnectors } from "../cluster-watch";

/** Who writes a topic, as far as it is watched. */
export interface TopicWriter {
  /** Null: no watched connector, or several: each event then tells. */
  connector: string | null;
  type: ConnectorType | null;
  /** Null: the records of every writer count, each apart. */
  config: ConnectorConfig | null;
}

/** The one watched connector that writes a topic. */
export function topicWriter(watch: ClusterWatch, topic: string): TopicWriter {
  const writers = changeConnectors(watch).filter((c) => c.topics?.value?.topics.includes(topic));
  const [only] = writers;
  const config = only?.report.value?.config;
  if (!only || writers.length > 1 || !config) return { connector: null, type: null, config: null };
  const type = connectorType(config["connector.class"]);
  return { connector: only.connector, type: type === "unknown" ? null : type, config };
}
