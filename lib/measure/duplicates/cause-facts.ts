import type { Restart } from "@/lib/observed/window-series";

/** Something that lasted, milliseconds since 1970: from the first look that saw it to the first that no longer did. */
export interface SeenSpan {
  /** The last look that did not see it yet; null: there was none before. */
  notBefore: number | null;
  from: number;
  /** Null: it lasts. */
  to: number | null;
}

/** What Connect says of the connector itself (`task` null), or of one of its tasks. */
export interface SeenState {
  state: string;
  workerId: string | null;
}

/** A state or a worker that was another one at the look before. Milliseconds since 1970. */
export interface StateChange {
  /** Null: the connector itself. */
  task: number | null;
  /** The look that saw it as it was, and the one that saw it changed. */
  notBefore: number;
  at: number;
  was: SeenState;
  is: SeenState;
}

/** What was seen of a connector and of its cluster around a replay. Times in milliseconds since 1970, of Tidemark's clock. */
export interface CauseFacts {
  /** Since when states, workers and configs are watched without a gap; null: they are not. */
  watchedSince: number | null;
  /** The newest look at which Connect told of the connector; null: none. */
  reportedAt: number | null;
  /** The start of a task that the replay belongs to; null: none is known. */
  restart: Restart | null;
  /** Oldest first. */
  states: readonly StateChange[];
  /** Looks at which the configuration was another one than at the look before. */
  configs: readonly { notBefore: number; at: number }[];
  /** When Connect did not answer. */
  connectAway: readonly SeenSpan[];
  /** When it answered that its group rebalances. */
  rebalances: readonly SeenSpan[];
  brokersAway: readonly SeenSpan[];
  /** By worker, when it was seen to have tasks of any connector of the cluster: from the first look of each time to the last. */
  workers: ReadonlyMap<string, readonly { from: number; to: number }[]>;
  /** Connectors of other databases whose tasks on the same worker began anew within ten seconds. */
  alongside: readonly string[];
}
