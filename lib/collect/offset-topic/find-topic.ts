import { readOffsetKey } from "@/lib/debezium/offset-record";
import { LogReadError, type LogReader } from "@/lib/kafka/log/log-reader";
import type { LogRecord } from "@/lib/kafka/log/record";
import type { Failure } from "@/lib/observed/observation";
import type { BrokerProbe } from "../cluster-probe";
import { inTurn } from "../in-turn";

const AT_ONCE = 4;
/** Partitions of one topic whose keys are looked at: an offset topic has 25, and few of them hold anything. */
const SAMPLED_PARTITIONS = 8;
const NAMES_SHOWN = 5;

/** Kafka's own topics, compacted and never an offset topic. */
const internal: ReadonlySet<string> = new Set([
  "__consumer_offsets",
  "__transaction_state",
  "__share_group_state",
  "__cluster_metadata",
]);

/**
 * Finds the offset topic of a Connect cluster, whose name Connect tells nobody: among the compacted topics the one whose
 * keys name its connectors. Where topic settings may not be read, keys alone decide.
 * @param others topics known to be something else, such as connectors' own offset topics
 */
export async function findOffsetTopic(
  brokers: BrokerProbe,
  connectors: ReadonlySet<string>,
  others: ReadonlySet<string>,
): Promise<{ topic: string } | { failure: Failure }> {
  const possible = await compactedTopics(brokers, others);
  if ("failure" in possible) return possible;
  const looks = await lookAtKeys(brokers.log, possible.topics, connectors);
  const found = looks.filter((look) => look.keys === "offsets").map((look) => look.topic);
  const [topic] = found;
  if (topic === undefined) return { failure: noneFound(looks) };
  return found.length === 1 ? { topic } : { failure: severalFound(found) };
}

async function compactedTopics(
  brokers: BrokerProbe,
  others: ReadonlySet<string>,
): Promise<{ topics: string[] } | { failure: Failure }> {
  const all = await brokers.listTopics();
  if (all.failure !== undefined) return { failure: all.failure };
  const names = all.value.filter((topic) => !internal.has(topic) && !others.has(topic));
  const settings = await brokers.readTopicSettings(names);
  if (settings.failure !== undefined) return { failure: settings.failure };
  const topics = names.filter((topic) => {
    const found = settings.value.get(topic);
    const policy = found && "cleanupPolicy" in found ? found.cleanupPolicy : null;
    // The policy may not be read: the keys will tell.
    return policy === null || policy.includes("compact");
  });
  return { topics };
}

interface KeyLook {
  topic: string;
  /** `unknown`: it holds records, and none could be read; `failure` says why. */
  keys: "offsets" | "others" | "unknown";
  failure: Failure | null;
}

async function lookAtKeys(
  log: LogReader,
  topics: readonly string[],
  connectors: ReadonlySet<string>,
): Promise<KeyLook[]> {
  if (topics.length === 0) return [];
  const described = await log.describe(topics);
  if (described.failure !== undefined) {
    const { failure } = described;
    return topics.map((topic) => ({ topic, keys: "unknown", failure }));
  }
  const partitions = topics.flatMap((topic) => {
    const found = described.value.get(topic);
    return found && "partitions" in found
      ? found.partitions.map(({ partition }) => ({ topic, partition }))
      : [];
  });
  const [first, last] = await Promise.all([
    log.ends(partitions, "earliest"),
    log.ends(partitions, "last-stable"),
  ]);
  const held = partitions.flatMap(({ topic, partition }, i) => {
    const [from, to] = [first[i], last[i]];
    return typeof from === "number" && typeof to === "number" && to > from
      ? [{ topic, partition, from, to }]
      : [];
  });
  return inTurn(topics, AT_ONCE, async (topic) => {
    // The fullest partitions say most.
    const sample = held.filter((p) => p.topic === topic).sort((a, b) => b.to - b.from - (a.to - a.from));
    return sampleKeys(log, topic, sample.slice(0, SAMPLED_PARTITIONS), connectors);
  });
}

async function sampleKeys(
  log: LogReader,
  topic: string,
  sample: readonly { topic: string; partition: number; from: number }[],
  connectors: ReadonlySet<string>,
): Promise<KeyLook> {
  let failure: Failure | null = null;
  for (const { from, ...at } of sample) {
    for (const read of [
      () => log.newest(at, "read_committed"),
      () => log.recordAt(at, from, "read_committed"),
    ]) {
      try {
        const meaning = meaningOf(await read(), connectors);
        if (meaning !== null) return { topic, keys: meaning, failure: null };
      } catch (error) {
        if (!(error instanceof LogReadError)) throw error;
        failure = error.failure;
        break;
      }
    }
    // Not allowed to read one partition: not allowed to read any.
    if (failure?.kind === "forbidden") break;
  }
  return { topic, keys: failure ? "unknown" : "others", failure };
}

/** Null when one record does not decide: the key names a connector that is gone, or one of another cluster. */
function meaningOf(record: LogRecord | null, connectors: ReadonlySet<string>): "offsets" | "others" | null {
  if (record === null) return null;
  const key = readOffsetKey(record.key);
  if ("why" in key) return "others";
  return connectors.has(key.connector) ? "offsets" : null;
}

function severalFound(topics: readonly string[]): Failure {
  const count = topics.length === 2 ? "two" : String(topics.length);
  return {
    kind: "not-configured",
    sentence: `${count} topics could be Connect's offset.storage.topic: ${some(topics)}`,
    remedy: "Name it with clusters[].offsetTopic, or OFFSET_TOPIC: it is in the workers' configuration.",
  };
}

function noneFound(looks: readonly KeyLook[]): Failure {
  const refused = looks.filter((look) => look.failure?.kind === "forbidden").map((look) => look.topic);
  const unread = looks.filter((look) => look.keys === "unknown" && look.failure?.kind !== "forbidden");
  if (refused.length > 0) {
    return {
      kind: "forbidden",
      sentence: `no topic that may be read holds offsets of these connectors, and ${refused.length} compacted ones may not be read: ${some(refused)}`,
      remedy:
        "Name Connect's offset.storage.topic with clusters[].offsetTopic, and grant Tidemark's user Read and Describe on it.",
    };
  }
  const [first] = unread;
  if (first?.failure) {
    return {
      kind: first.failure.kind,
      sentence: `no topic that could be read holds offsets of these connectors; ${first.topic} could not: ${first.failure.sentence}`,
      remedy: first.failure.remedy,
    };
  }
  return {
    kind: "not-found",
    sentence: "no topic that may be seen holds offsets of these connectors",
    remedy:
      "Name Connect's offset.storage.topic with clusters[].offsetTopic, and grant Tidemark's user Read and Describe on it. Without it, offsets come from Connect's REST API, which does not tell when they were committed.",
  };
}

function some(topics: readonly string[]): string {
  const shown = topics.slice(0, NAMES_SHOWN).join(", ");
  return topics.length > NAMES_SHOWN ? `${shown} and ${topics.length - NAMES_SHOWN} more` : shown;
}
