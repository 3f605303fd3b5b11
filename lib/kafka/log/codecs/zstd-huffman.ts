import { CodecError } from "./codec-error";
import { bitsAt, bitsBefore } from "./zstd-bits";
import { readFseTable } from "./zstd-fse";

/** A Huffman decoding table of Zstandard (RFC 8878, 4.2): for the next `log` bits the symbol (8 bits) and how many it takes. */
export interface HuffmanTable {
  log: number;
  codes: Uint16Array;
}

const LARGEST_LOG = 11;

/** Reads the description of a table; gives the table and where the description ends. */
export function readHuffmanTable(
  bytes: Uint8Array,
  start: number,
  end: number,
): { table: HuffmanTable; end: number } {
  const header = bytes[start] ?? 0;
  const first = start + 1;
  const size = header < 128 ? header : (header - 126) >> 1;
  const stop = first + size;
  if (start >= end || stop > end) throw new CodecError("a table ends beyond its block");
  const weights: number[] = [];
  if (header < 128) readWeights(bytes, first, stop, weights);
  else {
    for (let i = 0; i < header - 127; i++) {
      const byte = bytes[first + (i >> 1)] ?? 0;
      weights.push(i % 2 === 0 ? byte >> 4 : byte & 15);
    }
  }
  return { table: tableOf(weights), end: stop };
}

/** Weights written by two states that take turns, until the bits are used up. */
function readWeights(bytes: Uint8Array, start: number, end: number, weights: number[]): void {
  const { table, end: after } = readFseTable(bytes, start, end, 6, 255);
  let left = bitsBefore(bytes, after, end) - table.log;
  let state = table.states[bitsAt(bytes, after, left, table.log)] ?? 0;
  left -= table.log;
  let other = table.states[bitsAt(bytes, after, left, table.log)] ?? 0;
  if (left < 0) throw new CodecError("the weights of a table are cut");
  while (weights.length < 254) {
    weights.push(state & 0xff);
    const width = (state >> 8) & 0xff;
    left -= width;
    if (left < 0) {
      weights.push(other & 0xff);
      return;
    }
    const next = table.states[(state >> 16) + bitsAt(bytes, after, left, width)] ?? 0;
    state = other;
    other = next;
  }
  throw new CodecError("a table has too many weights");
}

/** The last symbol's weight is not written: it fills up to a power of two. */
function tableOf(weights: number[]): HuffmanTable {
  let sum = 0;
  for (const weight of weights) {
    if (weight > LARGEST_LOG) throw new CodecError("a weight is larger than it may be");
    if (weight > 0) sum += 1 << (weight - 1);
  }
  const log = 32 - Math.clz32(sum);
  const left = (1 << log) - sum;
  if (sum === 0 || log > LARGEST_LOG || (left & (left - 1)) !== 0) {
    throw new CodecError("the weights of a table do not add up");
  }
  weights.push(32 - Math.clz32(left));
  const codes = new Uint16Array(1 << log);
  let position = 0;
  for (let weight = 1; weight <= log; weight++) {
    const span = 1 << (weight - 1);
    for (let symbol = 0; symbol < weights.length; symbol++) {
      if (weights[symbol] !== weight) continue;
      codes.fill(symbol | ((log + 1 - weight) << 8), position, position + span);
      position += span;
    }
  }
  return { log, codes };
}

/** Decodes one stream into `out` from `at` to `stop`; it must be used up exactly. */
export function readHuffmanStream(
  table: HuffmanTable,
  bytes: Uint8Array,
  start: number,
  end: number,
  out: Uint8Array,
  at: number,
  stop: number,
): void {
  const { log, codes } = table;
  const mask = (1 << log) - 1;
  // The position is where the next `log` bits begin: negative for the last few symbols.
  let position = bitsBefore(bytes, start, end) - log;
  for (let i = at; i < stop; i++) {
    let code: number;
    if (position >= 0) {
      const p = start + (position >> 3);
      const word = (bytes[p] ?? 0) | ((bytes[p + 1] ?? 0) << 8) | ((bytes[p + 2] ?? 0) << 16);
      code = (word >>> (position & 7)) & mask;
    } else {
      const word = (bytes[start] ?? 0) | ((bytes[start + 1] ?? 0) << 8);
      code = position < -log ? 0 : (word << -position) & mask;
    }
    const entry = codes[code] ?? 0;
    out[i] = entry;
    position -= entry >> 8;
  }
  if (position !== -log) throw new CodecError("a stream of literals does not fit its size");
}
