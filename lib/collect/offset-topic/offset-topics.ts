import type { JudgedConnector } from "@/lib/checks/judged";
import { isReference } from "@/lib/debezium/config";
import type { StoredOffsets } from "@/lib/observed/connector";
import type { Failure, Look } from "@/lib/observed/observation";
import type { Database } from "@/lib/store/database";
import type { BrokerProbe } from "../cluster-probe";
import { CommitMemory, type ConnectorCommits } from "./commit-memory";
import { compareWithRest, type TopicsOf } from "./compare-with-rest";
import { followTopics } from "./follow-topics";
import { openIntake } from "./intake";
import { openWorkerTopic } from "./worker-topic";

/** The offset topics of one Connect cluster: the workers', and those that connectors have of their own. */
export interface OffsetTopics {
  /**
   * Reads what is new, and tells for each of the given connectors what is known by now.
   * @param all names of all connectors of the cluster
   * @throws DatabaseUnavailable, and the signal's reason
   */
  look(
    connectors: readonly JudgedConnector[],
    all: ReadonlySet<string>,
  ): Promise<Map<string, Look<ConnectorCommits>>>;
}

export interface OffsetTopicsOptions {
  cluster: string;
  /** clusters[].offsetTopic */
  named: string | null;
  brokers: BrokerProbe;
  readOffsets: (connector: string) => Promise<Look<StoredOffsets>>;
  db: Database;
  signal?: AbortSignal | undefined;
  /** For tests; see worker-topic.ts. */
  findAgainMs?: number;
}

type OwnTopics = ReadonlyMap<string, string | null>;

export function openOffsetTopics(options: OffsetTopicsOptions): OffsetTopics {
  const { cluster, named, brokers, db, signal } = options;
  const memory = new CommitMemory();
  const intake = openIntake(cluster, memory, db);
  const follower = followTopics(brokers.log);
  const worker = openWorkerTopic(brokers, named, options.findAgainMs);
  let expected: ReadonlySet<string> = new Set();

  /** Reads what is new. Records of a connector that nobody knew when they were read are read once more. */
  async function poll(workerTopic: string | null, own: OwnTopics): Promise<Map<string, Failure | null>> {
    const topics = new Set([workerTopic, ...own.values()].filter((t) => t !== null && !isReference(t)));
    if (intake.readPast([...own.keys()].filter((name) => !expected.has(name)))) follower.restart();
    expected = new Set(own.keys());
    intake.expect(own);
    await intake.flush();
    const states = await follower.poll([...topics] as string[], intake, signal);
    await intake.flush();
    return states;
  }

  return {
    async look(connectors, all) {
      const own: OwnTopics = new Map(connectors.map((c) => [c.connector, ownTopic(c)]));
      const settled = await worker.settle(all, new Set([...own.values()].filter((t) => t !== null)));
      const topic = "topic" in settled ? settled.topic : null;
      const states = await poll(topic, own);
      let failure = "failure" in settled ? settled.failure : (states.get(settled.topic) ?? null);
      if (failure?.kind === "not-found" && topic !== null) worker.lose(failure);
      if (failure || topic === null) return tell(connectors, own, topic, failure, states, memory);
      const followable = topicsOf(own, topic).filter(({ topics }) =>
        topics.every((t) => states.get(t) === null),
      );
      failure = await worker.confirm(topic, () =>
        compareWithRest(
          followable,
          memory,
          options.readOffsets,
          async () => (await poll(topic, own)).get(topic) ?? null,
        ),
      );
      return tell(connectors, own, topic, failure, states, memory);
    },
  };
}

/** `offsets.storage.topic` of a connector's own configuration (KIP-618); null when it has none. */
function ownTopic({ report }: JudgedConnector): string | null {
  return report.value?.config?.["offsets.storage.topic"]?.trim() || null;
}

function topicsOf(own: OwnTopics, workerTopic: string): TopicsOf[] {
  return [...own].map(([connector, topic]) => ({
    connector,
    topics: topic === null || topic === workerTopic ? [workerTopic] : [topic, workerTopic],
  }));
}

function tell(
  connectors: readonly JudgedConnector[],
  own: OwnTopics,
  workerTopic: string | null,
  failure: Failure | null,
  states: ReadonlyMap<string, Failure | null>,
  memory: CommitMemory,
): Map<string, Look<ConnectorCommits>> {
  if (failure || workerTopic === null)
    return new Map(connectors.map((c) => [c.connector, { failure: failure ?? noTopic }]));
  return new Map(
    topicsOf(own, workerTopic).map(({ connector, topics }) => {
      const unread = topics.map((t) => (isReference(t) ? reference : states.get(t))).find((f) => f);
      if (unread) return [connector, { failure: unread }];
      const value = memory.of(connector, topics);
      return [connector, value.unreadable ? { failure: value.unreadable } : { value }];
    }),
  );
}

const noTopic: Failure = { kind: "internal", sentence: "no offset topic was looked for", remedy: null };

const reference: Failure = {
  kind: "not-supported",
  sentence: "offsets.storage.topic of the connector is a reference that only the worker can resolve",
  remedy: "Write the topic's name into the connector's configuration: it is no secret.",
};
