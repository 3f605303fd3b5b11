import { existsSync, readFileSync } from "node:fs";
import { connectUrlOf } from "./connect";
import { type ConnectorState, connectorStates, isRunning } from "./connect-rest";
import { connectorNames } from "./connectors";
import { faultWithLog } from "./fault";
import type { Places } from "./places";
import { logOf } from "./processes";
import { until } from "./progress";
import { requireState } from "./state";

/** Waits until the lab's connectors and their tasks run. @throws LabFault with their states and Connect's log */
export async function waitRunning(places: Places, timeoutMs: number): Promise<void> {
  const state = requireState(places);
  const wanted = connectorNames(state);
  let last: ConnectorState[] | null = null;
  await until(
    async () => {
      last = await connectorStates(connectUrlOf(state));
      return wanted.every(
        (name) => last?.some((one) => one.name === name && isRunning(one)) && hasStarted(places, name),
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
 * Whether the task has started in this run of the worker. After a kill, Connect goes on to say RUNNING from its status
 * topic until the new worker has taken the task; the log of this run (`AbstractWorkerSourceTask`) knows better.
 */
function hasStarted(places: Places, name: string): boolean {
  const log = logOf(places, "connect");
  const line = `SourceTask{id=${name}-0} Source task finished initialization`;
  return existsSync(log) && readFileSync(log, "utf8").includes(line);
}

/**
 * Waits until each connector streams: its initial snapshot is done, so all that is written from now on is an event.
 * @throws LabFault
 */
export async function waitStreaming(places: Places, timeoutMs: number): Promise<void> {
  const connectors = connectorNames(requireState(places)).length;
  const log = logOf(places, "connect");
  const line = "Starting streaming (io.debezium.pipeline.ChangeEventSourceCoordinator)";
  await until(
    async () => (readFileSync(log, "utf8").split(line).length > connectors ? true : null),
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
