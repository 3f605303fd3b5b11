import {
  type ClusterFlushes,
  clusterFlushes,
  inferFlushInterval,
} from "@/lib/measure/replay-window/flush-interval";
import type { CommitHistory } from "@/lib/observed/commits";
import type { FlushInterval } from "@/lib/observed/replay-window";
import type { WindowMemory } from "./window-memory";

/** What others of the cluster tell is gathered again so often, milliseconds, and an inference is made again. */
const EVERY_MS = 15_000;
/** Source partitions of others that are enough to tell: those with the most commits in the newest time, else in all. */
const ENOUGH = 6;
/** The newest time, in two steps, milliseconds: after a change the commits before it tell nothing, however many they are. */
const NEWEST_MS = [300_000, 900_000] as const;

/** Infers how often the workers of one cluster flush offsets: for each connector from its own commits and those of the others. */
export class FlushIntervals {
  #cluster: ClusterFlushes = clusterFlushes([]);
  #gatheredAt = Number.NEGATIVE_INFINITY;

  /** Takes the commits of the cluster's connectors, without those that write offsets with their transactions. */
  gather(histories: readonly (CommitHistory | null)[], now: number): void {
    if (now - this.#gatheredAt < EVERY_MS) return;
    this.#gatheredAt = now;
    const lists = histories.flatMap((history) => (history ? commitTimes(history) : []));
    this.#cluster = clusterFlushes(mostTelling(lists, now).slice(0, ENOUGH));
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

/** Those with the most commits lately come first: stopped connectors may have many of an interval that is no more. */
function mostTelling(lists: readonly number[][], now: number): number[][] {
  const ranked = lists.map((times) => ({
    times,
    newest: NEWEST_MS.map((ms) => times.filter((at) => at >= now - ms).length),
  }));
  const by = (a: (typeof ranked)[number], b: (typeof ranked)[number], step: number) =>
    (b.newest[step] ?? 0) - (a.newest[step] ?? 0);
  return ranked
    .sort((a, b) => by(a, b, 0) || by(a, b, 1) || b.times.length - a.times.length)
    .map(({ times }) => times);
}

const notRead = "the offset topic is not read";

/** Of each source partition, milliseconds since 1970, oldest first. Deletions are a person's, not a flush. */
function commitTimes({ partitions }: CommitHistory): number[][] {
  return partitions
    .map((p) => p.commits.filter((c) => c.offset !== null).map((c) => Date.parse(c.at)))
    .filter((times) => times.length > 0);
}
