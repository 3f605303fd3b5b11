import { runStart } from "@/lib/debezium/events/run-context";

/** Runs that are remembered of one connector; those before are older than any record that is looked at. */
const most = 64;

/** Which runs of a connector's tasks have been seen, and which are new. */
export class KnownRuns {
  readonly #runs = new Set<string>();
  /** By partition the run that wrote last. */
  readonly #last = new Map<string, string>();

  get empty(): boolean {
    return this.#runs.size === 0;
  }

  has(runId: string): boolean {
    return this.#runs.has(runId);
  }

  /** Takes a run for known: it began before, or its start has been noticed. */
  add(runId: string): void {
    this.#runs.add(runId);
    for (const oldest of this.#runs) {
      if (this.#runs.size <= most) break;
      this.#runs.delete(oldest);
    }
  }

  /** When the newest run that is known began, milliseconds since 1970. */
  get newestStart(): number {
    return Math.max(...[...this.#runs].map((id) => runStart(id) ?? Number.NEGATIVE_INFINITY));
  }

  /**
   * Takes the run of the newest record of each partition, and returns those that are new, oldest first. One that is seen
   * for the first time in a partition where no other was seen is new only if it began later than all that are known: the
   * partition may have been quiet since.
   */
  take(runIds: ReadonlyMap<string, string | null>): string[] {
    const newest = this.newestStart;
    const found = new Set<string>();
    for (const [partition, runId] of runIds) {
      if (runId === null) continue;
      const changed = (this.#last.get(partition) ?? runId) !== runId;
      const isLater = (runStart(runId) ?? Number.POSITIVE_INFINITY) > newest;
      if (!this.#runs.has(runId) && (changed || isLater)) found.add(runId);
      this.#last.set(partition, runId);
    }
    for (const runId of runIds.values()) if (runId !== null) this.add(runId);
    return [...found].sort((a, b) => (runStart(a) ?? 0) - (runStart(b) ?? 0));
  }
}
