import type { Finding } from "@/lib/checks/finding";
import type { Verdict } from "@/lib/checks/verdict";
import type { ConnectCluster, KafkaCluster } from "@/lib/observed/cluster";
import type { ConnectorReport, StateTimes, StoredOffsets } from "@/lib/observed/connector";
import type { Failure, Observation } from "@/lib/observed/observation";
import type { ConnectorTopics, HistoryTopic, TopicEnds } from "@/lib/observed/topic";

/** What is kept of one cluster. The store returns this shape. */
export interface StoredCluster {
  name: string;
  connect: Observation<ConnectCluster> | null;
  kafka: Observation<KafkaCluster> | null;
  /** Since when looks at Connect have failed without a success between. */
  failingSince: Date | null;
  /** Whether brokers are configured. */
  hasBrokers: boolean;
}

/** What is kept of one connector. The store returns this shape. */
export interface StoredConnector {
  cluster: string;
  connector: string;
  firstSeenAt: Date;
  /** Since when Connect's list has no longer named it; null while it does. */
  missingSince: Date | null;
  report: Observation<ConnectorReport>;
  times: StateTimes;
  offsets: Observation<StoredOffsets> | null;
  topics: Observation<ConnectorTopics> | null;
  ends: Observation<TopicEnds> | null;
  history: Observation<HistoryTopic> | null;
  judgedAt: Date | null;
  verdicts: Verdict[];
}

/** One loop of the collector and its last turn. */
export interface StoredLoop {
  process: string;
  cluster: string | null;
  name: string;
  startedAt: Date | null;
  endedAt: Date | null;
  nextAt: Date | null;
  failure: Failure | null;
  runs: number;
  failures: number;
}

/** The last sign of life of one process. */
export interface StoredBeat {
  kind: string;
  pid: number;
  version: string;
  startedAt: Date;
  beatAt: Date;
}

/** How often each kind of observation is made, in milliseconds. */
export interface PollIntervals {
  connectors: number;
  offsets: number;
  topics: number;
  schemaHistory: number;
}

/** What every page needs, beside its own subject. */
export interface Surroundings {
  clusters: readonly StoredCluster[];
  beats: readonly StoredBeat[];
  poll: PollIntervals;
  now: Date;
}

export interface FleetInput extends Surroundings {
  connectors: readonly StoredConnector[];
  openFindings: readonly Finding[];
}
