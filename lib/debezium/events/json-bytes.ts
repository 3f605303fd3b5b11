// Steps through JSON as bytes: `end` is the first byte that is not part of it. Each returns -1 for what it does not take.

const quote = 0x22;
const backslash = 0x5c;

/** The index after a string; `at` is its opening quote. Inside a string every quote is escaped. */
function afterString(bytes: Uint8Array, at: number, end: number): number {
  for (let i = at + 1; i < end; i++) {
    const byte = bytes[i];
    if (byte === quote) return i + 1;
    if (byte === backslash) i++;
  }
  return -1;
}

/** `+`, `-`, `.`, `E` and `e`. */
function inNumber(byte: number | undefined): boolean {
  return byte === 0x2b || byte === 0x2d || byte === 0x2e || byte === 0x45 || byte === 0x65;
}

/** The index after a text, number, true, false or null; -1 for lists, maps and whitespace. */
export function afterScalar(bytes: Uint8Array, at: number, end: number): number {
  const first = bytes[at] as number;
  if (first === quote) return afterString(bytes, at, end);
  if ((first >= 0x30 && first <= 0x39) || first === 0x2d) {
    let i = at + 1;
    for (; i < end; i++) {
      const byte = bytes[i] as number;
      if ((byte < 0x30 || byte > 0x39) && !inNumber(byte)) break;
    }
    return i;
  }
  // In valid JSON the first letter tells the word; what follows it is checked by whoever reads on.
  const length = first === 0x6e || first === 0x74 ? 4 : first === 0x66 ? 5 : -1;
  return length > 0 && at + length <= end ? at + length : -1;
}

/** The index after any value that begins here; whitespace inside is taken. */
export function afterValue(bytes: Uint8Array, at: number, end: number): number {
  const first = bytes[at];
  if (first !== 0x7b && first !== 0x5b) return afterScalar(bytes, at, end);
  let depth = 0;
  for (let i = at; i < end; i++) {
    const byte = bytes[i];
    if (byte === quote) {
      i = afterString(bytes, i, end) - 1;
      if (i < 0) return -1;
    } else if (byte === 0x7b || byte === 0x5b) depth++;
    else if ((byte === 0x7d || byte === 0x5d) && --depth === 0) return i + 1;
  }
  return -1;
}

/** Whether these bytes stand here. */
export function standsAt(bytes: Uint8Array, at: number, wanted: Uint8Array): boolean {
  for (let i = 0; i < wanted.length; i++) if (bytes[at + i] !== wanted[i]) return false;
  return true;
}

/** ASCII text of four bytes or more that is looked for again and again: compared as 32-bit words, the last overlapping. */
export class Words {
  readonly bytes: Buffer;
  readonly length: number;
  readonly #words: Int32Array;

  constructor(text: string) {
    this.bytes = Buffer.from(text, "latin1");
    this.length = this.bytes.length;
    const starts = Array.from({ length: Math.ceil(this.length / 4) }, (_, i) =>
      Math.min(4 * i, this.length - 4),
    );
    this.#words = Int32Array.from(starts, (start) => this.bytes.readInt32LE(start));
  }

  /** Whether the text stands here. @param end the length of the view: asking it is slow. */
  standsAt(view: DataView, at: number, end: number): boolean {
    const last = at + this.length - 4;
    if (at < 0 || last + 4 > end) return false;
    const words = this.#words;
    let word = 0;
    for (let i = at; i < last; i += 4) if (view.getInt32(i, true) !== words[word++]) return false;
    return view.getInt32(last, true) === words[word];
  }
}

/** The bytes of a text in UTF-8. */
export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** A whole number from 0 to 2^53 - 1 written in plain digits; NaN for anything else. */
export function smallWhole(bytes: Uint8Array, from: number, to: number): number {
  if (to <= from) return Number.NaN;
  let number = 0;
  for (let i = from; i < to; i++) {
    const digit = (bytes[i] as number) - 0x30;
    if (digit < 0 || digit > 9) return Number.NaN;
    number = number * 10 + digit;
  }
  return number <= Number.MAX_SAFE_INTEGER ? number : Number.NaN;
}
