import type { JudgedConnector } from "@/lib/checks/judged";
import type { CommitHistory } from "@/lib/observed/commits";
import type { StoredOffsets } from "@/lib/observed/connector";
import { type Failure, type Look, observe } from "@/lib/observed/observation";
import { commitsKeptMs, deleteOldCommits } from "@/lib/store/commits";
import { type ConnectorParts, saveOffsetParts } from "@/lib/store/connectors";
import type { Database } from "@/lib/store/database";
import { type ClusterWatch, changeConnectors } from "./cluster-watch";
import type { ConnectorCommits } from "./offset-topic/commit-memory";
import type { OffsetTopics } from "./offset-topic/offset-topics";
import { sameOffsets } from "./same-offsets";

/** Old commits are deleted this often, milliseconds, in batches of a few thousand and no more than these at a time. */
const DELETE_EVERY_MS = 60_000;
const DELETE_BATCHES = 40;

/** Follows the offset topics of one cluster: commits with their times, and the stored offsets, without asking Connect. */
export async function lookAtOffsetTopics(
  watch: ClusterWatch,
  topics: OffsetTopics | null,
  db: Database,
): Promise<Failure | null> {
  const connectors = changeConnectors(watch);
  if (connectors.length === 0) return null;
  const told = await lookOrNothing(watch, topics, connectors);
  const now = new Date();
  const parts = new Map<string, Pick<ConnectorParts, "offsets" | "commits">>();
  for (const [name, one] of told) {
    const known = watch.connectors.get(name);
    // Gone while we looked.
    if (!known) continue;
    const part = partsOf(known, one, now);
    watch.connectors.set(name, { ...known, ...part });
    parts.set(name, part);
  }
  watch.followed = new Set([...told].flatMap(([name, one]) => (one.value ? [name] : [])));
  await saveOffsetParts(db, watch.cluster.name, parts);
  await deleteSomeOld(watch, db, now);
  return topics ? loopFailure(watch, told) : null;
}

/** Until a look has ended well, REST is asked. */
async function lookOrNothing(
  watch: ClusterWatch,
  topics: OffsetTopics | null,
  connectors: readonly JudgedConnector[],
): Promise<Map<string, Look<ConnectorCommits>>> {
  if (!topics) return new Map(connectors.map((c) => [c.connector, { failure: noBrokers }]));
  try {
    return await topics.look(connectors, new Set(watch.connectors.keys()));
  } catch (error) {
    watch.followed = new Set();
    throw error;
  }
}

/** What a look at the offset topics makes of one connector's offsets and commits. */
export function partsOf(
  known: JudgedConnector,
  told: Look<ConnectorCommits>,
  now: Date,
): Pick<ConnectorParts, "offsets" | "commits"> {
  if (told.failure !== undefined)
    return { commits: observe(known.commits, { failure: told.failure }, now, sameHistory) };
  const offsets: StoredOffsets = { offsets: told.value.offsets, from: "topic" };
  return {
    commits: observe(known.commits, { value: told.value.history }, now, sameHistory),
    offsets: observe(known.offsets, { value: offsets }, now, sameOffsets),
  };
}

/** The memory gives the same object until something is added. */
const sameHistory = (a: CommitHistory, b: CommitHistory) => a === b;

/** A topic that nothing is in yet is no failure: it is found with the first commit. */
function loopFailure(watch: ClusterWatch, told: ReadonlyMap<string, Look<ConnectorCommits>>): Failure | null {
  const failure = [...told.values()].find((one) => one.failure)?.failure ?? null;
  if (failure?.kind !== "not-found") return failure;
  const stored = [...watch.connectors.values()].some((c) => (c.offsets?.value?.offsets.length ?? 0) > 0);
  return stored ? failure : null;
}

async function deleteSomeOld(watch: ClusterWatch, db: Database, now: Date): Promise<void> {
  if (now.getTime() - watch.deletedOldAt < DELETE_EVERY_MS) return;
  watch.deletedOldAt = now.getTime();
  const before = new Date(now.getTime() - commitsKeptMs);
  for (let i = 0; i < DELETE_BATCHES && (await deleteOldCommits(db, before)); i++);
}

const noBrokers: Failure = {
  kind: "not-configured",
  sentence: "no Kafka brokers are configured for this cluster",
  remedy: "set kafka.brokers of the cluster, or KAFKA_BROKERS",
};
