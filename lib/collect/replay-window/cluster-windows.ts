import type { JudgedConnector } from "@/lib/checks/judged";
import type { SchemaRegistry } from "@/lib/kafka/registry";
import type { Failure } from "@/lib/observed/observation";
import type { Database } from "@/lib/store/database";
import { keepWindowPartitions, PartitionsHeld } from "@/lib/store/window-partitions";
import { newestRollups } from "@/lib/store/window-rollups";
import { readNewestProduced } from "@/lib/store/window-series";
import type { ClusterWatch } from "../cluster-watch";
import { inTurn } from "../in-turn";
import type { RestartWatch } from "../restarts/watch-restarts";
import { FlushIntervals } from "./flush-intervals";
import { type RolledUp, resumeRollups } from "./roll-ups";
import { newMemory, type WindowMemory } from "./window-memory";

/** Partitions of the series are looked after this often, milliseconds. */
const PARTITIONS_EVERY_MS = 600_000;
const AT_ONCE = 4;

/** Where the stored series ended when the collector started. */
interface StoredSeries {
  produced: ReadonlyMap<string, { at: number; produced: number }>;
  minutes: ReadonlyMap<string, number>;
  hours: ReadonlyMap<string, number>;
}

type ClusterWindowsOptions = Pick<ClusterWindows, "watches" | "restarts" | "registry" | "signal">;

/** What the loop over the replay windows of one cluster keeps from one poll to the next. */
export class ClusterWindows {
  /** Number of the poll that is going on, from 1. */
  poll = 0;
  readonly flush = new FlushIntervals();
  readonly #memories = new Map<string, WindowMemory>();
  #stored: StoredSeries | null = null;
  #partitionsAt = Number.NEGATIVE_INFINITY;
  /** Why partitions could not be made or dropped: it is no reason not to measure. */
  partitionsHeld: Failure | null = null;

  /** All clusters: topics of those on the same brokers may be shared. */
  readonly watches: readonly ClusterWatch[];
  /** Null without brokers. */
  readonly restarts: RestartWatch | null;
  /** For values in a registry's form. */
  readonly registry: SchemaRegistry | null;
  readonly signal: AbortSignal;

  constructor({ watches, restarts, registry, signal }: ClusterWindowsOptions) {
    this.watches = watches;
    this.restarts = restarts;
    this.registry = registry;
    this.signal = signal;
  }

  /** Before each poll: new connectors get a memory, from what is stored where there is any; those that are gone lose theirs. */
  async begin(watch: ClusterWatch, connectors: readonly JudgedConnector[], db: Database): Promise<void> {
    await this.#keepPartitions(db);
    const names = new Set(connectors.map((c) => c.connector));
    for (const name of this.#memories.keys()) if (!names.has(name)) this.#memories.delete(name);
    const fresh = connectors.filter((c) => !this.#memories.has(c.connector));
    if (fresh.length > 0) await this.#remember(watch, fresh, db);
    this.flush.gather(
      connectors.map((c) =>
        this.memoryOf(c.connector).transactional === true ? null : (c.commits?.value ?? null),
      ),
      Date.now(),
    );
    this.poll += 1;
  }

  memoryOf(connector: string): WindowMemory {
    const memory = this.#memories.get(connector);
    if (!memory) throw new Error(`no memory of ${connector}`);
    return memory;
  }

  /** Every connector that has a series, to roll up. */
  series(watch: ClusterWatch): RolledUp[] {
    return [...this.#memories].map(([connector, memory]) => ({
      connector,
      memory,
      history: watch.connectors.get(connector)?.commits?.value ?? null,
    }));
  }

  async #remember(watch: ClusterWatch, fresh: readonly JudgedConnector[], db: Database): Promise<void> {
    const { name: cluster } = watch.cluster;
    this.#stored ??= {
      produced: await readNewestProduced(db, cluster),
      minutes: await newestRollups(db, cluster, "minute"),
      hours: await newestRollups(db, cluster, "hour"),
    };
    const { produced, minutes, hours } = this.#stored;
    await inTurn(fresh, AT_ONCE, async ({ connector, window }) => {
      const memory = newMemory(produced.get(connector)?.produced ?? null, window?.value ?? null);
      const newest = { minute: minutes.get(connector), hour: hours.get(connector) };
      if (produced.has(connector))
        await resumeRollups(db, { cluster, connector }, memory, newest, Date.now());
      this.#memories.set(connector, memory);
    });
  }

  async #keepPartitions(db: Database): Promise<void> {
    const now = Date.now();
    if (now - this.#partitionsAt < PARTITIONS_EVERY_MS) return;
    this.#partitionsAt = now;
    this.partitionsHeld = null;
    await keepWindowPartitions(db, new Date(now)).catch((error) => {
      if (!(error instanceof PartitionsHeld)) throw error;
      this.partitionsHeld = { kind: "conflict", sentence: error.message, remedy: null };
    });
  }
}
