import { startBroker } from "./broker";
import { startConnect } from "./connect";
import { type AvroDownloads, download, downloadAvro } from "./downloads";
import { startMariadb } from "./mariadb";
import type { Places } from "./places";
import { startPostgres } from "./postgres";
import { isAlive } from "./processes";
import { type Log, step } from "./progress";
import { startRegistry } from "./registry";
import {
  BROKER_NAMES,
  type BrokerName,
  type LabState,
  type ProcessName,
  requireState,
  WORKER_NAMES,
  type WorkerName,
} from "./state";

/** Starts one process of a lab that was up before, unless it runs. @throws LabFault */
export async function startProcess(places: Places, name: ProcessName, log: Log): Promise<void> {
  const state = requireState(places);
  if (isAlive(state.processes[name])) return;
  await step(log, `starting ${name} on port ${portOf(state, name)}`, () => START[name](places, state, log));
}

type Start = (places: Places, state: LabState, log: Log) => Promise<void>;

const START_BROKER = Object.fromEntries(
  BROKER_NAMES.map((name): [BrokerName, Start] => [
    name,
    async (places, state, log) => startBroker(places, state, await download(places, log), name),
  ]),
) as Record<BrokerName, Start>;

const START_WORKER = Object.fromEntries(
  WORKER_NAMES.map((name): [WorkerName, Start] => [
    name,
    async (places, state, log) =>
      startConnect(places, state, await download(places, log), await avroDownloads(places, state, log), name),
  ]),
) as Record<WorkerName, Start>;

const START: Record<ProcessName, Start> = {
  ...START_BROKER,
  ...START_WORKER,
  postgres: (places, state) => startPostgres(places, state.ports),
  mariadb: (places, state) => startMariadb(places, state.ports),
  registry: async (places, state, log) => startRegistry(places, state.ports, await downloadAvro(places, log)),
};

async function avroDownloads(places: Places, state: LabState, log: Log): Promise<AvroDownloads | null> {
  return state.avro ? downloadAvro(places, log) : null;
}

function portOf(state: LabState, name: ProcessName): number {
  return state.ports[name === "broker" ? "kafka" : name];
}
