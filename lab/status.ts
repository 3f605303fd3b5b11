import { answeringUrlOf } from "./connect";
import { type ConnectorState, connectorStates } from "./connect-rest";
import type { Lab } from "./lab";
import { isAlive, isFrozen } from "./processes";
import { sayStates } from "./running";
import { expected, readState, workersOf } from "./state";

/** What runs of a lab. */
export interface LabStatus {
  folder: string;
  processes: { name: string; running: boolean; frozen: boolean; pid: number | null; port: number }[];
  connectUrl: string;
  brokers: string[];
  registryUrl: string | null;
  /** Whether the broker asks for a login and for rights. */
  secure: boolean;
  /** Whether the brokers are all there is. */
  brokerOnly: boolean;
  flushIntervalMs: number;
  exactlyOnce: boolean;
  versions: Record<string, string>;
  /** Null while Connect does not answer. */
  connectors: ConnectorState[] | null;
}

/** Looks at the lab; null where none was ever up. */
export async function statusOf(lab: Lab): Promise<LabStatus | null> {
  const state = readState(lab.places);
  if (!state) return null;
  const processes = expected(state).map((name) => {
    const recorded = state.processes[name];
    const running = isAlive(recorded);
    const port = state.ports[name === "broker" ? "kafka" : name];
    return { name, running, frozen: isFrozen(recorded), pid: running ? recorded.pid : null, port };
  });
  return {
    folder: lab.places.root,
    processes,
    connectUrl: lab.connectUrl,
    brokers: lab.brokers,
    registryUrl: lab.registryUrl,
    secure: state.secure,
    brokerOnly: state.brokerOnly,
    flushIntervalMs: state.flushIntervalMs,
    exactlyOnce: state.exactlyOnce,
    versions: state.versions,
    connectors: workersOf(state).some((name) => isAlive(state.processes[name]))
      ? await connectorStates(answeringUrlOf(state))
      : null,
  };
}

/** The status for a person. */
export function sayStatus(status: LabStatus): string {
  const lines = status.processes.map(({ name, running, frozen, pid, port }) => {
    const what = running ? `${frozen ? "frozen" : "running"} on 127.0.0.1:${port}, process ${pid}` : "down";
    return `${name.padEnd(9)} ${what}`;
  });
  if (status.secure) lines.push(`access    by login and ACLs; users admin and tidemark`);
  if (status.registryUrl) lines.push(`schemas   ${status.registryUrl}`);
  if (!status.brokerOnly) lines.push(...sayWorker(status));
  lines.push(`folder    ${status.folder}`);
  return lines.join("\n");
}

function sayWorker(status: LabStatus): string[] {
  const exactlyOnce = status.exactlyOnce ? "on" : "off";
  return [
    `worker    flush interval ${status.flushIntervalMs} ms, exactly-once ${exactlyOnce}`,
    `connectors ${sayStates(status.connectors)}`,
  ];
}
