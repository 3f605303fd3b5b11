import { z } from "zod";
import type { Database, Statements } from "./database";
import { isLockTimeout } from "./database-faults";
import { Prisma } from "./generated/client";
import { sparksKeptMs } from "./window-sparks";

const hour = 3_600_000;
const day = 24 * hour;

/** How long each unit of a replay window's series is kept, in milliseconds. Whole partitions go, so a little more is there. */
const windowKeptMs = { point: 48 * hour, minute: 7 * day, hour: 366 * day };

/** How long restarts are kept, in milliseconds: as long as the hours that they are shown beside. */
const restartsKeptMs = windowKeptMs.hour;

interface PartitionedTable {
  table: "window_point" | "window_minute" | "window_hour";
  keptMs: number;
  /** Partitions made ahead of time, beside the one of now. */
  ahead: number;
  /** Start of the period that holds a time, or of one so many periods later. Milliseconds since 1970, UTC. */
  start(at: number, later?: number): number;
  /** How many characters of `20261130T06` name a period. */
  named: number;
}

const every = (length: number) => ({
  start: (at: number, later = 0) => (Math.floor(at / length) + later) * length,
});

const tables: readonly PartitionedTable[] = [
  { table: "window_point", keptMs: windowKeptMs.point, ahead: 4, named: 11, ...every(6 * hour) },
  { table: "window_minute", keptMs: windowKeptMs.minute, ahead: 3, named: 8, ...every(day) },
  {
    table: "window_hour",
    keptMs: windowKeptMs.hour,
    ahead: 1,
    named: 6,
    start(at, later = 0) {
      const date = new Date(at);
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later);
    },
  },
];

/** The first number of the advisory lock that partitions are made and dropped under; the second is the table's. */
const partitionsLock = 7_433_002;

/**
 * Longest wait for a table, in milliseconds. Who waits for a table holds up all who come after, pages among them: a backup
 * that reads it for an hour must not stop them.
 */
const lockTimeoutMs = 2_000;

/** Rows that one statement deletes from a default partition, and statements that one call runs for it. */
const deletes = { rows: 5_000, batches: 20 };

/**
 * Rows of the default partition that may move into a new one. More of them came while partitions could not be made for long: they
 * stay where they are, for to move them could take longer than a statement may.
 */
const mostMoved = 100_000;

/** Partitions could not be made or dropped for now. No row is refused and none is lost: the next call tries again. */
export class PartitionsHeld extends Error {
  override name = "PartitionsHeld";
}

/**
 * Makes the partitions of the replay windows' series for all the time that is kept and a little ahead, and drops those that
 * are over: raw points after 48 h, minutes after 7 days, hours after a year; restarts after a year too. A call with nothing
 * to do costs a query a table. Any number of processes may call it at once.
 * What is over is judged by the earlier of `now` and the database's own clock: one clock that is ahead drops nothing.
 * @throws PartitionsHeld when another session held a table for over 2 s
 * @throws DatabaseUnavailable
 */
export async function keepWindowPartitions(db: Database, now: Date): Promise<void> {
  const held: string[] = [];
  for (const table of tables) {
    try {
      await keepPartitions(db, table, now.getTime());
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      held.push(table.table);
    }
  }
  await deleteOldRows(db, now);
  if (held.length === 0) return;
  throw new PartitionsHeld(
    `Partitions of ${held.join(" and ")} could not be made or dropped: another session has held the table for over ${lockTimeoutMs / 1_000} s, a backup perhaps. Nothing is lost; it is tried again.`,
  );
}

async function keepPartitions(db: Database, kept: PartitionedTable, now: number): Promise<void> {
  const seen = await db.run((statements) => readPartitions(statements, kept));
  const oldest = Math.min(now, seen.serverNow) - kept.keptMs;
  const wanted: number[] = [];
  const last = kept.start(now, kept.ahead);
  for (let at = kept.start(now - kept.keptMs); at <= last; at = kept.start(at, 1)) wanted.push(at);
  const missing = wanted.filter((start) => !seen.starts.has(start));
  const over = [...seen.starts].filter((start) => kept.start(start, 1) <= oldest);
  if (missing.length > 0) await db.transaction((statements) => makePartitions(statements, kept, missing));
  // Not in the same transaction: who reads locks the parent first, then the default partition; to make takes the latter.
  if (over.length > 0) await db.transaction((statements) => dropPartitions(statements, kept, over));
  if (seen.defaultHasRows) await deleteFromDefault(db, kept, new Date(kept.start(oldest)));
  if (over.length > 0 && kept.table === "window_hour") await db.run(forgetEmptySeries);
}

interface Partitions {
  /** Starts of those that there are, the default one aside. */
  starts: Set<number>;
  defaultHasRows: boolean;
  serverNow: number;
}

async function readPartitions(statements: Statements, { table }: PartitionedTable): Promise<Partitions> {
  const [found] = z
    .array(z.object({ names: z.array(z.string()), has_rows: z.boolean(), now: z.date() }))
    .parse(
      await statements.$queryRaw`
        SELECT ARRAY(SELECT c.relname::text FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
                     WHERE i.inhparent = ${table}::regclass) AS names,
               EXISTS (SELECT 1 FROM ${Prisma.raw(`${table}_default`)}) AS has_rows,
               clock_timestamp() AS now`,
    );
  const starts = (found?.names ?? []).flatMap((name) => startIn(name, table) ?? []);
  return {
    starts: new Set(starts),
    defaultHasRows: found?.has_rows ?? false,
    serverNow: found?.now.getTime() ?? Number.NEGATIVE_INFINITY,
  };
}

/** `window_point_20261130t06`, `window_minute_20261130`, `window_hour_202611`: the period's start, UTC. */
function partitionName({ table, named }: PartitionedTable, start: number): string {
  const compact = new Date(start).toISOString().replace(/[-:]/g, "").slice(0, named).toLowerCase();
  return `${table}_${compact}`;
}

function startIn(name: string, table: string): number | null {
  const [, year, month, day = "01", hours = "00"] =
    /^(\d{4})(\d\d)(\d\d)?(?:t(\d\d))?$/.exec(name.slice(table.length + 1)) ?? [];
  if (year === undefined) return null;
  return Date.parse(`${year}-${month}-${day}T${hours}:00:00Z`);
}

/** Under the lock, those that nobody else made meanwhile. Rows that lie in the default partition move into them. */
async function makePartitions(statements: Statements, kept: PartitionedTable, missing: readonly number[]) {
  await takeLock(statements, kept);
  const { starts } = await readPartitions(statements, kept);
  const still = missing.filter((start) => !starts.has(start));
  if (still.length === 0) return;
  const run = (sql: string) => statements.$executeRawUnsafe(sql);
  // A row that came in from now on would keep the partition from being attached.
  await run(`LOCK TABLE ${kept.table}_default IN ACCESS EXCLUSIVE MODE`);
  const { defaultHasRows } = await readPartitions(statements, kept);
  for (const start of still) {
    const name = partitionName(kept, start);
    const [from, to] = [start, kept.start(start, 1)].map((at) => `'${new Date(at).toISOString()}'`);
    const inRange = `FROM ${kept.table}_default WHERE at >= ${from} AND at < ${to}`;
    if (defaultHasRows && (await isMore(statements, inRange, mostMoved))) continue;
    // Attached, not made as a partition: that would lock out every reader of the table.
    await run(`CREATE TABLE ${name} (LIKE ${kept.table} INCLUDING ALL)`);
    if (defaultHasRows) {
      await run(`WITH moved AS (DELETE ${inRange} RETURNING *)
        INSERT INTO ${name} SELECT * FROM moved`);
    }
    await run(`ALTER TABLE ${kept.table} ATTACH PARTITION ${name} FOR VALUES FROM (${from}) TO (${to})`);
  }
}

async function isMore(statements: Statements, rows: string, than: number): Promise<boolean> {
  const found = await statements.$queryRawUnsafe(`SELECT 1 ${rows} OFFSET ${than} LIMIT 1`);
  return z.array(z.unknown()).parse(found).length > 0;
}

async function dropPartitions(statements: Statements, kept: PartitionedTable, over: readonly number[]) {
  await takeLock(statements, kept);
  for (const start of over) {
    await statements.$executeRawUnsafe(`DROP TABLE IF EXISTS ${partitionName(kept, start)}`);
  }
}

async function takeLock(statements: Statements, kept: PartitionedTable) {
  await statements.$executeRaw`SELECT pg_advisory_xact_lock(${partitionsLock}::int, ${tables.indexOf(kept)}::int)`;
  await statements.$executeRawUnsafe(`SET LOCAL lock_timeout = ${lockTimeoutMs}`);
}

/** What is older than anything kept has no partition to be dropped with. What lies ahead stays until its time comes. */
async function deleteFromDefault(db: Database, { table }: PartitionedTable, before: Date) {
  const name = Prisma.raw(`${table}_default`);
  for (let i = 0; i < deletes.batches; i++) {
    const gone = await db.run(
      (statements) => statements.$executeRaw`
        DELETE FROM ${name} WHERE ctid = ANY(ARRAY(SELECT ctid FROM ${name} WHERE at < ${before} LIMIT ${deletes.rows}))`,
    );
    if (gone < deletes.rows) return;
  }
}

/** Of the two tables that have too few rows for partitions. */
async function deleteOldRows(db: Database, now: Date) {
  const before = (keptMs: number) => new Date(now.getTime() - keptMs);
  await db.run(async (statements) => {
    await statements.$executeRaw`
      DELETE FROM restart WHERE at < least(${before(restartsKeptMs)}, now() - ${restartsKeptMs}::float8 * interval '1 ms')`;
    await statements.$executeRaw`
      DELETE FROM window_spark WHERE at < least(${before(sparksKeptMs)}, now() - ${sparksKeptMs}::float8 * interval '1 ms')`;
  });
}

/** Series of connectors that are gone, once nothing of them is left. */
async function forgetEmptySeries(statements: Statements) {
  await statements.$executeRaw`
    DELETE FROM window_series AS s
    WHERE NOT EXISTS (SELECT 1 FROM connector AS c WHERE c.cluster = s.cluster AND c.name = s.connector)
      AND NOT EXISTS (SELECT 1 FROM window_hour AS h WHERE h.series = s.id)
      AND NOT EXISTS (SELECT 1 FROM window_minute AS m WHERE m.series = s.id)
      AND NOT EXISTS (SELECT 1 FROM window_point AS p WHERE p.series = s.id)`;
}
