// Steps through JSON as bytes: `end` is the first byte that is not part of it. Each returns -1 for what it does not take.

const quote = 0x22;
const backslash = 0x5c;

/** The index after a string; `at` is its opening quote. Inside a string every quote is escaped. */
export function afterString(bytes: Uint8Array, at: number, end: number): number {
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

/** The bytes of a text in UTF-8. */
export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** A whole number from 0 to 2^53 - 1 written in plain digits; NaN for anything else. */
export function smallWhole(bytes: Uint8Array, from: number, to: number): number {
  return smallDigits.read(bytes, from) <= Number.MAX_SAFE_INTEGER && smallDigits.stop === to
    ? smallDigits.number
    : Number.NaN;
}

/** Reads the digits that begin at an index, up to whatever follows them. */
export class Digits {
  /** What they say: exact up to 2^53 - 1, NaN when there are none. */
  number = Number.NaN;
  /** The index after them. */
  stop = 0;

  read(bytes: Uint8Array, from: number): number {
    let number = 0;
    let i = from;
    for (
      let digit = (bytes[i] as number) - 0x30;
      digit >= 0 && digit <= 9;
      digit = (bytes[i] as number) - 0x30
    ) {
      number = number * 10 + digit;
      i++;
    }
    this.stop = i;
    this.number = i === from ? Number.NaN : number;
    return this.number;
  }
}

const smallDigits = new Digits();
