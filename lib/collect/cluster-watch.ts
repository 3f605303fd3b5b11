import type { ConnectorFacts } from "@/lib/checks/check";
import type { JudgedConnector, KnownCluster } from "@/lib/checks/judged";
import { isDebezium } from "@/lib/debezium/connector-type";
import { type ConnectorParts, saveConnectorParts } from "@/lib/store/connectors";
import type { Database } from "@/lib/store/database";
import type { ClusterProbe } from "./cluster-probe";

/** One cluster as its loops know it: what was seen last, kept while the database is away. */
export interface ClusterWatch {
  probe: ClusterProbe;
  /** Broker addresses of the settings. */
  brokers: readonly string[];
  /** Connect's offset.storage.topic, if the settings name it. */
  offsetTopic: string | null;
  /** Connect's group.id, if the settings name it. */
  groupId?: string | null;
  cluster: KnownCluster;
  connectors: Map<string, JudgedConnector>;
  /** Connectors whose offsets come from an offset topic at present: Connect is not asked for them. */
  followed: ReadonlySet<string>;
  /** When old commits were last deleted, milliseconds since 1970. */
  deletedOldAt: number;
}

/** Takes the parts that one loop saw of one connector, and stores them. Other loops' parts stay as they are by now. */
export async function takeParts(
  watch: ClusterWatch,
  connector: string,
  parts: ConnectorParts,
  db: Database,
): Promise<void> {
  const known = watch.connectors.get(connector);
  // Gone while we looked.
  if (!known) return;
  watch.connectors.set(connector, { ...known, ...parts, report: parts.report ?? known.report });
  await saveConnectorParts(db, known.cluster, connector, parts);
}

/** Connectors that write change events: source connectors of Debezium whose config was reported. */
export function changeConnectors(watch: ClusterWatch): JudgedConnector[] {
  return [...watch.connectors.values()].filter((c) =>
    isDebezium(c.report.value?.config?.["connector.class"] ?? ""),
  );
}

/** Every connector that may use the same topics: those of clusters on the same Kafka cluster, and of this one. */
export function topicNeighbours(
  watch: ClusterWatch,
  watches: readonly ClusterWatch[],
): ConnectorFacts["fleet"] {
  return onSameBrokers(watch, watches)
    .flatMap((w) => [...w.connectors.values()])
    .map((c) => ({ cluster: c.cluster, connector: c.connector, config: c.report.value?.config ?? null }));
}

/** The clusters on the same Kafka cluster as this one, as Connect tells it, and this one. */
export function onSameBrokers(watch: ClusterWatch, watches: readonly ClusterWatch[]): ClusterWatch[] {
  const kafkaId = watch.cluster.connect?.value?.kafkaClusterId ?? null;
  return watches.filter(
    (w) => w === watch || (kafkaId !== null && w.cluster.connect?.value?.kafkaClusterId === kafkaId),
  );
}
