import type { LogReader } from "@/lib/kafka/log/log-reader";
import type { TopicSettings } from "@/lib/kafka/topic-settings";
import type { KafkaCluster } from "@/lib/observed/cluster";
import type { ConnectorReport, StoredOffsets } from "@/lib/observed/connector";
import type { Failure, Look } from "@/lib/observed/observation";
import type { HistoryTopic } from "@/lib/observed/topic";

/** What the loops ask of the brokers of one cluster. Every call ends by itself and answers a failure as a value. */
export interface BrokerProbe {
  describeCluster(): Promise<Look<KafkaCluster>>;
  listTopics(): Promise<Look<string[]>>;
  readTopicSettings(topics: readonly string[]): Promise<Look<Map<string, TopicSettings | Failure>>>;
  describeHistoryTopic(topic: string): Promise<Look<HistoryTopic>>;
  /** End offsets summed over the partitions, by topic. */
  readTopicEnds(
    topics: readonly string[],
  ): Promise<Look<Map<string, { partitions: number; end: bigint } | Failure>>>;
  log: LogReader;
}

/** What the loops ask of one cluster. */
export interface ClusterProbe {
  readRoot(): Promise<Look<{ version: string; commit: string | null; kafkaClusterId: string | null }>>;
  listConnectors(): Promise<Look<ConnectorReport[]>>;
  readTopics(connector: string): Promise<Look<string[]>>;
  readOffsets(connector: string): Promise<Look<StoredOffsets>>;
  /** Null when no brokers are configured. */
  brokers: BrokerProbe | null;
  close(): Promise<void>;
}
