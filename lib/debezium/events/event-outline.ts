import { afterScalar, afterValue, Words } from "./json-bytes";

const sourceKey = new Words(',"source":{');
const transactionKey = new Words(',"transaction":{');
const noTransaction = new Words(',"transaction":null');
const transactionName = new Words('"transaction"');

/** The only escape that stands for a letter. */
export const unicodeEscape = Buffer.from("\\u");

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const backslash = 0x5c;
const bracket = 0x5b;
const opening = 0x7b;
const closing = 0x7d;

/** How far the distance of `source` from the end is expected to vary from one event to the next. */
const jitter = 24;

/**
 * Where the parts of a Debezium event lie in its bytes: the `source` block, what follows it (the tail), and the
 * transaction block in the tail.
 *
 * Why a column cannot fool it. Inside a JSON string every quote is escaped, so the bytes `,"source":{` are always a key
 * whose value is an object; but it may be a column's own, deeper down. So closing braces are counted from there to the
 * end. An event has one for the block, one for the transaction if there is one (its key is looked for), and one for the
 * envelope (two when a schema stands in front); these last ones stand at the very end. A key deeper down needs more of
 * them to be closed, and what is in a string can only add to them. With any other number it is read member by member.
 *
 * Trusted are: that the value is JSON with no key twice in one map and no space before a colon in `source`, and that what begins with the schema of an envelope
 * is schema and payload, no more.
 */
export class EventOutline {
  /** First byte of the members of `source`. */
  sourceAt = 0;
  /** Its closing brace. */
  sourceEnd = 0;
  /** First byte of the members of `transaction`; -1 when it is null or absent. */
  transactionAt = -1;
  /** Its closing brace; -1 without. */
  transactionEnd = -1;
  /** The same memory as the bytes looked at. */
  view: DataView = new DataView(new ArrayBuffer(0));
  #bytes: Buffer = Buffer.alloc(0);
  /** From the members of `source` to the end of the value, in the last event. */
  #distance = 0;

  /** Sets the bytes that the next events lie in. */
  hold(bytes: Buffer): void {
    this.#bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  /**
   * Looks at the event whose members begin at `at` and which ends before `end` with `depth` closing braces. False when
   * it cannot be decided.
   */
  find(at: number, end: number, depth: number): boolean {
    const expected = end - this.#distance;
    const exact =
      expected > at && sourceKey.standsAt(this.view, expected - sourceKey.length, this.#bytes.length);
    const near = exact ? expected : this.#sourceBefore(expected - jitter, expected + jitter, at, end);
    if (near >= 0 && this.#read(at, end, depth, near)) return true;
    const last = this.#sourceBefore(at, end, at, end);
    return last >= 0 && this.#read(at, end, depth, last);
  }

  #read(at: number, end: number, depth: number, sourceAt: number): boolean {
    const bytes = this.#bytes;
    this.sourceAt = sourceAt;
    this.#distance = end - sourceAt;
    const last = end - depth;
    if (bytes[end - 1] !== closing || bytes[last] !== closing) return false;
    if (!this.#countBraces(last) && !this.#walk(last)) return false;
    if (this.transactionAt >= 0 || noTransaction.standsAt(this.view, this.sourceEnd + 1, bytes.length))
      return true;
    const tail = bytes.subarray(this.sourceEnd, end);
    if (tail.includes(noTransaction.bytes)) return true;
    // What is not behind `source` could stand before it, and a key with escapes looks like none.
    const before = bytes.subarray(at, sourceAt);
    return (
      !before.includes(transactionName.bytes) && !before.includes(unicodeEscape) && !tail.includes(backslash)
    );
  }

  /** Where the members of the last `,"source":{` begin of those that begin from `from` up to `to`; -1 when there is none. */
  #sourceBefore(from: number, to: number, at: number, end: number): number {
    const bytes = this.#bytes;
    const lowest = Math.max(from, at + sourceKey.length - 1);
    for (let i = Math.min(to, end) - 1; i >= lowest; i--)
      if (bytes[i] === opening && sourceKey.standsAt(this.view, i - sourceKey.length + 1, bytes.length))
        return i + 1;
    return -1;
  }

  /** @param last the first of the braces that end the value. */
  #countBraces(last: number): boolean {
    const bytes = this.#bytes;
    const sourceEnd = bytes.indexOf(closing, this.sourceAt);
    const second = sourceEnd < last ? bytes.indexOf(closing, sourceEnd + 1) : -1;
    this.sourceEnd = sourceEnd;
    this.transactionAt = -1;
    this.transactionEnd = -1;
    if (sourceEnd < 0) return false;
    if (second === last) return true;
    if (second < 0 || second > last || bytes.indexOf(closing, second + 1) !== last) return false;
    const key = transactionKey.standsAt(this.view, sourceEnd + 1, bytes.length)
      ? sourceEnd + 1
      : startOf(bytes, transactionKey.bytes, sourceEnd, second);
    if (key < 0) return false;
    this.transactionAt = key + transactionKey.length;
    this.transactionEnd = second;
    return true;
  }

  /**
   * Member by member, for texts that hold braces or escapes: MongoDB's `lsid`, MySQL's `query`. What is nested deeper, in
   * the blocks or in a list behind them, has keys of its own and is not taken.
   */
  #walk(last: number): boolean {
    const bytes = this.#bytes;
    this.transactionAt = -1;
    this.transactionEnd = -1;
    this.sourceEnd = endOfFlat(bytes, this.sourceAt, last);
    if (this.sourceEnd < 0) return false;
    let at = this.sourceEnd + 1;
    while (at >= 0 && at < last) {
      const value = bytes[at] === comma ? valueOfPlainKey(bytes, at + 1, last) : -1;
      const stop = value < 0 ? -1 : afterValue(bytes, value, last);
      if (stop >= 0 && bytes[value] === bracket && bytes.subarray(value, stop).includes(opening))
        return false;
      if (stop >= 0 && bytes[value] === opening) {
        if (
          !transactionKey.standsAt(this.view, at, bytes.length) ||
          endOfFlat(bytes, value + 1, stop) !== stop - 1
        )
          return false;
        this.transactionAt = value + 1;
        this.transactionEnd = stop - 1;
      }
      at = stop;
    }
    return at === last;
  }
}

/** Where the value of the key at `at` begins; -1 when there is none, or it is written with escapes. */
function valueOfPlainKey(bytes: Buffer, at: number, end: number): number {
  if (bytes[at] !== quote) return -1;
  for (let i = at + 1; i < end; i++) {
    if (bytes[i] === quote) return bytes[i + 1] === colon ? i + 2 : -1;
    if (bytes[i] === backslash) return -1;
  }
  return -1;
}

/** The closing brace of an object whose members begin at `at`; -1 when one is a map or list, or its key has escapes. */
function endOfFlat(bytes: Buffer, at: number, end: number): number {
  let next = at;
  while (next >= 0 && next < end && bytes[next] !== closing) {
    const value = valueOfPlainKey(bytes, bytes[next] === comma ? next + 1 : next, end);
    next = value < 0 ? -1 : afterScalar(bytes, value, end);
  }
  return next < end ? next : -1;
}

/** Whether none of the keys of the object whose members lie from `at` up to `end` is written with escapes. */
export function hasPlainKeys(bytes: Buffer, at: number, end: number): boolean {
  let next = at;
  while (next >= 0 && next < end) {
    const value = valueOfPlainKey(bytes, bytes[next] === comma ? next + 1 : next, end);
    next = value < 0 ? -1 : afterValue(bytes, value, end);
  }
  return next === end;
}

/** Where bytes stand from `from` up to `end`; -1 when they do not. */
export function startOf(bytes: Buffer, wanted: Uint8Array, from: number, end: number): number {
  const found = bytes.subarray(from, end).indexOf(wanted);
  return found < 0 ? -1 : from + found;
}
