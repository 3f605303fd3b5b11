import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { SchemaRegistry } from "@/lib/kafka/registry";
import type { Measurement } from "@/lib/observed/duplicates";
import type { Failure } from "@/lib/observed/observation";
import { type Database, DatabaseUnavailable } from "@/lib/store/database";
import {
  deleteOldMeasurements,
  endMeasurement,
  giveBackMeasurement,
  type MeasurementEnd,
  type MeasurementTaken,
  measurementsKeptMs,
  takeMeasurement,
} from "@/lib/store/measurements";
import type { ClusterWatch } from "./cluster-watch";
import type { Instruments } from "./measurements/instruments";
import { keepingProgress } from "./measurements/keep-progress";
import { MeasurementFailed } from "./measurements/measurement-failed";
import { runMeasurement } from "./measurements/run-measurement";

/** Measurements that one collector runs at a time: they share its brokers with everything else. */
const AT_A_TIME = 2;
/** Old ones are deleted so often, milliseconds, in no more than so many batches. */
const DELETE_EVERY_MS = 600_000;
const DELETE_BATCHES = 10;
/** An end that the database does not take is told again so often, after so many milliseconds. */
const END_TRIES = 30;
const END_PAUSE_MS = 1_000;

export interface MeasurementsOf {
  db: Database;
  watches: readonly ClusterWatch[];
  /** Of a cluster; null where none is configured. */
  registryOf: (cluster: string) => SchemaRegistry | null;
  instruments: Instruments;
  /** Of a scan. */
  maxBytesPerSecond: number;
  signal: AbortSignal;
  /** Between two tries of one step, milliseconds; a standard one unless told. */
  pauseMs?: number;
}

/** Runs what people asked to be measured, of the clusters that this collector watches. */
export class Measurements {
  readonly #running = new Set<Promise<void>>();
  #deletedAt = 0;

  constructor(private readonly of: MeasurementsOf) {}

  /** One pass: takes those that wait, as long as it may run more. They run on by themselves. @throws DatabaseUnavailable */
  async look(now: Date = new Date()): Promise<Failure | null> {
    const { db, watches, signal } = this.of;
    const clusters = watches.map(({ cluster }) => cluster.name);
    while (clusters.length > 0 && this.#running.size < AT_A_TIME && !signal.aborted) {
      // An owner of its own for each: it may be one that this process lost, when it stood still for long.
      const owner = randomUUID();
      const measurement = await takeMeasurement(db, clusters, owner, now);
      if (!measurement) break;
      this.#begin(measurement, owner);
    }
    await this.#deleteOld(now);
    return null;
  }

  /** Ends when none runs: they are given back soon after the signal. */
  async ended(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  #begin(measurement: Measurement, owner: string): void {
    const run: Promise<void> = this.#run(measurement, { id: measurement.id, owner })
      // Its end could not be stored: another collector begins it again.
      .catch(() => undefined)
      .finally(() => this.#running.delete(run));
    this.#running.add(run);
  }

  async #run(measurement: Measurement, taken: MeasurementTaken): Promise<void> {
    const { db, watches, registryOf, signal } = this.of;
    const watch = watches.find(({ cluster }) => cluster.name === measurement.cluster);
    if (!watch) return giveBackMeasurement(db, taken);
    const given = { ...this.of, watch, registry: registryOf(measurement.cluster) };
    const end = await keepingProgress(db, taken, signal, (report, wanted) =>
      runMeasurement(measurement, given, report, wanted).catch(asEnd),
    );
    if (end.interrupted === "stopped") return giveBackMeasurement(db, taken);
    if (end.interrupted === null) await this.#end(taken, end.ended);
  }

  async #end(taken: MeasurementTaken, end: MeasurementEnd): Promise<void> {
    const { db, signal } = this.of;
    for (let tries = 1; ; tries++) {
      try {
        await endMeasurement(db, taken, end);
        return;
      } catch (error) {
        if (tries === END_TRIES || signal.aborted) throw error;
        await sleep(END_PAUSE_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  async #deleteOld(now: Date): Promise<void> {
    if (now.getTime() - this.#deletedAt < DELETE_EVERY_MS) return;
    this.#deletedAt = now.getTime();
    const before = new Date(now.getTime() - measurementsKeptMs);
    for (let i = 0; i < DELETE_BATCHES && (await deleteOldMeasurements(this.of.db, before)); i++);
  }
}

/**
 * A fault that nobody foresaw ends a measurement too: it would be begun again and again.
 * @throws DatabaseUnavailable: nothing is wrong with the measurement, another one begins it anew
 */
function asEnd(error: unknown): MeasurementEnd {
  if (error instanceof DatabaseUnavailable) throw error;
  if (error instanceof MeasurementFailed)
    return { state: "failed", failure: { sentence: error.sentence, remedy: error.remedy } };
  const text = (error instanceof Error ? error.message : String(error)).split("\n")[0]?.slice(0, 300);
  return {
    state: "failed",
    failure: {
      sentence: `A fault of Tidemark's own ended it: ${text || "an error without a message"}`,
      remedy: "Measure it again; if this stays, look into the collector's log.",
    },
  };
}
