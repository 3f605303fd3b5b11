import { type ConnectorState, connectorStates } from "./connect-rest";
import type { Lab } from "./lab";
import { expected } from "./open-lab";
import { isAlive } from "./processes";
import { sayStates } from "./running";
import { readState } from "./state";

/** What runs of a lab. */
export interface LabStatus {
  folder: string;
  processes: { name: string; running: boolean; pid: number | null; port: number }[];
  connectUrl: string;
  brokers: string[];
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
    return { name, running, pid: running ? recorded.pid : null, port };
  });
  return {
    folder: lab.places.root,
    processes,
    connectUrl: lab.connectUrl,
    brokers: lab.brokers,
    flushIntervalMs: state.flushIntervalMs,
    exactlyOnce: state.exactlyOnce,
    versions: state.versions,
    connectors: isAlive(state.processes.connect) ? await connectorStates(lab.connectUrl) : null,
  };
}

/** The status for a person. */
export function sayStatus(status: LabStatus): string {
  const lines = status.processes.map(({ name, running, pid, port }) => {
    const what = running ? `running on 127.0.0.1:${port}, process ${pid}` : "down";
    return `${name.padEnd(9)} ${what}`;
  });
  const exactlyOnce = status.exactlyOnce ? "on" : "off";
  lines.push(`worker    flush interval ${status.flushIntervalMs} ms, exactly-once ${exactlyOnce}`);
  lines.push(`connectors ${sayStates(status.connectors)}`);
  lines.push(`folder    ${status.folder}`);
  return lines.join("\n");
}
