import { runStart } from "@/lib/debezium/events/run-context";
import type { SchemaRegistry } from "@/lib/kafka/registry";
import type { FoundReplay, Replay } from "@/lib/observed/duplicates";
import type { Database } from "@/lib/store/database";
import { type MeasuredPartitionRow, readMeasuredPartitions } from "@/lib/store/measured-partitions";
import { deleteOldReplays, dropReplays, type ReplaySums, replaysKeptMs } from "@/lib/store/replays";
import { saveMeasured } from "@/lib/store/save-measured";
import { CausesSeen } from "./causes-seen";
import { type KeptPartition, restored, rowOf } from "./kept-partition";
import { keptReplays } from "./kept-replays";
import { ReplayOutbox } from "./replay-outbox";
import { atKeptTime } from "./replay-time";
import { allFound } from "./stretches";
import { partitionName } from "./topic-watch";

/** What is too old is deleted this often, milliseconds, in small batches. */
const DELETE_EVERY_MS = 600_000;
/** Bytes after which a partition waits for its next turn, and that one replay may take to be counted by identity. */
const STEP_BYTES = 32 * 1024 * 1024;

/** What is known of one connector's replays as they are stored. */
export interface StoredSums {
  /** By topic. */
  all: ReadonlyMap<string, ReplaySums>;
  day: ReadonlyMap<string, ReplaySums>;
  newest: Replay[];
  /** When the last day's were read, milliseconds since 1970. */
  readAt: number;
}

export interface ClusterDuplicatesOptions {
  cluster: string;
  /** For values in a registry's form; null: none is configured. */
  registry: SchemaRegistry | null;
  /** Bytes that one look may read of all topics. */
  bytesPerLook: number;
  signal: AbortSignal;
}

/** What the loop over the duplicates of one cluster keeps from one look to the next. */
export class ClusterDuplicates {
  /** Number of the look that is going on, from 1. */
  look = 0;
  readonly seen = new CausesSeen();
  /** By connector; what is not here is to be read. */
  readonly sums = new Map<string, StoredSums>();
  /** Bytes that the last look read more than it may. */
  overdrawn = 0;
  /** When the places of a day ago were asked for, milliseconds since 1970. */
  dayAskedAt = Number.NEGATIVE_INFINITY;
  readonly #connectors = new Map<string, Map<string, KeptPartition>>();
  /** Rows to store, the newest of each partition. */
  readonly #unsaved = new Map<string, MeasuredPartitionRow>();
  readonly #outbox = new ReplayOutbox();
  /** Topics that were deleted and made again, with the ids they have now. */
  readonly #remade = new Map<string, string | null>();
  #deletedAt = Number.NEGATIVE_INFINITY;

  constructor(readonly options: ClusterDuplicatesOptions) {}

  get stepBytes(): number {
    return Math.min(this.options.bytesPerLook, STEP_BYTES);
  }

  /**
   * Before each look: stores what could not be stored at the last, and reads what is stored of connectors that are new. Those that
   * are gone are forgotten. @throws DatabaseUnavailable
   */
  async begin(connectors: readonly string[], db: Database): Promise<void> {
    await this.flush(db, Date.now());
    const names = new Set(connectors);
    for (const name of [...this.#connectors.keys()]) if (!names.has(name)) this.#forgetConnector(name);
    const fresh = connectors.filter((name) => !this.#connectors.has(name));
    // All at once at first; later on one by one, as they come.
    const all = this.look === 0 && fresh.length > 0 ? await this.#readRows(db) : null;
    for (const name of fresh) {
      const rows = all ? (all.get(name) ?? []) : await readMeasuredPartitions(db, this.options.cluster, name);
      const partitions = rows.flatMap((row) => restored(row) ?? []);
      this.#connectors.set(name, new Map(partitions.map((kept) => [partitionName(kept), kept])));
    }
    this.look += 1;
  }

  /** By `topic/partition`. */
  partitionsOf(connector: string): Map<string, KeptPartition> {
    return this.#connectors.get(connector) ?? new Map();
  }

  /** Takes what a step found, to be stored with {@link flush}. Null: nothing was measured, only the progress is another one. */
  take(
    kept: KeptPartition,
    found: { replays: readonly FoundReplay[]; replaced: { from: number; to: number } | null },
    now: number,
  ): void {
    const { connector, topic, partition } = kept;
    const row = rowOf(kept);
    if (row) this.#unsaved.set(JSON.stringify([connector, topic, partition]), row);
    const { replays, replaced } = found;
    const timed = replays.map((replay) => atKeptTime(replay, now, replaysKeptMs));
    if (replaced) this.#outbox.take({ connector, topic, partition, ...replaced }, timed, now);
    for (const { runId } of allFound(kept.progress)?.runs ?? []) {
      const at = runId === null ? null : runStart(runId);
      if (at !== null) this.seen.noteStart(connector, at);
    }
  }

  /** Forgets what was found in a topic that was deleted and made again. */
  forgetTopic(topic: string, topicId: string | null): void {
    this.#remade.set(topic, topicId);
    this.#outbox.forget(topic);
  }

  /**
   * Stores what was taken, replays and how far was measured in one go. Where that fails, all is kept for the next try.
   * @param now milliseconds since 1970
   * @throws DatabaseUnavailable
   */
  async flush(db: Database, now: number): Promise<void> {
    const { cluster } = this.options;
    for (const [topic, topicId] of [...this.#remade]) {
      await dropReplays(db, cluster, topic, topicId);
      this.#remade.delete(topic);
    }
    const told: Replay[] = [];
    for (const [connector, found] of this.#outbox.toTell(now))
      told.push(...(await keptReplays(db, { cluster, connector }, found, this.seen)));
    const { replays, replaced } = this.#outbox.toStore(told);
    const rows = [...this.#unsaved.values()];
    if (rows.length + replaced.length + replays.length > 0)
      await saveMeasured(db, cluster, { rows, replays, replaced });
    this.#outbox.wereStored(replays);
    this.#unsaved.clear();
    for (const { connector } of [...replays, ...replaced])
      if (connector !== null) this.sums.delete(connector);
    if (now - this.#deletedAt <= DELETE_EVERY_MS) return;
    const mayBeMore = await deleteOldReplays(db, new Date(now - replaysKeptMs));
    if (!mayBeMore) this.#deletedAt = now;
  }

  #forgetConnector(name: string): void {
    this.#connectors.delete(name);
    this.sums.delete(name);
    for (const [key, row] of this.#unsaved) if (row.connector === name) this.#unsaved.delete(key);
  }

  async #readRows(db: Database): Promise<Map<string, MeasuredPartitionRow[]>> {
    const rows = new Map<string, MeasuredPartitionRow[]>();
    for (const row of await readMeasuredPartitions(db, this.options.cluster)) {
      const known = rows.get(row.connector) ?? [];
      known.push(row);
      rows.set(row.connector, known);
    }
    return rows;
  }
}
