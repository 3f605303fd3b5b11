import { existsSync, readFileSync } from "node:fs";
import { answeringUrlOf } from "./connect";
import { type ConnectorState, connectorStates, isRunning } from "./connect-rest";
import { connectorNames } from "./connectors";
import { faultWithLog } from "./fault";
import type { Places } from "./places";
import { isAlive, isFrozen, logOf } from "./processes";
import { until } from "./progress";
import { type LabState, requireState, workersOf } from "./state";

/** Waits until the lab's connectors and their tasks run. @throws LabFault with their states and Connect's log */
export async function waitRunning(places: Places, timeoutMs: number): Promise<void> {
  const state = requireState(places);
  const wanted = connectorNames(state);
  let last: ConnectorState[] | null = null;
  await until(
    async () => {
      const now = requireState(places);
      last = await connectorStates(answeringUrlOf(now));
      return wanted.every((name) =>
        last?.some((one) => one.name === name && isRunning(one) && hasStarted(places, now, one)),
      )
        ? true
        : null;
    },
    timeoutMs,
    () =>
      faultWithLog(
        `The connectors do not run after ${timeoutMs / 1_000} s: ${sayStates(last)}.`,
        logOf(places, "connect"),
      ),
    300,
  );
}

/**
 * Whether the task has started in this run of the worker that is said to have it. After a kill, Connect goes on to say
 * RUNNING from its status topic until another worker has taken the task; the log of this run (`AbstractWorkerSourceTask`)
 * knows better.
 */
function hasStarted(places: Places, state: LabState, one: ConnectorState): boolean {
  const worker = workersOf(state).find((name) => one.workers[0] === `127.0.0.1:${state.ports[name]}`);
  if (!worker || !isAlive(state.processes[worker]) || isFrozen(state.processes[worker])) return false;
  const log = logOf(places, worker);
  const line = `SourceTask{id=${one.name}-0} Source task finished initialization`;
  return existsSync(log) && readFileSync(log, "utf8").includes(line);
}

/**
 * Waits until each connector streams: its initial snapshot is done, so all that is written from now on is an event.
 * @throws LabFault
 */
export async function waitStreaming(places: Places, timeoutMs: number): Promise<void> {
  const state = requireState(places);
  const connectors = connectorNames(state).length;
  const log = logOf(places, "connect");
  const logs = workersOf(state).map((name) => logOf(places, name));
  const line = "Starting streaming (io.debezium.pipeline.ChangeEventSourceCoordinator)";
  await until(
    async () => {
      const starts = logs.map((one) =>
        existsSync(one) ? readFileSync(one, "utf8").split(line).length - 1 : 0,
      );
      return starts.reduce((sum, count) => sum + count, 0) >= connectors ? true : null;
    },
    timeoutMs,
    () => faultWithLog(`The initial snapshots are not done after ${timeoutMs / 1_000} s.`, log),
    300,
  );
}

/** Connectors and tasks with their states, on one line. */
export function sayStates(states: ConnectorState[] | null): string {
  if (states === null) return "Connect does not answer";
  if (states.length === 0) return "no connectors";
  return states
    .map((one) => `${one.name} ${one.connector}, tasks ${one.tasks.join(" ") || "none"}`)
    .join("; ");
}
