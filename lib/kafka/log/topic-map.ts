import type { Failure, Look } from "@/lib/observed/observation";
import type { KafkaConnection } from "../connection";
import { brokerFailure, kafkaFailure } from "../failure";
import { readMetadata, type TopicMetadata } from "../requests";
import { noLeader, TOPICS_A_REQUEST } from "../topic-ends";
import type { DescribedTopic, TopicPartition } from "./log-reader";

/** Whom to ask about a partition. */
export interface Led {
  leader: number;
  leaderEpoch: number | null;
  topicId: string | null;
}

/** What the brokers said of topics, kept until a broker's answer shows that it is out of date. */
export interface TopicMap {
  /** Asks the brokers, whatever is known. */
  describe(topics: readonly string[]): Promise<Look<Map<string, DescribedTopic | Failure>>>;
  /** In the order asked; asks the brokers for topics that are not known, or have no such partition or leader. */
  leaders(partitions: readonly TopicPartition[]): Promise<(Led | Failure)[]>;
  /** To be asked again at the next need. */
  forget(topic: string): void;
}

export function openTopicMap(k: KafkaConnection): TopicMap {
  const known = new Map<string, DescribedTopic>();
  /** Topics that are being asked for: many reads at once of one topic ask once. */
  const asking = new Map<string, Promise<DescribedTopic | Failure>>();

  async function lookAt(topics: readonly string[]): Promise<Look<Map<string, DescribedTopic | Failure>>> {
    const names = [...new Set(topics)];
    const found = new Map<string, DescribedTopic | Failure>();
    try {
      for (let i = 0; i < names.length; i += TOPICS_A_REQUEST) {
        const { topicMetadata } = await readMetadata(k, names.slice(i, i + TOPICS_A_REQUEST));
        for (const t of topicMetadata) found.set(t.topic, describedOrFailure(t));
      }
    } catch (error) {
      return { failure: kafkaFailure(error, { about: "cluster" }) };
    }
    for (const [topic, described] of found) {
      if ("kind" in described) known.delete(topic);
      else known.set(topic, described);
    }
    return { value: found };
  }

  /** Starts one look for all of them that nobody is looking for. */
  function ask(topics: readonly string[]): void {
    const unasked = topics.filter((topic) => !asking.has(topic));
    if (unasked.length === 0) return;
    const look = lookAt(unasked);
    for (const topic of unasked) {
      const one = look.then(({ value, failure }) => failure ?? value.get(topic) ?? unanswered(topic));
      asking.set(topic, one);
      void one.finally(() => asking.delete(topic));
    }
  }

  function ledBy(described: DescribedTopic | undefined, partition: number): Led | null {
    // Sorted, and mostly without gaps.
    const placed = described?.partitions[partition];
    const found =
      placed?.partition === partition ? placed : described?.partitions.find((p) => p.partition === partition);
    if (!described || !found || found.leader < 0) return null;
    return { leader: found.leader, leaderEpoch: found.leaderEpoch, topicId: described.topicId };
  }

  return {
    describe: lookAt,
    async leaders(partitions) {
      // Mostly all are known: ten thousand partitions are then told without a promise for each.
      const led = partitions.map(({ topic, partition }) => ledBy(known.get(topic), partition));
      if (led.every((one) => one !== null)) return led;
      ask([...new Set(partitions.flatMap(({ topic }, i) => (led[i] ? [] : topic)))]);
      return Promise.all(
        partitions.map(async ({ topic, partition }) => {
          const asked = asking.get(topic);
          const described = asked ? await asked : known.get(topic);
          if (!described) return unanswered(topic);
          if ("kind" in described) return described;
          return ledBy(described, partition) ?? whyNot(described, partition);
        }),
      );
    },
    forget(topic) {
      known.delete(topic);
    },
  };
}

function describedOrFailure(t: TopicMetadata): DescribedTopic | Failure {
  if (t.topicErrorCode !== 0) return brokerFailure(t.topicErrorCode, { about: "metadata", topic: t.topic });
  const partitions = t.partitionMetadata.map(({ partitionId: partition, leader, leaderEpoch }) => ({
    partition,
    leader,
    leaderEpoch,
  }));
  partitions.sort((a, b) => a.partition - b.partition);
  return { topic: t.topic, topicId: t.topicId, partitions };
}

function whyNot({ topic, partitions }: DescribedTopic, partition: number): Failure {
  if (partitions.some((p) => p.partition === partition)) return noLeader(topic, partition);
  const sentence = `topic ${topic} has no partition ${partition}, only ${partitions.length}`;
  return { kind: "not-found", sentence, remedy: null };
}

function unanswered(topic: string): Failure {
  const sentence = `the brokers' answer leaves out topic ${topic}`;
  return { kind: "invalid-answer", sentence, remedy: null };
}
