import type { Finding } from "@/lib/checks/finding";
import type { JudgedConnector, KnownCluster } from "@/lib/checks/judged";
import type { Beat } from "@/lib/observed/process";

/** How often each kind of observation is made, in milliseconds. */
export interface PollIntervals {
  connectors: number;
  offsets: number;
  topics: number;
  schemaHistory: number;
  replayWindow: number;
  duplicates: number;
}

/** What every page needs, beside its own subject. */
export interface Surroundings {
  clusters: readonly KnownCluster[];
  beats: readonly Beat[];
  poll: PollIntervals;
  now: Date;
}

export interface FleetInput extends Surroundings {
  connectors: readonly JudgedConnector[];
  openFindings: readonly Finding[];
  /** Windows of the last hour by `JSON.stringify([cluster, connector])`, oldest first; null where one was not known. */
  sparks?: ReadonlyMap<string, readonly (number | null)[]>;
}
