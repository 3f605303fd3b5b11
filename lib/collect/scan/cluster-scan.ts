import type { ClusterWatch } from "@/lib/collect/cluster-watch";
import { changeConnectors } from "@/lib/collect/cluster-watch";
import { changeTopics } from "@/lib/collect/duplicates/topic-watch";
import type { ClusterSettings, Settings } from "@/lib/config/settings";
import { typeOf } from "@/lib/debezium/config";
import { openGroupMembership } from "@/lib/kafka/group-membership";
import type { SchemaRegistry } from "@/lib/kafka/registry";
import type { Failure } from "@/lib/observed/observation";
import type { Database } from "@/lib/store/database";
import { keepOnlyScans, scanGroup } from "@/lib/store/scans";
import { openScanLoop, type ScanLoop, type ScannedTopic } from "./scan-loop";

/** Assumed of a topic that was not read yet. */
const BYTES_PER_RECORD = 1_024;
const FORGET_EVERY_MS = 3_600_000;

export interface ClusterScanOf {
  watch: ClusterWatch;
  cluster: ClusterSettings | undefined;
  settings: Settings["scan"];
  db: Database;
  registry: SchemaRegistry | null;
  signal: AbortSignal;
}

/**
 * One pass of the scan of a cluster's topics, as a loop runs it: reads for some seconds. It does nothing unless `scan.enabled`
 * is set and brokers are configured.
 */
export function openClusterScan(of: ClusterScanOf): () => Promise<Failure | null> {
  const { watch, cluster, settings, db, signal } = of;
  const kafka = cluster?.kafka;
  const { brokers } = watch.probe;
  if (!settings.enabled || !kafka || !brokers) return async () => null;
  let loop: Promise<ScanLoop> | null = null;
  let forgottenAt = performance.now();
  const open = async () => {
    const { secret, groupId } = await scanGroup(db, watch.cluster.name);
    const membership = openGroupMembership(kafka, groupId);
    signal.addEventListener("abort", () => void membership.close(), { once: true });
    const { maxBytesPerSecond } = settings;
    return openScanLoop({
      ...{ cluster: watch.cluster.name, log: brokers.log, db, registry: of.registry, membership, secret },
      ...{ maxBytesPerSecond, signal },
    });
  };
  return async () => {
    loop ??= open().catch((error: unknown) => {
      loop = null;
      throw error;
    });
    const scan = await loop;
    const topics = scannedTopics(watch);
    if (topics === null) return null;
    if (performance.now() - forgottenAt > FORGET_EVERY_MS) {
      forgottenAt = performance.now();
      await keepOnlyScans(
        db,
        watch.cluster.name,
        topics.map(({ topic }) => topic),
      );
    }
    const growth = growthOf(watch);
    const slow = topics.filter(({ topic }) => {
      const bytes = (growth.get(topic) ?? 0) * (scan.bytesPerRecord(topic) ?? BYTES_PER_RECORD);
      return bytes <= settings.topicBytesPerSecond;
    });
    return scan.look(slow);
  };
}

/** The topics in which changes lie, of all connectors; null while those of one are not known. */
function scannedTopics(watch: ClusterWatch): ScannedTopic[] | null {
  const found = new Map<string, ScannedTopic>();
  for (const known of changeConnectors(watch)) {
    const topics = changeTopics(known);
    const config = known.report.value?.config ?? null;
    if (topics === null || config === null) return null;
    for (const topic of topics) {
      // Several connectors write it: each event tells whose it is.
      const shared = found.has(topic);
      found.set(
        topic,
        shared ? { topic, type: null, config: null } : { topic, type: typeOf(config), config },
      );
    }
  }
  return [...found.values()];
}

/** Offsets a second, by topic, as far as that is known. */
function growthOf(watch: ClusterWatch): Map<string, number> {
  const topics = [...watch.connectors.values()].flatMap(({ ends }) => ends?.value?.topics ?? []);
  return new Map(topics.flatMap(({ topic, perSecond }) => (perSecond === null ? [] : [[topic, perSecond]])));
}
