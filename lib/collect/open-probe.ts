import type { ClusterSettings } from "@/lib/config/settings";
import { createConnectClient } from "@/lib/connect/client";
import { type KafkaConnection, openKafka } from "@/lib/kafka/connection";
import { describeCluster } from "@/lib/kafka/describe-cluster";
import { describeHistoryTopic } from "@/lib/kafka/history-topic";
import { listTopics } from "@/lib/kafka/list-topics";
import { readTopicEnds } from "@/lib/kafka/topic-ends";
import type { BrokerProbe, ClusterProbe } from "./cluster-probe";

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

function brokerProbe(kafka: KafkaConnection): BrokerProbe {
  return {
    describeCluster: () => describeCluster(kafka),
    listTopics: () => listTopics(kafka),
    describeHistoryTopic: (topic) => describeHistoryTopic(kafka, topic),
    readTopicEnds: (topics) => readTopicEnds(kafka, topics),
  };
}
