import type { ConnectCluster, KafkaCluster } from "@/lib/observed/cluster";
import type { CommitHistory } from "@/lib/observed/commits";
import type { ConnectorReport, StateTimes, StoredOffsets } from "@/lib/observed/connector";
import type { ConnectorDuplicates } from "@/lib/observed/duplicates";
import type { Observation } from "@/lib/observed/observation";
import type { ReplayWindow } from "@/lib/observed/replay-window";
import type { ConnectorTopics, HistoryTopic, TopicEnds } from "@/lib/observed/topic";
import type { Outcome, Verdict } from "./verdict";

/** What is known of a whole cluster when it is judged. */
export interface ClusterFacts {
  cluster: string;
  connect: Observation<ConnectCluster> | null;
  /** Null when no brokers are configured. */
  kafka: Observation<KafkaCluster> | null;
  /** Since when looks at Connect have failed without a success between; null when the last one succeeded. */
  failingSince: Date | null;
}

/** What is known of one connector when it is judged. A null observation was never tried. */
export interface ConnectorFacts {
  cluster: string;
  connector: string;
  report: Observation<ConnectorReport>;
  times: StateTimes;
  offsets: Observation<StoredOffsets> | null;
  /**
   * The newest commits, where the offset topic is followed. Its failure says why it is not; the value then is what was
   * read before.
   */
  commits: Observation<CommitHistory> | null;
  /** Its replay window; its failure says why it could not be measured. Absent or null: not looked at yet. */
  window?: Observation<ReplayWindow> | null;
  /** What came twice in its topics; its failure says why that could not be measured. Absent or null: not looked at yet. */
  duplicates?: Observation<ConnectorDuplicates> | null;
  topics: Observation<ConnectorTopics> | null;
  ends: Observation<TopicEnds> | null;
  /** Null too when the connector needs no schema history in Kafka. */
  history: Observation<HistoryTopic> | null;
  /** Connect's group.id, where the settings name it: REST does not tell it. */
  groupId?: string | null;
  /** Addresses of the brokers that were asked, as configured and as they call themselves; absent: not known. */
  brokers?: readonly string[];
  /** Every connector of every cluster that shares these brokers, this one included: who else uses a topic. */
  fleet: readonly { cluster: string; connector: string; config: Record<string, string | null> | null }[];
}

/** What a crash of one connector may cost before it is worth a warning. Null: no such limit. */
export interface ReplayLimits {
  events: number | null;
  bytes: number | null;
  /** Of writes, milliseconds. */
  spanMs: number | null;
}

/** How many duplicates there may be before they are worth a warning. */
export interface DuplicateLimits {
  /** Of the changes of 24 hours, 0 to 1. Null: no such limit. */
  rate: number | null;
}

/** Limits a person can set, per installation. Times in milliseconds. */
export interface CheckLimits {
  /** A task may wait this long for a worker: Connect's scheduled.rebalance.max.delay.ms, not visible over REST. */
  unassignedMs: number;
  /** Table topics may stand still this long while the position moves. */
  silentMs: number;
  /** A rebalance may take this long. */
  rebalanceMs: number;
  /** Of the replay window, which a cluster or a single connector can have of its own. */
  replay(connector: string): ReplayLimits;
  /** Absent: no limit. */
  duplicates?: DuplicateLimits;
}

interface CheckBase {
  /** Stable and public: alerts, links and runbooks use it. */
  slug: string;
  group: "connect" | "offsets" | "replay" | "schema-history";
  title: string;
  /** What it looks at, one sentence. */
  looksAt: string;
  /** The usual outcome when it fires. */
  severity: Outcome;
}

export interface ClusterCheck extends CheckBase {
  subject: "cluster";
  judge(facts: ClusterFacts, limits: CheckLimits, now: Date): Verdict;
}

export interface ConnectorCheck extends CheckBase {
  subject: "connector";
  judge(facts: ConnectorFacts, limits: CheckLimits, now: Date): Verdict;
}

export type Check = ClusterCheck | ConnectorCheck;
