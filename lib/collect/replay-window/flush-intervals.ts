import { inferFlushInterval } from "@/lib/measure/replay-window/flush-interval";
import type { CommitHistory } from "@/lib/observed/commits";
import type { FlushInterval } from "@/lib/observed/replay-window";
import type { WindowMemory } from "./window-memory";

/** What others of the cluster tell is gathered again so often, milliseconds, and an inference is made again. */
const EVERY_MS = 60_000;
/** Source partitions of others that are enough to tell: those with the most commits, in the shortest time. */
const ENOUGH = 6;

/** Infers how often the workers of one cluster flush offsets: for each connector from its own commits and those of the others. */
export class FlushIntervals {
  #cluster: number[][] = [];
  #gatheredAt = Number.NEGATIVE_INFINITY;

  gather(histories: readonly (CommitHistory | null)[], now: number): void {
    if (now - this.#gatheredAt < EVERY_MS) return;
    this.#gatheredAt = now;
    this.#cluster = histories
      .flatMap((history) => (history ? commitTimes(history) : []))
      .sort((a, b) => b.length - a.length || spanOf(a) - spanOf(b))
      .slice(0, ENOUGH);
  }

  /** @param history null: the offset topic is not read */
  of(memory: WindowMemory, history: CommitHistory | null): FlushInterval {
    const { flush } = memory;
    const exactlyOnce = memory.transactional === true;
    const known = flush?.history === history && flush.exactlyOnce === exactlyOnce;
    if (known && flush.at === this.#gatheredAt) return flush.value;
    const told = inferFlushInterval(history ? commitTimes(history) : [], this.#cluster, { exactlyOnce });
    // Not that no commit came: nobody looked.
    const value = history === null && told.commits === 0 && !exactlyOnce ? { ...told, why: notRead } : told;
    memory.flush = { history, exactlyOnce, at: this.#gatheredAt, value };
    return value;
  }
}

const spanOf = (times: readonly number[]) => (times.at(-1) ?? 0) - (times[0] ?? 0);

const notRead = "the offset topic is not read";

/** Of each source partition, milliseconds since 1970, oldest first. Deletions are a person's, not a flush. */
function commitTimes({ partitions }: CommitHistory): number[][] {
  return partitions
    .map((p) => p.commits.filter((c) => c.offset !== null).map((c) => Date.parse(c.at)))
    .filter((times) => times.length > 0);
}
