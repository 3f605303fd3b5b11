import { isJsonObject, type JsonObject, type JsonValue, stringifyJson } from "@/lib/debezium/json";
import type { ConnectorReport, RunState } from "@/lib/observed/connector";
import { maskConfig, maskText } from "./mask";

/** A stack trace is kept up to this; its causes stand at the end, so the middle is left out. */
const TRACE_HEAD = 24_000;
const TRACE_TAIL = 8_000;
/** Cut to this before it is masked; where it is cut falls into what is left out afterwards. */
const TRACE_TO_MASK = 100_000;

/**
 * Reads one entry of `GET /connectors?expand=status&expand=info`, leniently: unknown states and fields pass, a half
 * that is missing is null. Secrets are masked here: nothing unmasked leaves this function.
 * Of an entry that cannot be read (neither half, nested too deep) everything but the name is "not reported".
 */
export function readConnectorReport(name: string, entry: JsonValue): ConnectorReport {
  try {
    return reportOf(name, entry);
  } catch (error) {
    if (error instanceof RangeError) return reportOf(name, null);
    throw error;
  }
}

function reportOf(name: string, entry: JsonValue): ConnectorReport {
  const halves = isJsonObject(entry) ? entry : {};
  const status = isJsonObject(halves.status) ? halves.status : null;
  const info = isJsonObject(halves.info) ? halves.info : null;
  const masked = info && isJsonObject(info.config) ? maskConfig(configOf(info.config)) : null;
  const mask = masked?.mask ?? maskText;
  const tasks = status && Array.isArray(status.tasks) ? status.tasks.filter(isJsonObject) : null;
  return {
    name,
    type: textOf(status?.type) ?? textOf(info?.type),
    connector: status && isJsonObject(status.connector) ? runState(status.connector, mask) : null,
    tasks: tasks?.map((task, i) => ({ id: taskId(task.id) ?? i, ...runState(task, mask) })) ?? null,
    config: masked?.config ?? null,
    plaintextSecrets: masked?.plaintextSecrets ?? [],
  };
}

function runState(status: JsonObject, mask: (text: string) => string): RunState {
  const trace = textOf(status.trace);
  return {
    state: textOf(status.state) ?? "not reported",
    workerId: textOf(status.worker_id),
    version: textOf(status.version),
    trace: trace === null ? null : shortened(mask(shortened(trace, TRACE_TO_MASK, TRACE_TO_MASK))),
  };
}

function shortened(trace: string, head = TRACE_HEAD, tail = TRACE_TAIL): string {
  if (trace.length <= head + tail) return trace;
  return `${trace.slice(0, head)}\n… the middle is left out …\n${trace.slice(-tail)}`;
}

function configOf(config: JsonObject): Record<string, string | null> {
  const entries = Object.entries(config).map(([key, value]) => [key, settingText(value)] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function settingText(value: JsonValue): string | null {
  return typeof value === "string" || value === null ? value : stringifyJson(value);
}

function textOf(value: JsonValue | undefined): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

function taskId(value: JsonValue | undefined): number | null {
  return typeof value === "number" && Number.isInteger(value) ? value : null;
}
