import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { type Database, openDatabase } from "./database";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "./embedded-postgres";
import { migrate } from "./migrate";

/** A real PostgreSQL for one test file. */
export interface TestServer {
  postgres: EmbeddedPostgres;
  /** Makes a database; with Tidemark's tables unless told to leave it empty. */
  create(options?: { empty?: boolean }): Promise<{ url: string; db: Database }>;
  /** The pid of the postmaster. */
  pid(): number;
  stop(): Promise<void>;
}

export const migrationsFolder = join(import.meta.dirname, "../../prisma/migrations");

/** Starts a PostgreSQL in a folder of its own. */
export async function startTestServer(): Promise<TestServer> {
  const dataDir = mkdtempSync(join(tmpdir(), "tidemark-test-"));
  const postgres = await startEmbeddedPostgres({ dataDir, log: () => undefined });
  // Processes are killed here, never the machine: what is in the kernel's cache is safe.
  await queryOn(postgres.url, "ALTER SYSTEM SET fsync = off");
  await queryOn(postgres.url, "SELECT pg_reload_conf()");
  const opened: Database[] = [];
  let made = 0;
  return {
    postgres,
    async create({ empty = false } = {}) {
      made += 1;
      const name = `test_${made}`;
      await queryOn(postgres.url, `CREATE DATABASE ${name}`);
      const url = postgres.url.replace(/[^/]+$/, name);
      if (!empty) await migrate(url, migrationsFolder);
      const db = openDatabase(url);
      opened.push(db);
      return { url, db };
    },
    pid: () => Number(readFileSync(join(dataDir, "postgres/postmaster.pid"), "utf8").split("\n")[0]),
    async stop() {
      await Promise.all(opened.map((db) => db.close()));
      await postgres.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Runs one statement on a connection of its own. */
export async function queryOn<R = unknown>(url: string, sql: string): Promise<R[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 3_000 });
  client.on("error", () => undefined);
  await client.connect();
  try {
    return (await client.query(sql)).rows as R[];
  } finally {
    await client.end();
  }
}
