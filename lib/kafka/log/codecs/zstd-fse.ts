import { CodecError } from "./codec-error";

/** A decoding table of Finite State Entropy (RFC 8878, 4.1.1): for each state its symbol and how the next one is found. */
export interface FseTable {
  /** Bits of a state. */
  log: number;
  /** For each state: its symbol in 8 bits, how many bits to read in 8, what to add to them for the next state in 16. */
  states: Int32Array;
}

/** Reads the description of a table between `start` and `end`; gives the table and where the description ends. */
export function readFseTable(
  bytes: Uint8Array,
  start: number,
  end: number,
  largestLog: number,
  largestSymbol: number,
): { table: FseTable; end: number } {
  const stop = (end - start) * 8;
  // In bits; what lies after the block is read and found out at the end.
  let position = 0;
  const take = (count: number): number => {
    const i = start + (position >> 3);
    const word = (bytes[i] ?? 0) | ((bytes[i + 1] ?? 0) << 8) | ((bytes[i + 2] ?? 0) << 16);
    const value = (word >>> (position & 7)) & ((1 << count) - 1);
    position += count;
    return value;
  };
  const log = 5 + take(4);
  if (log > largestLog) throw new CodecError("a table is larger than it may be");
  const counts: number[] = [];
  let left = 1 << log;
  while (left > 0) {
    // Values up to `left` + 1, the lower ones in one bit less.
    const width = 32 - Math.clz32(left + 1);
    const short = (1 << width) - 1 - (left + 1);
    let value = take(width);
    const low = value & ((1 << (width - 1)) - 1);
    if (low < short) {
      position--;
      value = low;
    } else if (value > low) value -= short;
    const count = value - 1;
    left -= Math.abs(count);
    counts.push(count);
    if (count === 0) {
      for (let repeat = 3; repeat === 3 && counts.length <= largestSymbol; ) {
        repeat = take(2);
        for (let i = 0; i < repeat; i++) counts.push(0);
      }
    }
    if (counts.length > largestSymbol + 1) throw new CodecError("a table has too many symbols");
  }
  if (position > stop) throw new CodecError("a table ends beyond its block");
  if (left < 0) throw new CodecError("the shares of a table are more than it has");
  return { table: fseTable(log, counts), end: start + ((position + 7) >> 3) };
}

/** The table of these shares: a count for each symbol, -1 for less than one. Their sum is 2^log. */
export function fseTable(log: number, counts: readonly number[]): FseTable {
  const size = 1 << log;
  const symbols = new Uint8Array(size);
  const next = new Uint16Array(counts.length);
  let high = size;
  counts.forEach((count, symbol) => {
    if (count === -1) symbols[--high] = symbol;
    next[symbol] = count === -1 ? 1 : count;
  });
  const step = (size >> 1) + (size >> 3) + 3;
  let position = 0;
  counts.forEach((count, symbol) => {
    for (let i = 0; i < count; i++) {
      symbols[position] = symbol;
      do position = (position + step) & (size - 1);
      while (position >= high);
    }
  });
  const states = new Int32Array(size);
  for (let state = 0; state < size; state++) {
    const symbol = symbols[state] ?? 0;
    const order = next[symbol] ?? 1;
    next[symbol] = order + 1;
    const width = log - (31 - Math.clz32(order));
    states[state] = symbol | (width << 8) | (((order << width) - size) << 16);
  }
  return { log, states };
}

/** The table of one symbol that comes always and takes no bits. */
export function singleSymbol(symbol: number): FseTable {
  return { log: 0, states: Int32Array.of(symbol) };
}
