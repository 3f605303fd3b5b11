import type { DeliveredRecord } from "@/lib/debezium/events/delivered-record";
import { runStart } from "@/lib/debezium/events/run-context";

/** What a run wrote after a later run of its writer had begun: two tasks ran at a time. */
export interface EarlierRun {
  runId: string;
  /** The first and the last of its records after that. */
  offset: number;
  last: number;
}

/** Tells the records of earlier runs that lie after a later one's, along one partition. */
export class EarlierRuns {
  readonly #newest = new Map<string, string>();
  /** By lane and run: whether it was seen. */
  readonly #seen = new Set<string>();
  readonly #found = new Map<string, EarlierRun>();

  add({ kind, lane, runId, offset }: DeliveredRecord): void {
    if (kind !== "change" || runId === null) return;
    const newest = this.#newest.get(lane);
    if (newest === runId) return;
    const name = JSON.stringify([lane, runId]);
    const earlier = newest !== undefined && (this.#seen.has(name) || startedBefore(runId, newest));
    this.#seen.add(name);
    if (!earlier) {
      this.#newest.set(lane, runId);
      return;
    }
    const known = this.#found.get(name);
    if (known) known.last = offset;
    else this.#found.set(name, { runId, offset, last: offset });
  }

  /** In the order of their first such record. */
  found(): EarlierRun[] {
    return [...this.#found.values()].sort((a, b) => a.offset - b.offset);
  }
}

/** By their ids, which hold the workers' clocks. */
function startedBefore(runId: string, than: string): boolean {
  const [a, b] = [runStart(runId), runStart(than)];
  return a !== null && b !== null && a < b;
}
