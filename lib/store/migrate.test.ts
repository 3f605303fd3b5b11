import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PrismaPg } from "@prisma/adapter-pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { deployMigrations, schemaSql, schemaText } from "@/scripts/schema-engine";
import { MigrationFault, migrate } from "./migrate";
import { migrationsFolder, queryOn, startTestServer, type TestServer } from "./test-server";

let server: TestServer;
const folder = mkdtempSync(join(tmpdir(), "tidemark-migrations-"));
beforeAll(async () => {
  server = await startTestServer();
  cpSync(migrationsFolder, folder, { recursive: true });
}, 60_000);
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

function write(name: string, sql: string) {
  mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, name, "migration.sql"), sql);
}

const shipped = [
  "20261129000000_first",
  "20261129195815_offset_commit",
  "20261130071724_replay_window",
  "20261130074141_window_spark",
  "20261130105953_duplicates",
  "20261130112033_scan",
  "20261130112627_replay_place",
];

test("schema.prisma and the migrations agree", async () => {
  const bySchema = await server.create({ empty: true });
  const byMigrations = await server.create();
  await queryOn(bySchema.url, await schemaSql(null, schemaText()));
  // The schema cannot say that a table is partitioned: its partitions, which are what it is, stay aside.
  const tables = `SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
    AND NOT relispartition AND relname <> '_prisma_migrations'`;
  const columns = `SELECT table_name, column_name, data_type, datetime_precision, is_nullable, column_default
    FROM information_schema.columns WHERE quote_ident(table_name)::regclass IN (${tables}) AND table_schema = 'public' ORDER BY 1, 2`;
  const constraints = `SELECT conrelid::regclass::text AS on, conname, pg_get_constraintdef(oid) AS says FROM pg_constraint
    WHERE conrelid IN (${tables}) ORDER BY 1, 2`;
  // Partial indexes are added by hand: the schema cannot say them.
  const indexes = `SELECT replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') AS says FROM pg_index
    WHERE indrelid IN (${tables}) AND indpred IS NULL ORDER BY 1`;
  for (const catalogue of [columns, constraints, indexes]) {
    const expected = await queryOn(bySchema.url, catalogue);
    expect(expected.length).toBeGreaterThan(5);
    expect(await queryOn(byMigrations.url, catalogue)).toEqual(expected);
  }
});

test("the tables of series are partitioned by time, and each has a partition for what fits no other", async () => {
  const { url } = await server.create();
  const partitioned = await queryOn(
    url,
    `SELECT partrelid::regclass::text AS table, pg_get_partkeydef(partrelid) AS by, partdefid::regclass::text AS rest
     FROM pg_partitioned_table ORDER BY 1`,
  );
  expect(partitioned).toEqual(
    ["window_hour", "window_minute", "window_point"].map((table) => ({
      table,
      by: "RANGE (at)",
      rest: `${table}_default`,
    })),
  );
});

test("applies once, whoever comes, and two at once are one", async () => {
  const { url } = await server.create({ empty: true });
  const both = await Promise.all([migrate(url, folder), migrate(url, folder)]);
  expect(both.flat()).toEqual(shipped);
  expect(await migrate(url, folder)).toEqual([]);
  const notes = await queryOn(
    url,
    "SELECT migration_name, checksum, applied_steps_count, logs FROM _prisma_migrations",
  );
  expect(notes).toEqual(
    shipped.map((migration_name) => ({
      migration_name,
      checksum: expect.stringMatching(/^[0-9a-f]{64}$/),
      applied_steps_count: 1,
      logs: null,
    })),
  );
});

test("Prisma's own engine applies the same, and each finds nothing left to do after the other", async () => {
  const ours = await server.create();
  const prismas = await server.create({ empty: true });
  const deploy = (url: string) => deployMigrations(new PrismaPg({ connectionString: url }), migrationsFolder);
  const applied = await deploy(prismas.url);
  expect(applied).toEqual(shipped);
  expect(await migrate(prismas.url, migrationsFolder)).toEqual([]);
  expect(await deploy(ours.url)).toEqual([]);
  const tables = `SELECT relname, relkind, relispartition FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relname <> '_prisma_migrations' ORDER BY 1`;
  expect(await queryOn(prismas.url, tables)).toEqual(await queryOn(ours.url, tables));
});

test("one that fails is undone whole, says why and what to do, and stops the next start", async () => {
  const { url } = await server.create({ empty: true });
  const name = "20270101000000_bad";
  write(name, "CREATE TABLE half (n int); SELECT 1 / 0;");
  const first = migrate(url, folder);
  await expect(first).rejects.toThrow(MigrationFault);
  await expect(first).rejects.toThrow(
    /division by zero.*prisma migrate resolve --rolled-back 20270101000000_bad/,
  );
  expect(await queryOn(url, "SELECT to_regclass('half') AS half")).toEqual([{ half: null }]);
  await expect(migrate(url, folder)).rejects.toThrow(/division by zero/);
  // What `prisma migrate resolve --rolled-back` does.
  await queryOn(url, "UPDATE _prisma_migrations SET rolled_back_at = now() WHERE finished_at IS NULL");
  write(name, "CREATE TABLE half (n int);");
  expect(await migrate(url, folder)).toEqual([name]);
  rmSync(join(folder, name), { recursive: true });
  await expect(migrate(url, folder)).rejects.toThrow(/does not know \(20270101000000_bad\).*newer version/);
});

test("one that was edited after it was applied stops the start", async () => {
  const { url } = await server.create({ empty: true });
  const name = "20270101000000_good";
  write(name, "CREATE TABLE good (n int);");
  await migrate(url, folder);
  write(name, "CREATE TABLE good (n bigint);");
  await expect(migrate(url, folder)).rejects.toThrow(/20270101000000_good was edited.*new migration/);
  rmSync(join(folder, name), { recursive: true });
});
