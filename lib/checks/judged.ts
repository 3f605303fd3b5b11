import type { ClusterFacts, ConnectorFacts } from "./check";
import type { Verdict } from "./verdict";

/** What the looks at one cluster brought, as it is kept. */
export interface KnownCluster extends Omit<ClusterFacts, "cluster"> {
  name: string;
  /** Whether brokers are configured. */
  hasBrokers: boolean;
}

/** A cluster with its newest verdicts. */
export interface JudgedCluster extends KnownCluster {
  /** When the cluster was last judged; null before the first time. */
  judgedAt: Date | null;
  verdicts: Verdict[];
}

/** What is known of one connector, with its newest verdicts, as it is kept. */
export interface JudgedConnector extends Omit<ConnectorFacts, "fleet" | "brokers"> {
  firstSeenAt: Date;
  /** Since when Connect's list has been without it; null while it is listed. */
  missingSince: Date | null;
  /** When it was last judged; null before the first time. */
  judgedAt: Date | null;
  verdicts: Verdict[];
}
