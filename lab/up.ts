import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { registerConnectors } from "./connectors";
import { download, versionOf } from "./downloads";
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
  type LabState,
  newState,
  readState,
  requireState,
  secretsOf,
  writeState,
} from "./state";
import { startWatcher, type Watcher } from "./watch";

export interface UpOptions {
  /** Wished ports; the next free ones are taken where one is not free. */
  ports?: Partial<LabPorts>;
  /** False leaves MariaDB out. */
  mariadb?: boolean;
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
  requireNeeds(options.mariadb !== false);
  for (const folder of [places.data, places.logs, places.run]) mkdirSync(folder, { recursive: true });
  await prepareState(places, options);
  const state = changeState(places, (now) => {
    now.marker = anyAlive(now) ? now.marker : randomUUID();
  });
  const watcher = options.hold === false ? { release: () => {} } : startWatcher(places, state.marker);
  await download(places, log);
  const withMariadb = await decideMariadb(places, options, log);
  changeState(places, (now) => {
    now.mariadb = withMariadb;
    now.versions = versions();
  });
  await Promise.all([
    startProcess(places, "broker", log),
    startProcess(places, "postgres", log),
    ...(withMariadb ? [startProcess(places, "mariadb", log)] : []),
  ]);
  await startProcess(places, "connect", log);
  const now = requireState(places);
  await step(log, "starting the connectors", async () => {
    await registerConnectors(places, now);
    await waitRunning(places, 120_000);
    await waitStreaming(places, 120_000);
  });
  return watcher;
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
  if (options.mariadb === false) return false;
  if (haveMariadb()) return true;
  const why = canInstallMariadb() ? await installMariadb(places, log) : NO_MARIADB;
  if (why === null) return true;
  log(why === NO_MARIADB ? why : `${why}\nOnly the PostgreSQL half runs.`);
  return false;
}

function versions(): Record<string, string> {
  return {
    kafka: versionOf("kafka.version"),
    debeziumPostgres: versionOf("debezium.postgres.version"),
    debeziumMariadb: versionOf("debezium.mariadb.version"),
  };
}
