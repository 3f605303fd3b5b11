import { z } from "zod";
import { type Measurement, measurementSchema } from "@/lib/observed/duplicates";
import type { Database, Statements } from "./database";
import type { Measurement as Row } from "./generated/client";

/** How long measurements are kept after they were asked for, in milliseconds. */
export const measurementsKeptMs = 30 * 24 * 3_600_000;

/** Measurements of a cluster that may wait or run at a time. */
export const mostOpenMeasurements = 50;

/** Measurements that one list returns at most. */
const mostListed = 500;

/** A collector that has not said for so long that it still runs a measurement has died, seconds by the database's clock. */
const deadAfterSeconds = 30;

/** A measurement whose collectors died so often is begun no more: it may be what they die of. */
const mostBegun = 3;

/** Rows that one statement deletes. */
const rowsAtOnce = 500;

/** What a person asks for. Times of records; null: from the first, to the end as it is when it starts. */
export interface MeasurementAsked {
  cluster: string;
  topic: string;
  method: Measurement["method"];
  from: Date | null;
  to: Date | null;
}

/**
 * A measurement in a list: what was found is told by two numbers, null until it is done. Of a scan there are no replays, and
 * duplicates may be estimated.
 */
export interface ListedMeasurement extends Omit<Measurement, "result"> {
  replays: number | null;
  duplicates: number | null;
}

/** So many measurements wait or run already that no further one is taken. */
export class TooManyMeasurements extends Error {
  override name = "TooManyMeasurements";
  /** By name: Next loads this module more than once into one process. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === "TooManyMeasurements";
  }
}

/**
 * Asks for a measurement; a collector of the cluster takes it. The same one that waits or runs already is given back: two
 * clicks ask for one.
 * @throws TooManyMeasurements, DatabaseUnavailable
 */
export function askMeasurement(
  db: Database,
  { cluster, topic, method, from, to }: MeasurementAsked,
  now: Date = new Date(),
): Promise<Measurement> {
  return db.transaction(async (statements) => {
    // One at a time, or two would both see no other.
    await statements.$executeRaw`SELECT pg_advisory_xact_lock(hashtext('tidemark measurement'))`;
    const open = { cluster, state: { in: ["waiting", "running"] } };
    const same = await statements.measurement.findFirst({
      where: { ...open, topic, method, fromAt: from, toAt: to },
    });
    if (same) return measurementIn(same);
    if ((await statements.measurement.count({ where: open })) >= mostOpenMeasurements) {
      throw new TooManyMeasurements(
        `${mostOpenMeasurements} measurements of ${cluster} wait or run already: cancel one, or ask again when some have ended.`,
      );
    }
    return measurementIn(
      await statements.measurement.create({
        data: { cluster, topic, method, fromAt: from, toAt: to, askedAt: now, state: "waiting" },
      }),
    );
  });
}

/** Null when there is none with this id, or no longer. @throws DatabaseUnavailable */
export function readMeasurement(db: Database, id: string): Promise<Measurement | null> {
  return db.run(async (statements) => {
    if (!z.uuid().safeParse(id).success) return null;
    const row = await statements.measurement.findUnique({ where: { id } });
    return row && measurementIn(row);
  });
}

/** The newest, newest first, of any cluster; at most 500. @throws DatabaseUnavailable */
export function readMeasurements(db: Database, limit = 50): Promise<ListedMeasurement[]> {
  return db.run(async (statements) => {
    const rows = await statements.measurement.findMany({
      orderBy: [{ askedAt: "desc" }, { id: "desc" }],
      take: Math.max(0, Math.min(limit, mostListed)),
      omit: { result: true },
    });
    return rows.map((row) => {
      const { result: _, ...listed } = withoutResult(row);
      return {
        ...listed,
        replays: row.replays,
        duplicates: row.duplicates === null ? null : Number(row.duplicates),
      };
    });
  });
}

/**
 * Ends one that waits or runs. The collector that runs it notices within a second or so. Returns false where there is nothing
 * to cancel: it has ended, or is not known.
 * @throws DatabaseUnavailable
 */
export function cancelMeasurement(db: Database, id: string, now: Date = new Date()): Promise<boolean> {
  return db.run(async (statements) => {
    if (!z.uuid().safeParse(id).success) return false;
    const { count } = await statements.measurement.updateMany({
      where: { id, state: { in: ["waiting", "running"] } },
      data: { state: "cancelled", endedAt: now, owner: null },
    });
    return count > 0;
  });
}

/**
 * Gives the oldest measurement of some clusters that nobody runs to one collector, whoever else asks at the same time. One
 * whose collector has been silent for 30 s is begun again; after three times it has failed.
 * @param owner unique to the process that runs it
 * @returns null when there is none
 * @throws DatabaseUnavailable
 */
export function takeMeasurement(
  db: Database,
  clusters: readonly string[],
  owner: string,
  now: Date = new Date(),
): Promise<Measurement | null> {
  return db.run(async (statements) => {
    await failTheDeadly(statements, clusters, now);
    const taken = idRows.parse(
      await statements.$queryRaw`
        UPDATE measurement SET
          state = 'running', owner = ${owner}, beat_at = clock_timestamp(), begun = begun + 1,
          started_at = ${now}, done = 0, total = NULL, bytes_read = 0
        WHERE id = (
          SELECT id FROM measurement
          WHERE cluster = ANY(${[...clusters]}) AND state IN ('waiting', 'running')
            AND (state = 'waiting' OR beat_at < clock_timestamp() - make_interval(secs => ${deadAfterSeconds}))
          ORDER BY asked_at, id LIMIT 1 FOR UPDATE SKIP LOCKED)
        RETURNING id`,
    );
    const id = taken[0]?.id;
    const row = id && (await statements.measurement.findUnique({ where: { id } }));
    return row ? measurementIn(row) : null;
  });
}

const idRows = z.array(z.object({ id: z.string() }));

const deadly = {
  sentence: `It was begun ${mostBegun} times, and each time the collector that ran it ended before it did.`,
  remedy: "Look into the collector's log for why it ends, then measure a shorter range.",
};

async function failTheDeadly(statements: Statements, clusters: readonly string[], now: Date) {
  await statements.$executeRaw`
    UPDATE measurement SET state = 'failed', ended_at = ${now}, owner = NULL, failure = ${JSON.stringify(deadly)}::json
    WHERE cluster = ANY(${[...clusters]}) AND state = 'running' AND begun >= ${mostBegun}
      AND beat_at < clock_timestamp() - make_interval(secs => ${deadAfterSeconds})`;
}

/** Whose measurement it is: its id, and who took it. */
export interface MeasurementTaken {
  id: string;
  owner: string;
}

/**
 * Stores how far a measurement is, and that its collector lives.
 * @returns `cancelled` when a person ended it; `lost` when it was taken for dead and another collector has it now
 * @throws DatabaseUnavailable
 */
export function saveProgress(
  db: Database,
  { id, owner }: MeasurementTaken,
  { done, total, bytesRead }: Pick<Measurement, "done" | "total" | "bytesRead">,
): Promise<"go on" | "cancelled" | "lost"> {
  return db.run(async (statements) => {
    const written = await statements.$executeRaw`
      UPDATE measurement SET done = ${BigInt(done)}, total = ${total === null ? null : BigInt(total)},
        bytes_read = ${BigInt(bytesRead)}, beat_at = clock_timestamp()
      WHERE id = ${id}::uuid AND state = 'running' AND owner = ${owner}`;
    if (written > 0) return "go on";
    const row = await statements.measurement.findUnique({ where: { id }, select: { state: true } });
    return !row || row.state === "cancelled" ? "cancelled" : "lost";
  });
}

/** How a measurement ended. */
export type MeasurementEnd =
  | {
      state: "done";
      result: NonNullable<Measurement["result"]>;
      /** All that were found, also those that the result does not list; null: it was not looked for any. */
      replays: number | null;
      duplicates: number;
    }
  | { state: "failed"; failure: NonNullable<Measurement["failure"]> };

/** Stores how it ended. Returns false when it was cancelled or taken from this owner before. @throws DatabaseUnavailable */
export function endMeasurement(
  db: Database,
  { id, owner }: MeasurementTaken,
  end: MeasurementEnd,
  now: Date = new Date(),
): Promise<boolean> {
  const done = end.state === "done" ? end : null;
  const result = done && JSON.stringify(done.result);
  const failure = end.state === "failed" ? JSON.stringify(end.failure) : null;
  return db.run(
    async (statements) =>
      (await statements.$executeRaw`
        UPDATE measurement SET state = ${end.state}, ended_at = ${now}, owner = NULL,
          result = ${result}::json, failure = ${failure}::json, replays = ${done?.replays ?? null}::int,
          duplicates = ${done ? BigInt(done.duplicates) : null}::bigint
        WHERE id = ${id}::uuid AND state = 'running' AND owner = ${owner}`) > 0,
  );
}

/** Gives one back that was not ended: its collector stops. Another one begins it anew. @throws DatabaseUnavailable */
export async function giveBackMeasurement(db: Database, { id, owner }: MeasurementTaken): Promise<void> {
  await db.run(
    (statements) => statements.$executeRaw`
      UPDATE measurement SET state = 'waiting', owner = NULL, beat_at = NULL, begun = greatest(0, begun - 1),
        started_at = NULL, done = 0, total = NULL, bytes_read = 0
      WHERE id = ${id}::uuid AND state = 'running' AND owner = ${owner}`,
  );
}

/** Deletes one small batch of measurements asked for before `before`, of any cluster. Returns whether there may be more. @throws DatabaseUnavailable */
export async function deleteOldMeasurements(db: Database, before: Date): Promise<boolean> {
  const gone = await db.run(
    (statements) => statements.$executeRaw`
      DELETE FROM measurement WHERE id IN (
        SELECT id FROM measurement WHERE asked_at < ${before} AND state <> 'running' LIMIT ${rowsAtOnce})`,
  );
  return gone === rowsAtOnce;
}

const otherVersion = {
  sentence: "It was stored by another version of Tidemark, which this one cannot read.",
  remedy: "Measure it again.",
};

/** The measurement in a row; of a result that does not fit, that it cannot be read, never that nothing was found. */
function measurementIn(row: Row): Measurement {
  const { state, failure, ...others } = withoutResult(row);
  if (state !== "done") return { ...others, state, failure, result: null };
  const result = measurementSchema.shape.result.unwrap().safeParse(row.result);
  return result.success
    ? { ...others, state, failure, result: result.data }
    : { ...others, state: "failed", failure: otherVersion, result: null };
}

function withoutResult(row: Omit<Row, "result">): Measurement {
  const { method, state, failure } = measurementSchema.shape;
  const knownMethod = method.safeParse(row.method);
  const knownState = state.safeParse(row.state);
  const fits = knownMethod.success && knownState.success;
  const told = failure.safeParse(row.failure ?? null);
  const sentence = told.success ? told.data : otherVersion;
  return {
    id: row.id,
    cluster: row.cluster,
    topic: row.topic,
    method: knownMethod.success ? knownMethod.data : "bisect",
    from: row.fromAt?.toISOString() ?? null,
    to: row.toAt?.toISOString() ?? null,
    askedAt: row.askedAt.toISOString(),
    state: fits ? knownState.data : "failed",
    startedAt: row.startedAt?.toISOString() ?? null,
    endedAt: row.endedAt?.toISOString() ?? null,
    done: Number(row.done),
    total: row.total === null ? null : Number(row.total),
    bytesRead: Number(row.bytesRead),
    failure: fits ? sentence : otherVersion,
    result: null,
  };
}
