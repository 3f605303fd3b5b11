import type { JudgedConnector } from "@/lib/checks/judged";
import type { ConnectorDuplicates } from "@/lib/observed/duplicates";
import { type Failure, type Look, type Observation, observe } from "@/lib/observed/observation";
import { saveDuplicatesParts } from "@/lib/store/connectors";
import type { Database } from "@/lib/store/database";
import { readScanResults } from "@/lib/store/scans";
import { type ClusterWatch, changeConnectors } from "./cluster-watch";
import type { ClusterDuplicates } from "./duplicates/cluster-duplicates";
import { connectorPart } from "./duplicates/connector-part";
import { measureAll } from "./duplicates/measure-all";
import { askDay, type Ends, takeEnds } from "./duplicates/take-ends";
import { changeTopics, lookAtEnds } from "./duplicates/topic-watch";
import { sharedFailure } from "./shared-failure";

/**
 * Looks for changes that were produced again, in the topics of every change connector of one cluster: at first over what is
 * retained, from the newest back, then in what is new. One request a broker tells which topics have grown: those that have not
 * are not read. What is found is stored together with how far was measured.
 * @throws DatabaseUnavailable
 */
export async function lookAtDuplicates(
  watch: ClusterWatch,
  duplicates: ClusterDuplicates,
  db: Database,
): Promise<Failure | null> {
  const connectors = changeConnectors(watch);
  const names = connectors.map(({ connector }) => connector);
  await duplicates.begin(names, db);
  if (connectors.length === 0) return null;
  const { brokers } = watch.probe;
  const topics = [...new Set(connectors.flatMap((known) => changeTopics(known) ?? []))].sort();
  const ends: Look<Ends> = brokers ? await lookAtEnds(brokers.log, topics) : { failure: noBrokers };
  if (brokers) duplicates.seen.takeBrokers(ends.failure ?? null, new Date());
  if (ends.failure !== undefined || !brokers) {
    const failure = ends.failure ?? noBrokers;
    await keep(watch, new Map(names.map((name) => [name, { failure }])), db);
    return brokers ? failure : null;
  }
  const { log } = brokers;
  await takeEnds(log, duplicates, connectors, ends.value, Date.now());
  await measureAll(log, duplicates, measurable(duplicates, connectors, ends.value), db);
  if (duplicates.options.signal.aborted) return null;
  await duplicates.flush(db, Date.now());
  const partitions = names.flatMap((name) => [...duplicates.partitionsOf(name).values()]);
  await askDay(log, duplicates, partitions, Date.now());
  const told = { ends: ends.value, scans: await readScanResults(db, watch.cluster.name) };
  const looks = new Map<string, Look<ConnectorDuplicates>>();
  for (const known of connectors)
    looks.set(known.connector, await connectorPart(known, duplicates, told, db, Date.now()));
  await keep(watch, looks, db);
  return sharedFailure(topics.map((topic) => failureOf(topic, ends.value, duplicates, names)));
}

const noBrokers: Failure = {
  kind: "not-configured",
  sentence: "no Kafka brokers are configured for this cluster",
  remedy: "set kafka.brokers of the cluster, or KAFKA_BROKERS",
};

/** Of each connector the partitions of those topics that could be looked at. */
function measurable(duplicates: ClusterDuplicates, connectors: readonly JudgedConnector[], ends: Ends) {
  return connectors.map((known) => {
    const topics = new Set(changeTopics(known) ?? []);
    const partitions = [...duplicates.partitionsOf(known.connector).values()].filter(({ topic }) => {
      const look = ends.get(topic);
      return topics.has(topic) && look !== undefined && !("kind" in look);
    });
    return { known, partitions };
  });
}

/** Why nothing of a topic could be measured, if so. */
function failureOf(
  topic: string,
  ends: Ends,
  duplicates: ClusterDuplicates,
  names: readonly string[],
): Failure | null {
  const look = ends.get(topic);
  if (look && "kind" in look) return look;
  const kept = names.flatMap((name) =>
    [...duplicates.partitionsOf(name).values()].filter((one) => one.topic === topic),
  );
  return sharedFailure(kept.map(({ failure }) => failure));
}

/** Keeps what the look brought: in the watch for the checks, and in the store. */
async function keep(
  watch: ClusterWatch,
  looks: ReadonlyMap<string, Look<ConnectorDuplicates>>,
  db: Database,
): Promise<void> {
  const now = new Date();
  const parts = new Map<string, Observation<ConnectorDuplicates>>();
  for (const [connector, look] of looks) {
    const known = watch.connectors.get(connector);
    // Gone while we looked.
    if (!known) continue;
    const duplicates = observe(known.duplicates ?? null, look, now);
    watch.connectors.set(connector, { ...known, duplicates });
    parts.set(connector, duplicates);
  }
  await saveDuplicatesParts(db, watch.cluster.name, parts);
}
