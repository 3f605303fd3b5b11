import { isJsonObject, type JsonObject, parseJson } from "../json";
import { isEnvelopeSchema, withoutStatements } from "./envelope";
import { FlatMembers } from "./flat-members";
import { bytesOf, smallWhole, standsAt, standsWithin } from "./json-bytes";
import { SchemaPrefixes } from "./schema-prefixes";

/**
 * `change`: a change event; what it holds can be asked for. `other`: certainly none. `undecided`: read it in full
 * (`readRecord`), which is also the definition of what a change event is.
 */
export type Scan = "change" | "other" | "undecided";

const beforeKey = bytesOf('"before":');
const afterKey = bytesOf('"after":');
const schemaKey = bytesOf('{"schema":');
const sourceKey = bytesOf(',"source":{');
const transactionKey = bytesOf('"transaction":');
const backslash = bytesOf("\\");
const falseText = bytesOf('"false"');
const incrementalText = bytesOf('"incremental"');

/** Members of the envelope that follow `source` and matter here. */
const tailMembers = ["op", "ts_ms", "transaction"];
const [opSlot, timeSlot, transactionSlot] = [0, 1, 2];
const transactionMembers = ["id", "total_order", "data_collection_order"];
const [idSlot, totalOrderSlot] = [0, 1];

const quote = 0x22;
const opening = 0x7b;
const closing = 0x7d;
const comma = 0x2c;

/** How far the distance of `source` from the end is expected to vary from one event to the next. */
const jitter = 24;

/**
 * Takes what identifies a change out of a Debezium event's bytes without parsing the row: op, fields of `source`, the
 * transaction. One scanner serves many records, one after the other; nothing is allocated for a record like the last.
 *
 * Why a column cannot fool it. Inside a JSON string every quote is escaped, so the bytes `,"source":{` are always a key
 * whose value is an object; but it may be a column's own. From the last such place everything up to the end of the
 * value is walked, and none of it may be nested but the transaction. So the closing braces left at the end are those of
 * the objects that the key lies in: one, the envelope, or two when a schema stands in front (JsonConverter with
 * schemas.enable). Any other number, whitespace, escaped keys or another shape: `undecided`.
 *
 * Trusted are: that the value is JSON with no key twice in one map, and that what begins with the schema of an envelope is schema and payload, no more.
 */
export class EventScanner {
  /** The byte of `op`: `c`, `u`, `d`, `r` or `t`. */
  op = 0;
  /** Whether the event has a transaction block (provide.transaction.metadata). */
  hasTransaction = false;

  readonly #source: FlatMembers;
  readonly #connectorSlot: number;
  readonly #snapshotSlot: number;
  readonly #transaction = new FlatMembers(transactionMembers);
  readonly #tail = new FlatMembers(tailMembers, { slot: transactionSlot, members: this.#transaction });
  readonly #prefixes = new SchemaPrefixes("{", isEnvelopeSchema);
  #bytes: Buffer = Buffer.alloc(0);
  #view = new DataView(this.#bytes.buffer);
  #sourceAt = 0;
  #sourceEnd = 0;
  /** From the members of `source` to the end of the value, in the last event. */
  #distance = 0;

  /** @param fields names of the fields of `source` to find; their indexes are what the getters take. */
  constructor(fields: readonly string[]) {
    const wanted = [...new Set([...fields, "connector", "snapshot"])];
    this.#source = new FlatMembers(wanted);
    this.#connectorSlot = wanted.indexOf("connector");
    this.#snapshotSlot = wanted.indexOf("snapshot");
  }

  /**
   * Looks at the value of one record: `bytes` from `start` up to `end`. The getters answer for it until the next
   * scan, and only after `change`. Fastest when many records lie in the same `bytes`, as those of a batch do.
   */
  scan(bytes: Buffer, start: number, end: number): Scan {
    if (end <= start) return "other";
    if (bytes !== this.#bytes) this.#hold(bytes);
    const first = bytes[start] as number;
    // JSON may begin with whitespace, and JSON of a schema registry begins with 0.
    if (first !== opening) return first <= 0x20 ? "undecided" : "other";
    let depth = 1;
    let at = start + 1;
    if (standsAt(bytes, start, schemaKey)) {
      depth = 2;
      at = this.#prefixes.payload(bytes, start, end);
      if (at < 0) return "undecided";
    }
    if (!standsAt(bytes, at, beforeKey) && !standsAt(bytes, at, afterKey)) return "undecided";
    const expected = end - this.#distance;
    const near = sourceBefore(bytes, expected - jitter, expected + jitter, at, end);
    if (near >= 0 && this.#read(bytes, at, end, depth, near)) return "change";
    return this.#read(bytes, at, end, depth, sourceBefore(bytes, at, end, at, end)) ? "change" : "undecided";
  }

  #hold(bytes: Buffer): void {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  /** Reads the event whose `source` members begin at `sourceAt`; false when it cannot be decided. */
  #read(bytes: Buffer, at: number, end: number, depth: number, sourceAt: number): boolean {
    if (sourceAt < 0) return false;
    const source = this.#source;
    const tail = this.#tail;
    const sourceEnd = source.walk(bytes, this.#view, sourceAt, end);
    if (sourceEnd < 0 || bytes[sourceEnd + 1] !== comma) return false;
    const last = tail.walk(bytes, this.#view, sourceEnd + 2, end);
    if (last < 0 || last + depth !== end || bytes[end - 1] !== closing) return false;
    if (bytes[source.starts[this.#connectorSlot] as number] !== quote) return false;
    if (!this.#plainFlag(bytes)) return false;
    const opAt = tail.starts[opSlot] as number;
    if (opAt < 0 || bytes[opAt] !== quote || tail.stops[opSlot] !== opAt + 3) return false;
    const op = bytes[opAt + 1] as number;
    if (!knownOp(op)) return false;
    // What is not behind `source` could stand before it.
    if ((tail.starts[timeSlot] as number) < 0) return false;
    const block = tail.starts[transactionSlot] as number;
    if (block < 0 && standsWithin(bytes, at, sourceAt, transactionKey)) return false;
    const hasTransaction = block >= 0 && bytes[block] === opening;
    if (block >= 0 && !hasTransaction && bytes[block] !== 0x6e) return false;
    this.op = op;
    this.hasTransaction = hasTransaction;
    this.#sourceAt = sourceAt;
    this.#sourceEnd = sourceEnd;
    this.#distance = end - sourceAt;
    return true;
  }

  /** Whether the snapshot flag is written without escapes, so that its bytes tell what it is. */
  #plainFlag(bytes: Buffer): boolean {
    const at = this.#source.starts[this.#snapshotSlot] as number;
    if (at < 0 || bytes[at] !== quote || standsAt(bytes, at, falseText)) return true;
    return !standsWithin(bytes, at, this.#source.stops[this.#snapshotSlot] as number, backslash);
  }

  /** Whether the record comes from a snapshot: it is a re-read, and its position is not one of its own. */
  get snapshot(): "incremental" | "initial" | null {
    const at = this.#source.starts[this.#snapshotSlot] as number;
    const bytes = this.#bytes;
    if (at < 0 || bytes[at] === 0x6e || standsAt(bytes, at, falseText) || bytes[at] === 0x66) return null;
    return standsAt(bytes, at, incrementalText) ? "incremental" : "initial";
  }

  /** First byte of a field's value, its opening quote for a text; -1 when the block has no such field. */
  startOf(field: number): number {
    return this.#source.starts[field] as number;
  }

  /** The byte after a field's value. */
  stopOf(field: number): number {
    return this.#source.stops[field] as number;
  }

  /** The bytes that {@link startOf} and {@link stopOf} are about. */
  get bytes(): Buffer {
    return this.#bytes;
  }

  /** Whether a field is absent or null. */
  isNone(field: number): boolean {
    const at = this.#source.starts[field] as number;
    return at < 0 || this.#bytes[at] === 0x6e;
  }

  /** A field that is a whole number from 0 to 2^53 - 1; NaN for anything else. */
  number(field: number): number {
    return smallWhole(this.#bytes, this.startOf(field), this.stopOf(field));
  }

  /** Milliseconds since 1970 at which the connector handled the event (`ts_ms` beside `op`); NaN without. */
  get processedAt(): number {
    const { starts, stops } = this.#tail;
    return smallWhole(this.#bytes, starts[timeSlot] as number, stops[timeSlot] as number);
  }

  /** `transaction.total_order`: the event's number in its transaction, from 1; NaN without. */
  get totalOrder(): number {
    if (!this.hasTransaction) return Number.NaN;
    const { starts, stops } = this.#transaction;
    return smallWhole(this.#bytes, starts[totalOrderSlot] as number, stops[totalOrderSlot] as number);
  }

  /** `transaction.id`; null without. */
  transactionId(): string | null {
    if (!this.hasTransaction) return null;
    const at = this.#transaction.starts[idSlot] as number;
    if (at < 0 || this.#bytes[at] !== quote) return null;
    const id = parseJson(this.#bytes.toString("utf8", at, this.#transaction.stops[idSlot]));
    return typeof id === "string" ? id : null;
  }

  /** The whole `source` block, as {@link readRecord} gives it. Parses it: for what the getters cannot tell. */
  source(): JsonObject {
    const text = this.#bytes.toString("utf8", this.#sourceAt - 1, this.#sourceEnd + 1);
    const source = parseJson(text);
    return isJsonObject(source) ? withoutStatements(source) : {};
  }
}

/** Where the members of the last `,"source":{` begin of those that begin from `from` up to `to`; -1 when there is none. */
function sourceBefore(bytes: Uint8Array, from: number, to: number, at: number, end: number): number {
  const lowest = Math.max(from, at + sourceKey.length - 1);
  for (let i = Math.min(to, end) - 1; i >= lowest; i--)
    if (bytes[i] === opening && standsAt(bytes, i - sourceKey.length + 1, sourceKey)) return i + 1;
  return -1;
}

/** c, u, d, r, t. Logical decoding messages (m) have a block of their own and are read in full. */
function knownOp(byte: number): boolean {
  return byte === 0x63 || byte === 0x75 || byte === 0x64 || byte === 0x72 || byte === 0x74;
}
