import { createHash, randomUUID } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { Client, DatabaseError } from "pg";

/** The advisory lock that `prisma migrate deploy` takes: it and we may run on one database at the same time. */
const prismaLock = 72_707_369;

/** Limits in milliseconds: for a connection, and for another process to finish its migrations. */
const limits = { connect: 5_000, lock: 60_000 };

/** Migrations that stop for a person to decide. The message says what to do. */
export class MigrationFault extends Error {
  override name = "MigrationFault";
}

interface Migration {
  name: string;
  sql: string;
  checksum: string;
}

interface Applied {
  migration_name: string;
  checksum: string;
  finished_at: Date | null;
  logs: string | null;
}

/**
 * Applies the migrations of a folder as `prisma migrate deploy` does: same table, checksums and lock.
 * @param folder prisma/migrations
 * @returns the names of those applied now
 * @throws MigrationFault for one that failed, was edited after it was applied, or is of a newer Tidemark
 */
export async function migrate(
  url: string,
  folder: string,
  log: (line: string) => void = () => undefined,
): Promise<string[]> {
  const migrations = await readMigrations(folder);
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: limits.connect,
    application_name: "tidemark migrate",
  });
  // A lost connection fails the query that runs; without a listener it would end the process too.
  client.on("error", () => undefined);
  await client.connect();
  try {
    await takeLock(client);
    await client.query(migrationsTable);
    const pending = await pendingMigrations(client, migrations);
    for (const migration of pending) {
      await apply(client, migration);
      log(`Applied migration ${migration.name}.`);
    }
    return pending.map((m) => m.name);
  } finally {
    await client.end();
  }
}

/** Prisma's own definition (schema-engine, sql-schema-connector). */
const migrationsTable = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
  id VARCHAR(36) PRIMARY KEY NOT NULL,
  checksum VARCHAR(64) NOT NULL,
  finished_at TIMESTAMPTZ,
  migration_name VARCHAR(255) NOT NULL,
  logs TEXT,
  rolled_back_at TIMESTAMPTZ,
  started_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  applied_steps_count INTEGER NOT NULL DEFAULT 0
)`;

async function readMigrations(folder: string): Promise<Migration[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((e) => e.isDirectory()).map((e) => e.name);
  return Promise.all(
    names.sort().map(async (name) => {
      const sql = await readFile(join(folder, name, "migration.sql"), "utf8");
      return { name, sql, checksum: createHash("sha256").update(sql).digest("hex") };
    }),
  );
}

async function takeLock(client: Client): Promise<void> {
  await client.query(`SET lock_timeout = ${limits.lock}`);
  try {
    await client.query("SELECT pg_advisory_lock($1)", [prismaLock]);
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.code !== "55P03") throw error;
    throw new MigrationFault(
      `Another process has been migrating this database for over ${limits.lock / 1000} s. Wait for it, or end it, and start again.`,
    );
  }
  await client.query("SET lock_timeout = 0");
}

/** @throws MigrationFault */
async function pendingMigrations(client: Client, migrations: readonly Migration[]): Promise<Migration[]> {
  const { rows } = await client.query<Applied>(
    "SELECT migration_name, checksum, finished_at, logs FROM _prisma_migrations WHERE rolled_back_at IS NULL",
  );
  const byName = new Map(rows.map((row) => [row.migration_name, row]));
  const failed = rows.find((row) => row.finished_at === null);
  if (failed) throw new MigrationFault(failedText(failed.migration_name, failed.logs));
  const known = new Set(migrations.map((m) => m.name));
  const newer = rows.find((row) => !known.has(row.migration_name));
  if (newer) {
    throw new MigrationFault(
      `The database has a migration that this version of Tidemark does not know (${newer.migration_name}): it was used by a newer version. Start that version, or restore a backup from before it.`,
    );
  }
  const edited = migrations.find((m) => byName.has(m.name) && byName.get(m.name)?.checksum !== m.checksum);
  if (edited) {
    throw new MigrationFault(
      `Migration ${edited.name} was edited after it was applied to this database. Restore the file as it was released, and put the change into a new migration.`,
    );
  }
  return migrations.filter((m) => !byName.has(m.name));
}

function failedText(name: string, logs: string | null): string {
  const why = logs ? ` It said: ${logs.slice(0, 400)}` : " It was interrupted before it could say why.";
  return `Migration ${name} failed on this database.${why} Remove the cause, then run \`npx prisma migrate resolve --rolled-back ${name}\` and start again.`;
}

/** The migration and the note of it are one transaction: a kill in the middle leaves neither. */
async function apply(client: Client, { name, sql, checksum }: Migration): Promise<void> {
  const note = [randomUUID(), checksum, name];
  try {
    await client.query("BEGIN");
    await client.query(sql);
    await client.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
       VALUES ($1, $2, $3, clock_timestamp(), 1)`,
      note,
    );
    await client.query("COMMIT");
  } catch (error) {
    const logs = error instanceof Error ? error.message : String(error);
    await client.query("ROLLBACK");
    await client.query(
      "INSERT INTO _prisma_migrations (id, checksum, migration_name, logs) VALUES ($1, $2, $3, $4)",
      [...note, logs],
    );
    throw new MigrationFault(failedText(name, logs), { cause: error });
  }
}
