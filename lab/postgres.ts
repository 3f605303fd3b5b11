import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { postgresProgram } from "@/lib/store/postgres-binaries";
import { faultWithLog, LabFault, sayError } from "./fault";
import { ordinaryUser } from "./ordinary-user";
import type { Places } from "./places";
import type { LabPorts } from "./ports";
import { isAlive, launch, logOf, markedEnvironment, waitGone } from "./processes";
import { until } from "./progress";
import { postgresSchema } from "./schema-postgres";
import { secretsOf } from "./state";

const SETTINGS = [
  "listen_addresses=127.0.0.1",
  "unix_socket_directories=",
  "wal_level=logical",
  "max_replication_slots=10",
  "max_wal_senders=10",
  "shared_buffers=64MB",
  // A killed process loses nothing by this; a killed machine would.
  "fsync=off",
];

/** Starts the source PostgreSQL, made with its schema the first time. @throws LabFault */
export async function startPostgres(places: Places, ports: LabPorts): Promise<void> {
  const folder = join(places.data, "postgres");
  const user = ordinaryUser();
  if (!existsSync(join(folder, "PG_VERSION"))) await initialise(places, folder);
  const args = [
    "-D",
    folder,
    "-p",
    String(ports.postgres),
    ...SETTINGS.flatMap((setting) => ["-c", setting]),
  ];
  const log = logOf(places, "postgres");
  // After a kill the old shared memory stays in use until its last process has noticed: try again for a while.
  const end = Date.now() + 20_000;
  for (;;) {
    const recorded = await launch(places, "postgres", user.launch(postgresProgram("postgres"), args));
    const up = await until(
      async () => (isAlive(recorded) ? ((await answers(places, ports)) ? "up" : null) : "ended"),
      60_000,
      () => faultWithLog("PostgreSQL does not answer after 60 s.", log),
    );
    if (up === "up") break;
    if (Date.now() > end) throw faultWithLog("PostgreSQL ended while it started.", log);
    await waitGone(recorded, 1_000);
  }
  await createSchema(places, ports);
}

/** A connection as the owner of everything. The caller ends it. */
export async function postgresClient(places: Places, ports: LabPorts, database = "shop"): Promise<pg.Client> {
  const client = new pg.Client({
    host: "127.0.0.1",
    port: ports.postgres,
    user: "lab",
    password: secretsOf(places).admin,
    database,
    connectionTimeoutMillis: 5_000,
    application_name: "tidemark-lab",
  });
  // A server that is killed would otherwise end this program by an unheard error.
  client.on("error", () => {});
  await client.connect();
  return client;
}

async function answers(places: Places, ports: LabPorts): Promise<boolean> {
  try {
    const client = await postgresClient(places, ports, "postgres");
    await client.end();
    return true;
  } catch {
    return false;
  }
}

async function initialise(places: Places, folder: string): Promise<void> {
  const user = ordinaryUser();
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  user.own(folder);
  const passwordFile = join(places.run, "postgres.password");
  writeFileSync(passwordFile, secretsOf(places).admin, { mode: 0o600 });
  user.own(passwordFile);
  const options = [
    "-U",
    "lab",
    "-A",
    "scram-sha-256",
    `--pwfile=${passwordFile}`,
    "--locale=C",
    "--encoding=UTF8",
  ];
  try {
    const args = ["-D", folder, "-N", ...options];
    await user.run(postgresProgram("initdb"), args, markedEnvironment(places));
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw new LabFault(`PostgreSQL's data folder could not be made: ${sayError(error)}`);
  } finally {
    rmSync(passwordFile, { force: true });
  }
}

async function createSchema(places: Places, ports: LabPorts): Promise<void> {
  const admin = await postgresClient(places, ports, "postgres");
  try {
    const found = await admin.query("SELECT 1 FROM pg_roles WHERE rolname = 'cdc'");
    const password = secretsOf(places).cdc;
    if (!found.rowCount) await admin.query(`CREATE ROLE cdc LOGIN REPLICATION PASSWORD '${password}'`);
    const database = await admin.query("SELECT 1 FROM pg_database WHERE datname = 'shop'");
    if (!database.rowCount) await admin.query("CREATE DATABASE shop OWNER cdc");
  } finally {
    await admin.end();
  }
  const shop = await postgresClient(places, ports);
  try {
    const found = await shop.query("SELECT to_regclass('public.written') AS written");
    if (found.rows[0]?.written === null) await shop.query(postgresSchema());
  } finally {
    await shop.end();
  }
}
