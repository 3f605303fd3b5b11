import { LabFault, sayError } from "./fault";

/** An answer of Connect's REST interface: any status, the body parsed when it is JSON. */
export interface RestAnswer {
  status: number;
  body: unknown;
}

/** One request to Connect. @throws LabFault when there is no answer within 30 s */
export async function askConnect(
  connectUrl: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<RestAnswer> {
  try {
    const response = await fetch(`${connectUrl}${path}`, {
      method,
      redirect: "error",
      signal: AbortSignal.timeout(30_000),
      ...(body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
    });
    const text = await response.text();
    return { status: response.status, body: parse(text) };
  } catch (error) {
    throw new LabFault(`Kafka Connect does not answer at ${connectUrl}${path}: ${sayError(error)}`);
  }
}

function parse(text: string): unknown {
  if (text === "") return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** What a connector and its tasks are said to be. */
export interface ConnectorState {
  name: string;
  connector: string;
  tasks: string[];
  /** Address of the worker that each task is said to be on, in the order of `tasks`. */
  workers: string[];
  /** The first failed task's stack trace. */
  trace: string | null;
}

interface StatusAnswer {
  status?: {
    connector?: { state?: string; trace?: string };
    tasks?: { state?: string; trace?: string; worker_id?: string }[];
  };
}

/** All connectors with their states, by name. Null when Connect does not answer (yet). */
export async function connectorStates(connectUrl: string): Promise<ConnectorState[] | null> {
  const answer = await askConnect(connectUrl, "GET", "/connectors?expand=status").catch(() => null);
  if (answer?.status !== 200) return null;
  const connectors = Object.entries(answer.body as Record<string, StatusAnswer>);
  return connectors
    .map(([name, { status }]) => ({
      name,
      connector: status?.connector?.state ?? "UNKNOWN",
      tasks: (status?.tasks ?? []).map((task) => task.state ?? "UNKNOWN"),
      workers: (status?.tasks ?? []).map((task) => task.worker_id ?? "unknown"),
      trace: status?.connector?.trace ?? status?.tasks?.find((task) => task.trace)?.trace ?? null,
    }))
    .sort((a, b) => a.name.localeCompare(b.name));
}

/** Whether the connector and at least one task run, and no task does not. */
export function isRunning(state: ConnectorState): boolean {
  return (
    state.connector === "RUNNING" && state.tasks.length > 0 && state.tasks.every((task) => task === "RUNNING")
  );
}
