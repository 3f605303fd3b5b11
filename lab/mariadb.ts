import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Connection, createConnection } from "mariadb";
import { faultWithLog, LabFault, sayError } from "./fault";
import { findProgram } from "./mariadb-install";
import { ordinaryUser } from "./ordinary-user";
import type { Places } from "./places";
import type { LabPorts } from "./ports";
import { isAlive, launch, logOf, markedEnvironment } from "./processes";
import { until } from "./progress";
import { MARIADB_SCHEMA } from "./schema-mariadb";
import { secretsOf } from "./state";

/** Starts the source MariaDB, made with its schema the first time. @throws LabFault */
export async function startMariadb(places: Places, ports: LabPorts): Promise<void> {
  const folder = join(places.data, "mariadb");
  const settings = writeSettings(places, ports, folder);
  const user = ordinaryUser();
  if (!existsSync(join(folder, "mysql"))) await initialise(places, folder, settings);
  const recorded = await launch(
    places,
    "mariadb",
    user.launch(findProgram("mariadbd") ?? "mariadbd", [`--defaults-file=${settings}`]),
  );
  const log = logOf(places, "mariadb");
  await until(
    async () => {
      if (!isAlive(recorded)) throw faultWithLog("MariaDB ended while it started.", log);
      return (await answers(places, ports)) ? true : null;
    },
    60_000,
    () => faultWithLog("MariaDB does not answer after 60 s.", log),
  );
  await createSchema(places, ports);
}

/** A connection as the owner of everything. The caller ends it. */
export async function mariadbClient(
  places: Places,
  ports: LabPorts,
  database: string | undefined = "inventory",
): Promise<Connection> {
  const client = await createConnection({
    host: "127.0.0.1",
    port: ports.mariadb,
    user: "lab",
    password: secretsOf(places).admin,
    ...(database ? { database } : {}),
    connectTimeout: 5_000,
    bigIntAsNumber: true,
    insertIdAsNumber: true,
  });
  // A server that is killed would otherwise end this program by an unheard error.
  client.on("error", () => {});
  return client;
}

async function answers(places: Places, ports: LabPorts): Promise<boolean> {
  try {
    const client = await mariadbClient(places, ports, "");
    await client.end();
    return true;
  } catch {
    return false;
  }
}

async function initialise(places: Places, folder: string, settings: string): Promise<void> {
  const user = ordinaryUser();
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  user.own(folder);
  const options = ["--auth-root-authentication-method=normal", "--skip-test-db"];
  try {
    const program = findProgram("mariadb-install-db") ?? "mariadb-install-db";
    await user.run(program, [`--defaults-file=${settings}`, ...options], markedEnvironment(places));
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw new LabFault(`MariaDB's data folder could not be made: ${sayError(error)}`);
  }
}

function writeSettings(places: Places, ports: LabPorts, folder: string): string {
  const settings = join(places.run, "mariadb.cnf");
  const users = join(places.run, "mariadb-users.sql");
  const secrets = secretsOf(places);
  // Run at each start; kept out of the binlog, which only the lab's changes should fill.
  const statements = [
    "SET SESSION sql_log_bin=0;",
    `CREATE USER IF NOT EXISTS 'lab'@'127.0.0.1' IDENTIFIED BY '${secrets.admin}';`,
    "GRANT ALL PRIVILEGES ON *.* TO 'lab'@'127.0.0.1' WITH GRANT OPTION;",
    `CREATE USER IF NOT EXISTS 'cdc'@'127.0.0.1' IDENTIFIED BY '${secrets.cdc}';`,
    "GRANT SELECT, RELOAD, SHOW DATABASES, LOCK TABLES, REPLICATION SLAVE, BINLOG MONITOR, SLAVE MONITOR ON *.* TO 'cdc'@'127.0.0.1';",
    "GRANT ALL PRIVILEGES ON inventory.* TO 'cdc'@'127.0.0.1';",
    `ALTER USER 'root'@'localhost' IDENTIFIED BY '${secrets.admin}';`,
  ];
  writeFileSync(users, `${statements.join("\n")}\n`, { mode: 0o600 });
  ordinaryUser().own(users);
  writeFileSync(
    settings,
    `[mariadbd]
datadir=${folder}
port=${ports.mariadb}
bind-address=127.0.0.1
socket=${join(tmpdir(), `tidemark-lab-${ports.mariadb}.sock`)}
init-file=${users}
server-id=223344
log-bin=binlog
binlog_format=ROW
binlog_row_image=FULL
gtid_domain_id=0
log_slave_updates=ON
innodb_buffer_pool_size=64M
innodb_flush_log_at_trx_commit=2
sync_binlog=0
performance_schema=OFF
skip-name-resolve
`,
  );
  return settings;
}

async function createSchema(places: Places, ports: LabPorts): Promise<void> {
  const client = await mariadbClient(places, ports, "");
  try {
    const found = await client.query(
      "SELECT 1 FROM information_schema.tables WHERE table_schema = 'inventory' AND table_name = 'change_numbers'",
    );
    if (found.length > 0) return;
    for (const statement of MARIADB_SCHEMA) await client.query(statement);
  } finally {
    await client.end();
  }
}
