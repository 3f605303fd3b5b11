import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { grant, READ_ONLY } from "./access";
import { kafkaClient } from "./broker";
import { registerConnectors } from "./connectors";
import { stopProcess } from "./down";
import { download, downloadAvro, versionOf } from "./downloads";
import { LabFault } from "./fault";
import { canInstallMariadb, haveMariadb, installMariadb } from "./mariadb-install";
import { NO_MARIADB, requireNeeds } from "./needs";
import type { Places } from "./places";
import { choosePorts, isFree, type LabPorts, USUAL_PORTS } from "./ports";
import { isAlive } from "./processes";
import { type Log, step } from "./progress";
import { portsOfOtherLabs, reserving } from "./reservations";
import { waitRunning, waitStreaming } from "./running";
import { startProcess } from "./start";
import {
  changeState,
  expected,
  type LabState,
  newState,
  type ProcessName,
  readState,
  requireState,
  secretsOf,
  WORKER_NAMES,
  workersOf,
  writeState,
} from "./state";
import { startWatcher, type Watcher } from "./watch";

export interface UpOptions {
  /** Wished ports; the next free ones are taken where one is not free. */
  ports?: Partial<LabPorts>;
  /** False leaves MariaDB out. */
  mariadb?: boolean;
  /** The broker asks for a login and for rights; `tidemark` may read and describe. */
  secure?: boolean;
  /** A schema registry, and a connector that writes Avro. A lab that had them keeps them. */
  avro?: boolean;
  /** Nothing but the broker, or brokers. */
  only?: "broker" | undefined;
  /** How many brokers, 1 to 3. A lab that had more keeps them. */
  brokers?: number;
  /** How many Connect workers, 1 to 3; absent: as many as it had. */
  workers?: number | undefined;
  log?: Log;
  /** False leaves a lab that was up already as it is, however this process ends. */
  hold?: boolean;
}

/**
 * Brings the lab up, or what is missing of it, and waits until its connectors run. Until the returned watcher is
 * released, the lab ends with this process, however that ends.
 * @throws LabFault
 */
export async function bringUp(places: Places, options: UpOptions): Promise<Watcher> {
  const log = options.log ?? (() => {});
  requireNeeds(options.mariadb !== false && !options.only, options.avro);
  for (const folder of [places.data, places.logs, places.run]) mkdirSync(folder, { recursive: true });
  await prepareState(places, options);
  await decideParts(places, options);
  const state = changeState(places, (now) => {
    now.marker = anyAlive(now) ? now.marker : randomUUID();
  });
  const watcher = options.hold === false ? { release: () => {} } : startWatcher(places, state.marker);
  await download(places, log);
  if (requireState(places).avro) await downloadAvro(places, log);
  const withMariadb = await decideMariadb(places, options, log);
  const decided = changeState(places, (now) => {
    now.mariadb = withMariadb;
    now.versions = versions(now);
  });
  const servers = expected(decided).filter((name) => !isWorker(name));
  await Promise.all(servers.map((name) => startProcess(places, name, log)));
  if (decided.secure) await grant(kafkaClient(places), READ_ONLY);
  if (!decided.brokerOnly) await startPipeline(places, log);
  return watcher;
}

async function startPipeline(places: Places, log: Log): Promise<void> {
  const workers = workersOf(requireState(places));
  await Promise.all(workers.map((name) => startProcess(places, name, log)));
  const now = requireState(places);
  await step(log, "starting the connectors", async () => {
    await registerConnectors(places, now);
    await waitRunning(places, 120_000);
    await waitStreaming(places, 120_000);
  });
}

/** Which parts this lab has. @throws LabFault where what runs would have to change its ways */
async function decideParts(places: Places, options: UpOptions): Promise<void> {
  const before = requireState(places);
  const alive = anyAlive(before);
  if (options.secure && !before.secure && isAlive(before.processes.broker)) {
    throw new LabFault(
      "The lab is up with a broker that asks for no login. First: npm run lab -- down (data stay)",
    );
  }
  // The worker finds the Avro converter only when it starts.
  const workers = options.workers ?? before.workers;
  const ending = options.avro && !before.avro ? WORKER_NAMES : WORKER_NAMES.slice(workers);
  await Promise.all(ending.map((name) => stopProcess(places, name, 30_000)));
  changeState(places, (now) => {
    now.secure = alive ? now.secure : (options.secure ?? false);
    now.avro ||= options.avro ?? false;
    now.brokers = Math.max(now.brokers, options.brokers ?? 1);
    now.workers = workers;
    now.brokerOnly = options.only === "broker" && (!alive || now.brokerOnly);
  });
}

function isWorker(name: ProcessName): boolean {
  return WORKER_NAMES.some((worker) => worker === name);
}

function anyAlive(state: LabState): boolean {
  return Object.values(state.processes).some((recorded) => isAlive(recorded));
}

/** Ports stay while anything of the lab is alive; a lab that is all down chooses again, its old ports first. */
async function prepareState(places: Places, options: UpOptions): Promise<void> {
  secretsOf(places);
  const before = readState(places);
  if (before && anyAlive(before)) return;
  await reserving(places, async () => {
    const others = portsOfOtherLabs(places);
    const free = async (port: number) => !others.has(port) && (await isFree(port));
    const ports = await choosePorts({ ...USUAL_PORTS, ...before?.ports, ...options.ports }, free);
    writeState(places, { ...(before ?? newState(ports)), ports, processes: {} });
  });
}

async function decideMariadb(places: Places, options: UpOptions, log: Log): Promise<boolean> {
  if (options.mariadb === false || options.only) return false;
  if (haveMariadb()) return true;
  const why = canInstallMariadb() ? await installMariadb(places, log) : NO_MARIADB;
  if (why === null) return true;
  log(why === NO_MARIADB ? why : `${why}\nOnly the PostgreSQL half runs.`);
  return false;
}

function versions(state: LabState): Record<string, string> {
  return {
    ...(state.avro ? { apicurio: versionOf("apicurio.version") } : {}),
    kafka: versionOf("kafka.version"),
    debeziumPostgres: versionOf("debezium.postgres.version"),
    debeziumMariadb: versionOf("debezium.mariadb.version"),
  };
}
