import { headerText } from "./header-values";
import { bytesOf } from "./json-bytes";
import { KnownBytes } from "./known-bytes";
import type { DebeziumRecord } from "./record-reading";

const prefix = "__debezium.context.";

/** Name of the header that holds the run id, to look for in a record's bytes. */
export const runIdHeader = bytesOf(`${prefix}runId`);

/** Which run of which task wrote a record: headers that Debezium 3.4+ gives each change (extended.headers.enabled). */
export interface RunContext {
  /** Another one at each start of a task, also of those that Connect does not see; null when the header is missing. */
  runId: string | null;
  /** topic.prefix. */
  logicalName: string | null;
  taskId: string | null;
  /** The kind of connector, `postgresql`, not its name in Connect. */
  connector: string | null;
}

const names = {
  runId: `${prefix}runId`,
  logicalName: `${prefix}connectorLogicalName`,
  taskId: `${prefix}taskId`,
  connector: `${prefix}connectorName`,
};
/** All records of a run have the same. */
const known = new KnownBytes(16, (value) => headerText([{ name: "", value }], ""));

/** Null when the record has none of these headers. */
export function runContext(headers: DebeziumRecord["headers"]): RunContext | null {
  if (!headers.some(({ name }) => name.startsWith(prefix))) return null;
  return {
    runId: text(headers, names.runId),
    logicalName: text(headers, names.logicalName),
    taskId: text(headers, names.taskId),
    connector: text(headers, names.connector),
  };
}

function text(headers: DebeziumRecord["headers"], name: string): string | null {
  const value = headers.findLast((header) => header.name === name)?.value;
  if (!value) return null;
  const bytes = Buffer.isBuffer(value)
    ? value
    : Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return known.get(bytes, 0, bytes.length);
}

const timeOrdered = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** When a run began, by the worker's clock, in milliseconds since 1970; null when its id is no UUID of version 7. */
export function runStart(runId: string): number | null {
  const [, high, low] = timeOrdered.exec(runId) ?? [];
  return high === undefined || low === undefined ? null : Number.parseInt(high + low, 16);
}

/** Takes run ids from the values of {@link runIdHeader} as bytes. One serves many records: a known id allocates nothing. */
export class RunIds {
  // Two tasks can write side by side when one is a zombie.
  readonly #known = new KnownBytes(8, (value) => headerText([{ name: "", value }], ""));

  /** The run id that a header's value holds; null when it is no text or null itself (`start` below 0). */
  read(bytes: Buffer, start: number, end: number): string | null {
    if (start < 0) return null;
    return this.#known.get(bytes, start, end);
  }
}
