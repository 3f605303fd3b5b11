import type { ConnectorFacts } from "@/lib/checks/check";
import { isDebezium } from "@/lib/debezium/connector-type";
import type { StoredCluster } from "@/lib/store/clusters";
import type { StoredConnector } from "@/lib/store/connectors";
import type { ClusterProbe } from "./cluster-probe";

/** One cluster as its loops know it: what was seen last, kept while the database is away. */
export interface ClusterWatch {
  probe: ClusterProbe;
  cluster: StoredCluster;
  connectors: Map<string, StoredConnector>;
}

/** Connectors that write change events: source connectors of Debezium whose config was reported. */
export function changeConnectors(watch: ClusterWatch): StoredConnector[] {
  return [...watch.connectors.values()].filter((c) =>
    isDebezium(c.report.value?.config?.["connector.class"] ?? ""),
  );
}

/** Every connector that may use the same topics: those of clusters on the same Kafka cluster, and of this one. */
export function topicNeighbours(
  watch: ClusterWatch,
  watches: readonly ClusterWatch[],
): ConnectorFacts["fleet"] {
  const kafkaId = watch.cluster.connect?.value?.kafkaClusterId ?? null;
  return watches
    .filter((w) => w === watch || (kafkaId !== null && w.cluster.connect?.value?.kafkaClusterId === kafkaId))
    .flatMap((w) => [...w.connectors.values()])
    .map((c) => ({ cluster: c.cluster, connector: c.connector, config: c.report.value?.config ?? null }));
}
