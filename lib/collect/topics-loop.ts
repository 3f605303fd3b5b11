import { topicPrefix, topicRole } from "@/lib/debezium/config";
import type { ConnectorReport } from "@/lib/observed/connector";
import { type Failure, type Look, type Observation, observe } from "@/lib/observed/observation";
import type { ConnectorTopics, TopicEnds } from "@/lib/observed/topic";
import type { Database } from "@/lib/store/database";
import type { BrokerProbe, ClusterProbe } from "./cluster-probe";
import { type ClusterWatch, changeConnectors, takeParts } from "./cluster-watch";
import { inTurn } from "./in-turn";
import { sharedFailure } from "./shared-failure";
import { nextTopicEnd } from "./topic-growth";

const AT_ONCE = 4;

type Config = NonNullable<ConnectorReport["config"]>;

/** Finds the topics of every change connector of one cluster, and how far each has grown. */
export async function lookAtTopics(watch: ClusterWatch, db: Database): Promise<Failure | null> {
  const away = watch.cluster.connect?.failure ?? null;
  const failures = await inTurn(changeConnectors(watch), AT_ONCE, async (known) => {
    const config = known.report.value?.config ?? {};
    const look = away ? { failure: away } : await findTopics(watch.probe, known.connector, config);
    const topics = observe(known.topics, look, new Date());
    const { brokers } = watch.probe;
    const names = topics.value?.topics;
    const ends = brokers && names ? await lookAtEnds(brokers, names, known.ends, config) : known.ends;
    await takeParts(watch, known.connector, { topics, ends }, db);
    return topics.failure ?? ends?.failure ?? null;
  });
  return away ?? sharedFailure(failures);
}

/** Asks Connect; where its topic tracking is off, the brokers' names that begin with topic.prefix. */
export async function findTopics(
  probe: ClusterProbe,
  connector: string,
  config: Config,
): Promise<Look<ConnectorTopics>> {
  const reported = await probe.readTopics(connector);
  if (reported.failure === undefined)
    return { value: { from: "reported", why: null, topics: [...reported.value].sort() } };
  const prefix = topicPrefix(config);
  const canDerive = reported.failure.kind === "forbidden" || reported.failure.kind === "not-supported";
  if (!canDerive || !probe.brokers || !prefix) return { failure: reported.failure };
  const all = await probe.brokers.listTopics();
  if (all.failure !== undefined) return { failure: all.failure };
  const topics = all.value
    .filter((t) => t.startsWith(`${prefix}.`) || topicRole(config, t) !== "other")
    .sort();
  return { value: { from: "derived", why: reported.failure.sentence, topics } };
}

async function lookAtEnds(
  brokers: BrokerProbe,
  topics: readonly string[],
  before: Observation<TopicEnds> | null,
  config: Config,
): Promise<Observation<TopicEnds>> {
  const ends = await brokers.readTopicEnds(topics);
  const now = new Date();
  if (ends.failure !== undefined) return observe(before, { failure: ends.failure }, now);
  const elapsedMs = before?.trueAt ? now.getTime() - before.trueAt.getTime() : null;
  const value = topics.map((topic) => {
    const end = ends.value.get(topic) ?? notDescribed(topic);
    const look = "kind" in end ? { failure: end } : end;
    const last = before?.value?.topics.find((t) => t.topic === topic) ?? null;
    return nextTopicEnd(last, { topic, role: topicRole(config, topic), look }, now, elapsedMs);
  });
  return observe(before, { value: { topics: value } }, now);
}

function notDescribed(topic: string): Failure {
  return { kind: "not-found", sentence: `the brokers said nothing of topic ${topic}`, remedy: null };
}
