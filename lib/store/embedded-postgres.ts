import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, DatabaseError } from "pg";
import { embeddedName } from "./about";
import { lockDataDir } from "./data-dir-lock";
import { freePort } from "./free-port";
import { type PostgresRunner, postgresProgram, postgresRunners } from "./postgres-binaries";

/** A PostgreSQL of our own. It outlives a killed supervisor, and the next start takes it over. */
export interface EmbeddedPostgres {
  /** Its address now, password included. The port can change when PostgreSQL had to be started again. */
  readonly url: string;
  /** Whether it was already running. */
  readonly adopted: boolean;
  /** Whether it answers; one that is starting up or full counts as alive. */
  alive(): Promise<boolean>;
  /** Starts it again if it does not answer. @throws EmbeddedPostgresFault */
  ensure(): Promise<void>;
  /** Stops PostgreSQL and frees the data directory. */
  stop(): Promise<void>;
  /** Frees the data directory and leaves PostgreSQL running. */
  abandon(): void;
}

/** PostgreSQL cannot run here, or no longer. The message names DATABASE_URL as the way out. */
class EmbeddedPostgresFault extends Error {
  override name = "EmbeddedPostgresFault";
}

const firstPort = 54_329;
const host = "127.0.0.1";
const user = "tidemark";
const database = "tidemark";
/** Limits in milliseconds. A server that was killed leaves memory that takes a moment to be given back. */
const limits = { connect: 3_000, initdb: 120_000, start: 60_000, stop: 20_000, retries: 30, retryEvery: 500 };
/** A log over this many bytes is put aside at the next start; one old log is kept. */
const logBytes = 8 << 20;

interface Home {
  cluster: string;
  passwordFile: string;
  logFile: string;
}

function homeIn(dataDir: string): Home {
  const root = resolve(dataDir);
  return {
    cluster: join(root, "postgres"),
    passwordFile: join(root, "postgres.password"),
    logFile: join(root, "postgres.log"),
  };
}

/**
 * Starts the PostgreSQL of a data directory, or takes over the one that runs there.
 * @throws EmbeddedPostgresFault when PostgreSQL cannot run here
 * @throws DataDirInUse when another living process looks after this directory
 */
export async function startEmbeddedPostgres(options: {
  dataDir: string;
  log: (line: string) => void;
}): Promise<EmbeddedPostgres> {
  const { log } = options;
  const home = homeIn(options.dataDir);
  makeDataDir(resolve(options.dataDir));
  const lock = lockDataDir(resolve(options.dataDir));
  try {
    const runner = await openCluster(home, options.dataDir);
    const adopted = await answers(home);
    if (!adopted) await start(home, runner, log);
    try {
      await createDatabase(home);
    } catch (error) {
      if (!adopted) await stop(home, runner);
      throw error;
    }
    log(`PostgreSQL ${adopted ? "was running and is taken over" : "started"}, port ${portOf(home)}.`);
    return supervise(home, runner, adopted, lock, log);
  } catch (error) {
    lock.release();
    throw error;
  }
}

/**
 * Makes the folder one level at a time (a recursive mkdir under /proc never returns) and tries a file in it.
 * @throws EmbeddedPostgresFault when there can be no folder in which files can be made
 */
function makeDataDir(folder: string): void {
  try {
    makeFolder(folder);
    const trial = join(folder, `.tidemark-trial.${process.pid}`);
    writeFileSync(trial, "");
    rmSync(trial, { force: true });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new EmbeddedPostgresFault(
      `The data directory ${folder} cannot be used: ${why}. Set DATA_DIR (or dataDir in the settings file) to a folder that this user can write to, or DATABASE_URL to a PostgreSQL of yours.`,
    );
  }
}

function makeFolder(folder: string): void {
  const there = statSync(folder, { throwIfNoEntry: false });
  if (there?.isDirectory()) return;
  if (there) throw new Error(`${folder} is not a folder`);
  const parent = dirname(folder);
  if (parent !== folder) makeFolder(parent);
  try {
    mkdirSync(folder, { mode: 0o755 });
  } catch (error) {
    // Another start may have made it at the same moment.
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}

function supervise(
  home: Home,
  runner: PostgresRunner,
  adopted: boolean,
  lock: { release(): void },
  log: (line: string) => void,
): EmbeddedPostgres {
  let starting: Promise<void> | null = null;
  return {
    get url() {
      return urlOf(home, database);
    },
    adopted,
    alive: () => answers(home),
    async ensure() {
      starting ??= restartIfSilent(home, runner, log).finally(() => {
        starting = null;
      });
      await starting;
    },
    async stop() {
      await starting?.catch(() => undefined);
      await stop(home, runner);
      lock.release();
    },
    abandon: () => lock.release(),
  };
}

/** The address of the embedded PostgreSQL that runs in a data directory; null when none does. */
export async function runningEmbeddedPostgres(dataDir: string): Promise<string | null> {
  const home = homeIn(dataDir);
  return (await answers(home)) ? urlOf(home, database) : null;
}

async function restartIfSilent(home: Home, runner: PostgresRunner, log: (line: string) => void) {
  if (await answers(home)) return;
  log("PostgreSQL does not answer; starting it again.");
  await start(home, runner, log);
  await createDatabase(home);
  log(`PostgreSQL is back, port ${portOf(home)}.`);
}

/** Finds the way to run PostgreSQL that this cluster accepts; makes the cluster if there is none. */
async function openCluster(home: Home, dataDir: string): Promise<PostgresRunner> {
  if (!existsSync(home.passwordFile)) {
    writeFileSync(home.passwordFile, `${randomBytes(24).toString("hex")}\n`, { mode: 0o600 });
  }
  const problems: string[] = [];
  for (const runner of postgresRunners()) {
    const problem = existsSync(home.cluster) ? await refusal(home, runner) : await initialise(home, runner);
    if (problem === null) return runner;
    problems.push(`${runner.name}: ${problem}`);
  }
  throw new EmbeddedPostgresFault(
    `PostgreSQL cannot run here with its data in ${dataDir}. Set DATABASE_URL to a PostgreSQL of yours instead.\n${problems.join("\n")}`,
  );
}

/** Why this runner cannot use the cluster; null when it can. pg_ctl(1): 0 running, 3 not running, 4 no access. */
async function refusal(home: Home, runner: PostgresRunner): Promise<string | null> {
  const result = await runner.run(postgresProgram("pg_ctl"), ["status", "-D", home.cluster]);
  if (result.status === 0 || result.status === 3) return null;
  return firstLines(result.stderr);
}

/** Made beside and moved into place when whole: a kill in the middle leaves no half cluster. */
async function initialise(home: Home, runner: PostgresRunner): Promise<string | null> {
  const draft = `${home.cluster}.new`;
  rmSync(draft, { recursive: true, force: true });
  const passwordCopy = `${home.passwordFile}.new`;
  writeFileSync(passwordCopy, readFileSync(home.passwordFile), { mode: 0o600 });
  try {
    runner.own(draft);
    runner.ownFile(passwordCopy);
    const result = await runner.run(
      postgresProgram("initdb"),
      [
        ...["-D", draft, "-U", user, "-A", "scram-sha-256", `--pwfile=${passwordCopy}`],
        ...["--encoding=UTF8", "--locale=C", "--no-instructions"],
      ],
      limits.initdb,
    );
    if (result.status !== 0) return firstLines(result.stderr);
    renameSync(draft, home.cluster);
    return null;
  } finally {
    rmSync(passwordCopy, { force: true });
    rmSync(draft, { recursive: true, force: true });
  }
}

async function stop(home: Home, runner: PostgresRunner): Promise<void> {
  const how = ["stop", "-m", "fast", "-w", "-t", "15", "-D", home.cluster];
  await runner.run(postgresProgram("pg_ctl"), how, limits.stop);
}

async function start(home: Home, runner: PostgresRunner, log: (line: string) => void): Promise<void> {
  await needPassword(home, runner);
  putLogAside(home.logFile);
  writeFileSync(home.logFile, "", { flag: "a", mode: 0o600 });
  runner.ownFile(home.logFile);
  let wanted = portOf(home) ?? firstPort;
  for (let attempt = 1; ; attempt++) {
    const port = await freePort(wanted);
    if (port === null)
      throw new EmbeddedPostgresFault("No port of the loopback interface is free for PostgreSQL.");
    wanted = port;
    const result = await runner.run(
      postgresProgram("pg_ctl"),
      ["start", "-w", "-s", "-t", "50", "-D", home.cluster, "-l", home.logFile, "-o", serverOptions(wanted)],
      limits.start,
    );
    if (result.status === 0) return;
    if (attempt === 1) log(`PostgreSQL did not start yet: ${firstLines(result.stderr)}`);
    if (attempt >= limits.retries) {
      throw new EmbeddedPostgresFault(
        `PostgreSQL does not start: ${firstLines(result.stderr)} Its log is ${home.logFile}. Mend the cause, or set DATABASE_URL to a PostgreSQL of yours.`,
      );
    }
    await sleep(limits.retryEvery);
  }
}

/** A server of this cluster that runs and refuses our password can be neither used nor started. @throws EmbeddedPostgresFault */
async function needPassword(home: Home, runner: PostgresRunner): Promise<void> {
  if ((await logIn(home)) !== "refused") return;
  const { status } = await runner.run(postgresProgram("pg_ctl"), ["status", "-D", home.cluster]);
  if (status === 0) throw wrongPassword(home);
}

function wrongPassword(home: Home): EmbeddedPostgresFault {
  return new EmbeddedPostgresFault(
    `PostgreSQL in ${home.cluster} refuses the password in ${home.passwordFile}: the file was changed or made anew. Put its former content back. If that is lost, end what runs there, move ${home.cluster} aside and start again with an empty database, or set DATABASE_URL to a PostgreSQL of yours.`,
  );
}

function serverOptions(port: number): string {
  const settings = {
    listen_addresses: host,
    unix_socket_directories: "",
    cluster_name: embeddedName,
    shared_buffers: "64MB",
    max_connections: "60",
    log_timezone: "UTC",
  };
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  return [`-p ${port}`, ...options].join(" ");
}

/** The port in postmaster.pid, fourth line; it stays after a kill. Null: never started, or stopped in order. */
function portOf(home: Home): number | null {
  try {
    const [, , , port] = readFileSync(join(home.cluster, "postmaster.pid"), "utf8").split("\n");
    return Number(port) || null;
  } catch {
    return null;
  }
}

function urlOf(home: Home, name: string): string {
  const password = readFileSync(home.passwordFile, "utf8").trim();
  return `postgresql://${user}:${password}@${host}:${portOf(home) ?? firstPort}/${name}`;
}

/**
 * A log-in decides: the pid in postmaster.pid may have been given again, the port may be somebody else's. The password
 * is random, so a server that takes it is ours.
 */
async function answers(home: Home): Promise<boolean> {
  return (await logIn(home)) === "well";
}

/** `refused`: a server is there and does not take the password. */
async function logIn(home: Home): Promise<"well" | "refused" | "silent"> {
  if (portOf(home) === null || !existsSync(home.passwordFile)) return "silent";
  const client = new Client({
    connectionString: urlOf(home, "postgres"),
    connectionTimeoutMillis: limits.connect,
    query_timeout: limits.connect,
  });
  client.on("error", () => undefined);
  try {
    await client.connect();
    return "well";
  } catch (error) {
    if (isWrongPassword(error)) return "refused";
    // 57P03: starting up or in recovery. 53300: all connections taken. Both are said by a living server.
    const alive = error instanceof DatabaseError && (error.code === "57P03" || error.code === "53300");
    return alive ? "well" : "silent";
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** 28P01 and 28000: invalid password, invalid authorization. */
function isWrongPassword(error: unknown): boolean {
  return error instanceof DatabaseError && (error.code === "28P01" || error.code === "28000");
}

async function createDatabase(home: Home): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const client = new Client({
      connectionString: urlOf(home, "postgres"),
      connectionTimeoutMillis: limits.connect,
    });
    client.on("error", () => undefined);
    try {
      await client.connect();
      const { rowCount } = await client.query("SELECT FROM pg_database WHERE datname = $1", [database]);
      if (rowCount === 0) await client.query(`CREATE DATABASE ${database}`);
      return;
    } catch (error) {
      if (isWrongPassword(error)) throw wrongPassword(home);
      if (attempt >= limits.retries) throw error;
      await sleep(limits.retryEvery);
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

function putLogAside(file: string): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size > logBytes) renameSync(file, `${file}.1`);
}

function firstLines(text: string): string {
  return text.trim().split("\n").slice(0, 4).join(" ").slice(0, 400);
}
