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

/** One of the headers. All records of a run have the same value. */
class ContextHeader {
  readonly #name: string;
  readonly #known = new KnownBytes(4, (value) => headerText([{ name: "", value }], ""));

  constructor(name: string) {
    this.#name = `${prefix}${name}`;
  }

  /** Of the last header of its name, as Kafka's Headers.lastHeader gives it. */
  text(headers: DebeziumRecord["headers"]): string | null {
    for (let i = headers.length - 1; i >= 0; i--) {
      const header = headers[i];
      if (header?.name !== this.#name) continue;
      const { value } = header;
      if (value === null) return null;
      const bytes = Buffer.isBuffer(value)
        ? value
        : Buffer.from(value.buffer, value.byteOffset, value.byteLength);
      return this.#known.get(bytes, 0, bytes.length);
    }
    return null;
  }
}

const runIdText = new ContextHeader("runId");
const logicalName = new ContextHeader("connectorLogicalName");
const taskId = new ContextHeader("taskId");
const connector = new ContextHeader("connectorName");

/** Records of a batch share the list of their headers where these are the same. */
let last: { headers: DebeziumRecord["headers"]; context: RunContext | null } = { headers: [], context: null };

/** Null when the record has none of these headers. */
export function runContext(headers: DebeziumRecord["headers"]): RunContext | null {
  if (last.headers !== headers) last = { headers, context: contextIn(headers) };
  return last.context;
}

function contextIn(headers: DebeziumRecord["headers"]): RunContext | null {
  if (!headers.some(({ name }) => name.startsWith(prefix))) return null;
  return {
    runId: runIdText.text(headers),
    logicalName: logicalName.text(headers),
    taskId: taskId.text(headers),
    connector: connector.text(headers),
  };
}

const timeOrdered = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** 48 bits reach beyond the years that ISO 8601 writes with four digits. */
const latest = Date.parse("9999-12-31T23:59:59.999Z");

/** When a run began, by the worker's clock, in milliseconds since 1970; null when its id is no UUID of version 7, or of no year to 9999. */
export function runStart(runId: string): number | null {
  const [, high, low] = timeOrdered.exec(runId) ?? [];
  const at = high === undefined || low === undefined ? null : Number.parseInt(high + low, 16);
  return at === null || at > latest ? null : at;
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
