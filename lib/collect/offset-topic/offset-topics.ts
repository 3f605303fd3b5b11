import type { JudgedConnector } from "@/lib/checks/judged";
import { isReference } from "@/lib/debezium/config";
import type { StoredOffsets } from "@/lib/observed/connector";
import type { Failure, Look } from "@/lib/observed/observation";
import type { BrokerProbe } from "../cluster-probe";
import { CommitMemory, type ConnectorCommits } from "./commit-memory";
import type { CommitStore } from "./commit-store";
import { compareWithAnswer, compareWithRest } from "./compare-with-rest";
import { followTopics } from "./follow-topics";
import { openIntake } from "./intake";
import { openWorkerTopic } from "./worker-topic";

/** The offset topics of one Connect cluster: the workers', and those that connectors have of their own. */
export interface OffsetTopics {
  /**
   * Reads what is new, and tells for each of the given connectors what is known by now. One with an offset topic of its own
   * is absent until Connect's REST API has answered for it, so that both can be compared.
   * @param all names of all connectors of the cluster
   * @throws DatabaseUnavailable, and the signal's reason
   */
  look(
    connectors: readonly JudgedConnector[],
    all: ReadonlySet<string>,
  ): Promise<Map<string, Look<ConnectorCommits>>>;
}

interface OffsetTopicsOptions {
  /** clusters[].offsetTopic */
  named: string | null;
  brokers: BrokerProbe;
  readOffsets: (connector: string) => Promise<Look<StoredOffsets>>;
  store: CommitStore;
  signal?: AbortSignal | undefined;
  /** For tests; see worker-topic.ts. */
  findAgainMs?: number;
  /** For tests; see worker-topic.ts. */
  agreedForMs?: number;
  /** For tests; see follow-topics.ts. */
  longestPollMs?: number;
}

/** By connector: its own offset topic, or null when it stores its offsets in the workers'. */
type OwnTopics = ReadonlyMap<string, string | null>;

export function openOffsetTopics(options: OffsetTopicsOptions): OffsetTopics {
  const { named, brokers, readOffsets, store, signal } = options;
  const memory = new CommitMemory();
  const intake = openIntake(memory, store);
  const follower = followTopics(brokers.log, options.longestPollMs);
  const worker = openWorkerTopic(brokers, named, options.findAgainMs, options.agreedForMs);
  const opened = new Date();
  let expected: ReadonlySet<string> = new Set();
  /** Connectors whose own topic agreed with Connect's answer, and that topic. */
  const agreed = new Map<string, string>();

  /** Reads what is new. What was read past and is wanted now, such as records of a connector that nobody knew, is read once more. */
  async function poll(workerTopic: string | null, own: OwnTopics): Promise<Map<string, Failure | null>> {
    const topics = new Set<string>(workerTopic === null ? [] : [workerTopic]);
    for (const topic of own.values()) if (topic !== null && !isReference(topic)) topics.add(topic);
    if (intake.readPast([...own.keys()].filter((name) => !expected.has(name)))) follower.restart();
    expected = new Set(own.keys());
    intake.expect(own);
    await intake.flush();
    const states = await follower.poll([...topics], intake, signal);
    await intake.flush();
    return states;
  }

  /** Why the workers' topic must not be followed; null when it may. */
  async function whyNotWorker(
    topic: string,
    own: OwnTopics,
    states: ReadonlyMap<string, Failure | null>,
  ): Promise<Failure | null> {
    const failure = states.get(topic) ?? null;
    if (failure?.kind === "not-found") {
      worker.lose(failure);
      return { ...failure, remedy: failure.remedy ?? worker.remedy };
    }
    if (failure) return failure;
    const connectors = [...own].flatMap(([name, ownTopic]) => (ownTopic === null ? [name] : []));
    const readOn = async () => (await poll(topic, own)).get(topic) ?? null;
    return worker.confirm(topic, (agreed) =>
      compareWithRest({ topic, connectors, memory, agreed }, readOffsets, readOn),
    );
  }

  /** Null when Connect's answer is not yet there to compare with. */
  function tellOwn(
    known: JudgedConnector,
    topic: string,
    failure: Failure | null,
  ): Look<ConnectorCommits> | null {
    const { connector } = known;
    if (isReference(topic)) return { failure: reference };
    if (failure) return { failure };
    if (agreed.get(connector) !== topic) {
      const comparison = compareWithAnswer(topic, known, opened, memory);
      if (comparison === null) return null;
      if ("contradiction" in comparison) return { failure: notItsOwn(topic, comparison.contradiction) };
      agreed.set(connector, topic);
    }
    return tell(connector, topic);
  }

  function tellOfWorker(connector: string, topic: string): Look<ConnectorCommits> {
    const told = tell(connector, topic);
    // That a topic holds nothing is no fact until it is known to be the right one.
    const isFact = worker.agreed() || told.value === undefined || told.value.history.partitions.length > 0;
    return isFact ? told : { failure: holdsNothing(topic, worker.remedy) };
  }

  function tell(connector: string, topic: string): Look<ConnectorCommits> {
    const value = memory.of(connector, topic);
    return value.unreadable ? { failure: value.unreadable } : { value };
  }

  return {
    async look(connectors, all) {
      const own: OwnTopics = new Map(connectors.map((c) => [c.connector, ownTopic(c)]));
      const ownTopics = new Set([...own.values()].filter((topic) => topic !== null));
      const needed = [...own.values()].includes(null);
      const settled = needed ? await worker.settle(all, ownTopics) : { failure: notNeeded };
      const topic = "topic" in settled ? settled.topic : null;
      const states = await poll(topic, own);
      const failure = "failure" in settled ? settled.failure : await whyNotWorker(settled.topic, own, states);
      const told = new Map<string, Look<ConnectorCommits>>();
      for (const known of connectors) {
        const ofItsOwn = own.get(known.connector) ?? null;
        const one =
          ofItsOwn !== null
            ? tellOwn(known, ofItsOwn, states.get(ofItsOwn) ?? null)
            : failure || topic === null
              ? { failure: failure ?? notNeeded }
              : tellOfWorker(known.connector, topic);
        if (one) told.set(known.connector, one);
      }
      return told;
    },
  };
}

/**
 * `offsets.storage.topic` of a connector's own configuration (KIP-618); null when it has none. Connect then looks nowhere
 * else: an offset that only the workers' topic has counts as none (seen on 4.4.0: ConnectorOffsetBackingStore takes the
 * absence in the connector's topic too).
 */
function ownTopic({ report }: JudgedConnector): string | null {
  return report.value?.config?.["offsets.storage.topic"]?.trim() || null;
}

function holdsNothing(topic: string, remedy: string): Failure {
  return {
    kind: "not-found",
    sentence: `topic ${topic} holds nothing of this connector, and Connect could not be asked whether that is right`,
    remedy,
  };
}

const notNeeded: Failure = {
  kind: "internal",
  sentence: "the workers' offset topic was not looked for",
  remedy: null,
};

const reference: Failure = {
  kind: "not-supported",
  sentence: "offsets.storage.topic of the connector is a reference that only the worker can resolve",
  remedy: "Write the topic's name into the connector's configuration: it is no secret.",
};

function notItsOwn(topic: string, why: string): Failure {
  return {
    kind: "not-configured",
    sentence: `topic ${topic}, which offsets.storage.topic of the connector names, is not the one that Connect stores its offsets in: ${why}`,
    remedy:
      "The connector's producer may write to another Kafka cluster: see producer.override.bootstrap.servers.",
  };
}
