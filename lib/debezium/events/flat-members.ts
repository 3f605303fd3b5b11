import {
  commonMembers,
  type Member,
  readMembers,
  type Template,
  templateOf,
  wantedKeys,
} from "./flat-template";
import { afterScalar, afterString } from "./json-bytes";

const quote = 0x22;
const opening = 0x7b;
const closing = 0x7d;

const empty = new Int32Array(0);
const nothingKnown: Template = { words: empty, runLengths: empty, varying: empty, constants: empty };

/**
 * Finds the members of objects that have the same keys in the same order again and again, as a Connect struct has:
 * what the last ones had in common is compared, the rest is stepped over. Where they differ it is learned anew.
 * Values must be scalars, but for one member.
 */
export class FlatMembers {
  /** First byte of each wanted member's value, its opening quote for a text; -1 when the member is absent. */
  readonly starts: Int32Array;
  /** The byte after it. */
  readonly stops: Int32Array;
  readonly #wanted: readonly Uint8Array[];
  readonly #nestedSlot: number;
  readonly #nested: FlatMembers | null;
  #members: Member[] = [];
  #template: Template = nothingKnown;
  /** Where each run of the template began in the object at hand. */
  #runStarts = new Int32Array(0);

  /** @param nested the wanted member that may be a flat object itself, and where its members go. */
  constructor(wanted: readonly string[], nested?: { slot: number; members: FlatMembers }) {
    this.#wanted = wantedKeys(wanted);
    this.#nestedSlot = nested?.slot ?? -2;
    this.#nested = nested?.members ?? null;
    this.starts = new Int32Array(wanted.length).fill(-1);
    this.stops = new Int32Array(wanted.length).fill(-1);
  }

  /**
   * The index of the closing brace of the object whose first key is at `at`; -1 when a value is neither scalar nor
   * the nested one, a key has an escape or is a wanted one for the second time, or there is whitespace.
   * @param view the same memory as `bytes`.
   */
  walk(bytes: Buffer, view: DataView, at: number, end: number): number {
    const known = this.#walkKnown(bytes, view, at, end);
    return known >= 0 ? known : this.#learn(bytes, view, at, end);
  }

  #walkKnown(bytes: Buffer, view: DataView, at: number, end: number): number {
    const { words, runLengths, varying } = this.#template;
    const runStarts = this.#runStarts;
    const starts = this.starts;
    const stops = this.stops;
    let i = at;
    let word = 0;
    for (let run = 0; run < runLengths.length; run++) {
      const length = runLengths[run] as number;
      if (i + length > end) return -1;
      if (length > 0) {
        const last = i + length - 4;
        for (let p = i; p < last; p += 4) if (view.getInt32(p, true) !== words[word++]) return -1;
        if (view.getInt32(last, true) !== words[word++]) return -1;
      }
      runStarts[run] = i;
      i += length;
      if (run === varying.length) return bytes[i] === closing && i < end && this.#placeConstants() ? i : -1;
      const slot = varying[run] as number;
      const stop = this.#afterValue(bytes, view, i, end, slot);
      if (stop < 0) return -1;
      if (slot >= 0) {
        starts[slot] = i;
        stops[slot] = stop;
      }
      i = stop;
    }
    return -1;
  }

  #placeConstants(): true {
    const { constants } = this.#template;
    for (let i = 0; i < constants.length; i += 4) {
      const slot = constants[i] as number;
      const at = this.#runStarts[constants[i + 1] as number] as number;
      this.starts[slot] = at + (constants[i + 2] as number);
      this.stops[slot] = at + (constants[i + 3] as number);
    }
    return true;
  }

  #afterValue(bytes: Buffer, view: DataView, at: number, end: number, slot: number): number {
    const first = bytes[at] as number;
    if (first >= 0x30 && first <= 0x39) return afterNumber(bytes, view, at, end);
    if (first === quote) return afterString(bytes, at, end);
    const nested = this.#nestedEnd(bytes, view, at, end, slot);
    return nested >= 0 ? nested : afterScalar(bytes, at, end);
  }

  #nestedEnd(bytes: Buffer, view: DataView, at: number, end: number, slot: number): number {
    if (this.#nested === null || slot !== this.#nestedSlot || bytes[at] !== opening) return -1;
    const brace = this.#nested.walk(bytes, view, at + 1, end);
    return brace < 0 ? -1 : brace + 1;
  }

  #learn(bytes: Buffer, view: DataView, at: number, end: number): number {
    const read = readMembers(bytes, at, end, this.#wanted, (slot, i) =>
      this.#nestedEnd(bytes, view, i, end, slot),
    );
    if (read === null) return -1;
    this.#members = commonMembers(this.#members, read.members);
    this.#template = templateOf(this.#members);
    this.#runStarts = new Int32Array(this.#template.runLengths.length);
    this.starts.fill(-1);
    for (const [slot, from, to] of read.spans) {
      this.starts[slot] = from;
      this.stops[slot] = to;
    }
    return read.closing;
  }
}

/** The index after a number; four digits at a time. */
function afterNumber(bytes: Buffer, view: DataView, at: number, end: number): number {
  let i = at + 1;
  // Of the bytes from 0x30 to 0x3f only digits can follow a digit in valid JSON.
  while (i + 4 <= end && (view.getInt32(i, true) & 0xf0f0f0f0) === 0x30303030) i += 4;
  let byte = bytes[i] as number;
  while (byte >= 0x30 && byte <= 0x39) byte = bytes[++i] as number;
  return byte === 0x2e || byte === 0x45 || byte === 0x65 ? afterScalar(bytes, at, end) : i;
}
