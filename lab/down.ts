import { rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Places } from "./places";
import { endProcess, isAlive, markedProcesses } from "./processes";
import { BROKER_NAMES, changeState, PROCESS_NAMES, type ProcessName, readState, WORKER_NAMES } from "./state";

/** How a server is asked to stop: for PostgreSQL SIGTERM would wait for its clients. */
const STOP: Record<ProcessName, NodeJS.Signals> = {
  broker: "SIGTERM",
  "broker-2": "SIGTERM",
  "broker-3": "SIGTERM",
  postgres: "SIGINT",
  mariadb: "SIGTERM",
  registry: "SIGTERM",
  connect: "SIGTERM",
  "connect-2": "SIGTERM",
  "connect-3": "SIGTERM",
};

/** Ends one process of the lab gracefully, and forgets it. */
export async function stopProcess(places: Places, name: ProcessName, patienceMs: number): Promise<void> {
  await endProcess(readState(places)?.processes[name], STOP[name], patienceMs);
  forget(places, name);
}

/** Kills one process of the lab with SIGKILL, and forgets it. @returns whether it was there */
export async function killProcess(places: Places, name: ProcessName): Promise<boolean> {
  const recorded = readState(places)?.processes[name];
  const there = isAlive(recorded);
  await endProcess(recorded, "SIGKILL");
  forget(places, name);
  return there;
}

function forget(places: Places, name: ProcessName): void {
  changeState(places, (state) => {
    delete state.processes[name];
  });
}

/** Ends the whole lab: Connect first, so that it can commit its offsets, then the others, then what was left over. */
export async function downAll(places: Places, patienceMs = 15_000): Promise<void> {
  const state = readState(places);
  if (!state) return;
  const workers = new Set<ProcessName>(WORKER_NAMES);
  await Promise.all(WORKER_NAMES.map((name) => stopProcess(places, name, patienceMs)));
  const others = PROCESS_NAMES.filter((name) => !workers.has(name));
  const end = (name: ProcessName) => endProcess(readState(places)?.processes[name], STOP[name], patienceMs);
  // A broker hands its partitions over before it ends, by way of the controller, which the first one is.
  const further = Promise.all(BROKER_NAMES.filter((name) => name !== "broker").map(end));
  await Promise.all(others.map((name) => (name === "broker" ? further.then(() => end(name)) : end(name))));
  for (const name of others) forget(places, name);
  await endMarked(state.marker);
  rmSync(places.lock, { force: true });
}

/**
 * Ends what carries the mark, until nothing was found three times: a program may start another just while we look, and
 * one that is between fork and exec shows no mark.
 */
async function endMarked(marker: string): Promise<void> {
  let clean = 0;
  for (let round = 0; clean < 3 && round < 50; round++) {
    const rest = markedProcesses(marker);
    clean = rest.length === 0 ? clean + 1 : 0;
    await Promise.all(rest.map((one) => endProcess(one, "SIGKILL")));
    if (clean < 3) await sleep(50);
  }
}

/** The same in at most about ten seconds, for when whoever held the lab is dead. */
export function downFast(places: Places): Promise<void> {
  return downAll(places, 4_000);
}
