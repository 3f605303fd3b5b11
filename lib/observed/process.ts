import type { Failure } from "./observation";

/** A process of Tidemark's own that is, or a moment ago was, alive. */
export interface Beat {
  kind: "web" | "collect";
  pid: number;
  version: string;
  startedAt: Date;
  beatAt: Date;
}

/** The newest run of one loop of the collector. */
export interface LoopRun {
  /** The kind of process that runs it. */
  process: string;
  /** Null: a loop over everything. */
  cluster: string | null;
  name: string;
  startedAt: Date;
  /** Null while the first run is under way. */
  endedAt: Date | null;
  nextAt: Date | null;
  /** Why the run failed; null when it did not. */
  failure: Failure | null;
  /** Runs and failed runs since the process began. */
  runs: number;
  failures: number;
}
