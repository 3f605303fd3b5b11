import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, describe, expect, test } from "vitest";
import { DataDirInUse } from "./data-dir-lock";
import { type EmbeddedPostgres, runningEmbeddedPostgres, startEmbeddedPostgres } from "./embedded-postgres";

const dataDir = mkdtempSync(join(tmpdir(), "tidemark-embedded-"));
const log = () => undefined;
let postgres: EmbeddedPostgres | null = null;

const start = async () => {
  postgres = await startEmbeddedPostgres({ dataDir, log });
  return postgres;
};
const postmaster = () =>
  Number(readFileSync(join(dataDir, "postgres/postmaster.pid"), "utf8").split("\n")[0]);

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 3_000 });
  client.on("error", () => undefined);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

afterAll(async () => {
  await postgres?.stop();
  rmSync(dataDir, { recursive: true, force: true });
}, 60_000);

describe.sequential("embedded PostgreSQL", { timeout: 60_000 }, () => {
  test("starts on loopback alone, with a password that only its owner can read", async () => {
    const { url, adopted } = await start();
    expect(adopted).toBe(false);
    const rows = await query(
      url,
      `SELECT current_setting('listen_addresses') AS listens, current_setting('unix_socket_directories') AS sockets,
         current_setting('server_encoding') AS encoding, datcollate AS locale, current_database() AS name
       FROM pg_database WHERE datname = current_database()`,
    );
    expect(rows).toEqual([
      { listens: "127.0.0.1", sockets: "", encoding: "UTF8", locale: "C", name: "tidemark" },
    ]);
    expect(statSync(join(dataDir, "postgres.password")).mode & 0o777).toBe(0o600);
    await expect(query(url.replace(/:[0-9a-f]{48}@/, ":wrong@"), "SELECT 1")).rejects.toMatchObject({
      code: "28P01",
    });
  });

  test("a second start on the same folder says who has it", async () => {
    await expect(startEmbeddedPostgres({ dataDir, log })).rejects.toThrow(DataDirInUse);
    await expect(startEmbeddedPostgres({ dataDir, log })).rejects.toThrow(`process ${process.pid}`);
  });

  test("comes back within 10 s after a kill -9, with everything that was acknowledged", async () => {
    const running = postgres ?? (await start());
    await query(running.url, "CREATE TABLE kept (n int)");
    await query(running.url, "INSERT INTO kept SELECT generate_series(1, 1000)");
    // A connection that stays open: its backend is an orphan that still holds the shared memory.
    const idle = new Client({ connectionString: running.url });
    idle.on("error", () => undefined);
    await idle.connect();
    process.kill(postmaster(), "SIGKILL");
    const killed = Date.now();
    expect(await waitFor(async () => !(await running.alive()), 5_000)).toBe(true);
    await Promise.all([running.ensure(), running.ensure()]);
    expect(Date.now() - killed).toBeLessThan(10_000);
    expect(await query(running.url, "SELECT count(*)::int AS n FROM kept")).toEqual([{ n: 1000 }]);
    await idle.end().catch(() => undefined);
  });

  test("is taken over by the next start after its supervisor was left behind", async () => {
    const before = postmaster();
    postgres?.abandon();
    const next = await start();
    expect(next.adopted).toBe(true);
    expect(postmaster()).toBe(before);
    expect(await runningEmbeddedPostgres(dataDir)).toBe(next.url);
  });

  test("a data directory whose owner is dead is free, also when its pid was given again", async () => {
    const file = join(dataDir, "tidemark.pid");
    postgres?.abandon();
    const dead = spawn(process.execPath, ["-e", ""]);
    await new Promise((ended) => dead.once("exit", ended));
    writeFileSync(file, JSON.stringify({ pid: dead.pid, began: "then" }));
    expect((await start()).adopted).toBe(true);
    postgres?.abandon();
    writeFileSync(file, JSON.stringify({ pid: process.pid, began: "another boot 1" }));
    expect((await start()).adopted).toBe(true);
  });

  test("stops in order, and leaves nothing behind", async () => {
    const pid = postmaster();
    await postgres?.stop();
    postgres = null;
    expect(await waitFor(async () => !exists(pid), 5_000)).toBe(true);
    expect(existsSync(join(dataDir, "tidemark.pid"))).toBe(false);
    expect(await runningEmbeddedPostgres(dataDir)).toBeNull();
  });

  test("a port that is taken is passed by; of two starts at once one wins", async () => {
    const both = await Promise.allSettled([
      startEmbeddedPostgres({ dataDir, log }),
      startEmbeddedPostgres({ dataDir, log }),
    ]);
    const won = both.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    const lost = both.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
    expect(won).toHaveLength(1);
    expect(lost).toEqual([expect.any(DataDirInUse)]);
    postgres = won[0] ?? null;
    const other = mkdtempSync(join(tmpdir(), "tidemark-embedded-"));
    const second = await startEmbeddedPostgres({ dataDir: other, log });
    expect(second.url).not.toBe(postgres?.url);
    expect(new URL(second.url).port).not.toBe(new URL(postgres?.url ?? "").port);
    await second.stop();
    rmSync(other, { recursive: true, force: true });
  });

  test("a password file that was changed is told at once, whether the server runs or not", async () => {
    const other = mkdtempSync(join(tmpdir(), "tidemark-embedded-"));
    const file = join(other, "postgres.password");
    const first = await startEmbeddedPostgres({ dataDir: other, log });
    const password = readFileSync(file);
    writeFileSync(file, "another\n");
    first.abandon();
    const asked = Date.now();
    const told = new RegExp(`refuses the password in ${file}: .* Put its former content back`);
    await expect(startEmbeddedPostgres({ dataDir: other, log })).rejects.toThrow(told);
    await first.stop();
    await expect(startEmbeddedPostgres({ dataDir: other, log })).rejects.toThrow(told);
    expect(existsSync(join(other, "postgres/postmaster.pid"))).toBe(false);
    expect(Date.now() - asked).toBeLessThan(15_000);
    writeFileSync(file, password);
    await (await startEmbeddedPostgres({ dataDir: other, log })).stop();
    rmSync(other, { recursive: true, force: true });
  });

  test("a data directory that cannot be one is told at once", async () => {
    const other = mkdtempSync(join(tmpdir(), "tidemark-embedded-"));
    const file = join(other, "file");
    writeFileSync(file, "");
    const places = [file, join(file, "a/b"), ...(existsSync("/proc/self") ? ["/proc/a/b", "/proc"] : [])];
    for (const place of places)
      await expect(startEmbeddedPostgres({ dataDir: place, log })).rejects.toThrow(
        /^The data directory .* cannot be used: .* Set DATA_DIR/,
      );
    rmSync(other, { recursive: true, force: true });
  });

  test("where PostgreSQL cannot run, the fault names DATABASE_URL", async () => {
    const broken = mkdtempSync(join(tmpdir(), "tidemark-embedded-"));
    writeFileSync(join(broken, "postgres"), "not a folder");
    await expect(startEmbeddedPostgres({ dataDir: broken, log })).rejects.toThrow(/Set DATABASE_URL/);
    rmSync(broken, { recursive: true, force: true });
  });
});

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function waitFor(condition: () => Promise<boolean>, withinMs: number): Promise<boolean> {
  const end = Date.now() + withinMs;
  while (Date.now() < end) {
    if (await condition()) return true;
    await new Promise((later) => setTimeout(later, 50));
  }
  return false;
}
