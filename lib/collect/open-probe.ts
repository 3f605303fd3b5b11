import type { ClusterSettings } from "@/lib/config/settings";
import { createConnectClient } from "@/lib/connect/client";
import { type KafkaConnection, openKafka } from "@/lib/kafka/connection";
import { describeCluster } from "@/lib/kafka/describe-cluster";
import { describeHistoryTopic } from "@/lib/kafka/history-topic";
import { listTopics } from "@/lib/kafka/list-topics";
import { openLogReader } from "@/lib/kafka/log/open-log-reader";
import { readTopicEnds } from "@/lib/kafka/topic-ends";
import { readTopicSettings } from "@/lib/kafka/topic-settings";
import type { BrokerProbe, ClusterProbe } from "./cluster-probe";

/** A loop comes again by itself: it need not wait long for a leader to be elected. */
const PATIENCE_MS = 2_000;

/** The real thing: Connect over REST and the brokers, as the settings name them. Opens no connection yet. */
export function openProbe(settings: ClusterSettings): ClusterProbe {
  const connect = createConnectClient(settings.connect);
  const kafka = settings.kafka ? openKafka(settings) : null;
  return {
    readRoot: () => connect.readRoot(),
    listConnectors: () => connect.listConnectors(),
    readTopics: (connector) => connect.readTopics(connector),
    readOffsets: (connector) => connect.readOffsets(connector),
    brokers: kafka && brokerProbe(kafka),
    close: async () => {
      await Promise.all([connect.close(), kafka?.close()]);
    },
  };
}

/** What one connection to the brokers can be asked. */
export function brokerProbe(kafka: KafkaConnection): BrokerProbe {
  return {
    describeCluster: () => describeCluster(kafka),
    listTopics: () => listTopics(kafka),
    describeHistoryTopic: (topic) => describeHistoryTopic(kafka, topic),
    readTopicEnds: (topics) => readTopicEnds(kafka, topics),
    readTopicSettings: (topics) => readTopicSettings(kafka, topics),
    log: openLogReader(kafka, PATIENCE_MS),
  };
}
