import { CodecError } from "./codec-error";
import { copyBytes, copyMatch, SLACK, viewOf } from "./copying";
import { bitsAt, bitsBefore } from "./zstd-bits";
import { type FseTable, fseTable, readFseTable, singleSymbol } from "./zstd-fse";
import { type HuffmanTable, readHuffmanStream, readHuffmanTable } from "./zstd-huffman";
import { RecentOffsets } from "./zstd-offsets";

/** Most bytes of one block, compressed or not. */
export const LARGEST_BLOCK = 128 * 1024;
/** Offsets of this code are at least 2^28 bytes, which is as much as may ever be written. */
const FARTHEST_CODE = 28;

// RFC 8878, 3.1.1.3.2: extra bits of the codes of literal and match lengths; each baseline follows from those before.
const runBits = Uint8Array.of(
  ...Array(16).fill(0),
  1,
  1,
  1,
  1,
  2,
  2,
  3,
  3,
  4,
  6,
  7,
  8,
  9,
  10,
  11,
  12,
  13,
  14,
  15,
  16,
);
const matchBits = Uint8Array.of(
  ...Array(32).fill(0),
  ...[1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
);
const runBases = basesOf(runBits, 0);
const matchBases = basesOf(matchBits, 3);

interface Kind {
  largestLog: number;
  largestSymbol: number;
  usual: FseTable;
}

const literalLengths: Kind = {
  largestLog: 9,
  largestSymbol: 35,
  usual: fseTable(6, [
    ...[4, 3, ...Array(11).fill(2), 1, 1, 1, ...Array(9).fill(2), 3, 2, 1, 1, 1, 1, 1],
    ...Array(4).fill(-1),
  ]),
};
const offsets: Kind = {
  largestLog: 8,
  largestSymbol: 31,
  usual: fseTable(5, [...Array(6).fill(1), 2, 2, 2, ...Array(15).fill(1), ...Array(5).fill(-1)]),
};
const matchLengths: Kind = {
  largestLog: 9,
  largestSymbol: 52,
  usual: fseTable(6, [1, 4, 3, ...Array(6).fill(2), ...Array(37).fill(1), ...Array(7).fill(-1)]),
};

function basesOf(bits: Uint8Array, first: number): Int32Array {
  let next = first;
  return Int32Array.from(bits, (width) => {
    const base = next;
    next += 1 << width;
    return base;
  });
}

/** What a frame's blocks hand on: tables that a later block uses again, and the last three offsets. */
export class BlockDecoder {
  private huffman: HuffmanTable | null = null;
  private tables: (FseTable | null)[] = [null, null, null];
  private readonly recent = new RecentOffsets();
  private readonly literals = Buffer.alloc(LARGEST_BLOCK + SLACK);
  private readonly literalView = viewOf(this.literals);
  private literalCount = 0;

  /** Forgets what an earlier frame handed on. */
  reset(): void {
    this.huffman = null;
    this.tables = [null, null, null];
    this.recent.reset();
  }

  /**
   * Decodes the block in `bytes` from `start` to `end` into `out` at `at`, which has room for the largest one and SLACK. Matches
   * reach back to `reach`. Gives where it ends in `out`. @throws CodecError
   */
  decode(bytes: Uint8Array, start: number, end: number, out: Buffer, at: number, reach: number): number {
    let position = this.readLiterals(bytes, start, end);
    if (position >= end) throw new CodecError("a block ends within its literals");
    let count = bytes[position++] ?? 0;
    if (count === 0) {
      if (position !== end) throw new CodecError("bytes follow the literals of a block");
      return this.copyLiterals(out, at, 0, at);
    }
    if (count === 255) {
      count = 0x7f00 + (bytes[position] ?? 0) + ((bytes[position + 1] ?? 0) << 8);
      position += 2;
    } else if (count > 127) count = ((count - 128) << 8) + (bytes[position++] ?? 0);
    const modes = bytes[position++] ?? 0;
    if ((modes & 3) !== 0) throw new CodecError("a block uses a table that is not known");
    [literalLengths, offsets, matchLengths].forEach((kind, i) => {
      position = this.readTable(bytes, position, end, i, kind, (modes >> (6 - 2 * i)) & 3);
    });
    return this.runSequences(count, bytes, position, end, out, at, reach);
  }

  /** Reads the literals into `literals`; gives where they end. */
  private readLiterals(bytes: Uint8Array, start: number, end: number): number {
    const first = bytes[start] ?? 0;
    const type = first & 3;
    const format = (first >> 2) & 3;
    const word = first | ((bytes[start + 1] ?? 0) << 8) | ((bytes[start + 2] ?? 0) << 16);
    if (type < 2) {
      const header = format === 1 ? 2 : format === 3 ? 3 : 1;
      const size = header === 1 ? first >> 3 : (header === 2 ? word & 0xffff : word) >> 4;
      const after = start + header + (type === 0 ? size : 1);
      if (size > LARGEST_BLOCK || after > end)
        throw new CodecError("the literals are larger than their block");
      if (type === 1) this.literals.fill(bytes[start + header] ?? 0, 0, size);
      else this.literals.set(bytes.subarray(start + header, after));
      this.literalCount = size;
      return after;
    }
    // Both sizes after four bits of type and format, in 10, 14 or 18 bits each.
    const width = format < 2 ? 10 : format === 2 ? 14 : 18;
    const header = format < 2 ? 3 : format + 2;
    const high = ((bytes[start + 3] ?? 0) + (bytes[start + 4] ?? 0) * 0x100) * 0x100_0000;
    const sizes = Math.floor((word + high) / 16);
    const size = sizes % 2 ** width;
    const packed = Math.floor(sizes / 2 ** width) % 2 ** width;
    const after = start + header + packed;
    if (size > LARGEST_BLOCK || after > end) throw new CodecError("the literals are larger than their block");
    this.readHuffmanLiterals(bytes, start + header, after, size, type === 2, format === 0);
    this.literalCount = size;
    return after;
  }

  private readHuffmanLiterals(
    bytes: Uint8Array,
    start: number,
    end: number,
    size: number,
    ownTable: boolean,
    oneStream: boolean,
  ): void {
    let position = start;
    if (ownTable) {
      const read = readHuffmanTable(bytes, start, end);
      this.huffman = read.table;
      position = read.end;
    }
    const { huffman, literals } = this;
    if (huffman === null) throw new CodecError("a block uses the table of one before, and there is none");
    if (oneStream) {
      readHuffmanStream(huffman, bytes, position, end, literals, 0, size);
      return;
    }
    const share = (size + 3) >> 2;
    let from = position + 6;
    if (from > end || share * 3 > size)
      throw new CodecError("four streams of literals do not fit their block");
    for (let i = 0; i < 4; i++) {
      const length = (bytes[position + 2 * i] ?? 0) | ((bytes[position + 2 * i + 1] ?? 0) << 8);
      const to = i === 3 ? end : from + length;
      if (to > end) throw new CodecError("a stream of literals ends beyond its block");
      readHuffmanStream(huffman, bytes, from, to, literals, share * i, i === 3 ? size : share * (i + 1));
      from = to;
    }
  }

  /** Sets the table for one kind of code; gives where its description ends. */
  private readTable(
    bytes: Uint8Array,
    start: number,
    end: number,
    i: number,
    kind: Kind,
    mode: number,
  ): number {
    if (mode === 3) {
      if (!this.tables[i]) throw new CodecError("a block uses the table of one before, and there is none");
      return start;
    }
    if (mode === 0) {
      this.tables[i] = kind.usual;
      return start;
    }
    if (mode === 1) {
      const symbol = bytes[start] ?? 0;
      if (start >= end || symbol > kind.largestSymbol)
        throw new CodecError("a block uses a code that is not known");
      this.tables[i] = singleSymbol(symbol);
      return start + 1;
    }
    const read = readFseTable(bytes, start, end, kind.largestLog, kind.largestSymbol);
    this.tables[i] = read.table;
    return read.end;
  }

  private runSequences(
    count: number,
    bytes: Uint8Array,
    start: number,
    end: number,
    out: Buffer,
    at: number,
    reach: number,
  ): number {
    const { literalView, literalCount, recent } = this;
    const view = viewOf(out);
    const [lengths, distances, matches] = this.tables;
    if (!lengths || !distances || !matches) throw new CodecError("a block has no tables");
    const runStates = lengths.states;
    const offsetStates = distances.states;
    const matchStates = matches.states;
    const stop = at + LARGEST_BLOCK;
    let left = bitsBefore(bytes, start, end) - lengths.log;
    let runState = runStates[bitsAt(bytes, start, left, lengths.log)] ?? 0;
    left -= distances.log;
    let offsetState = offsetStates[bitsAt(bytes, start, left, distances.log)] ?? 0;
    left -= matches.log;
    let matchState = matchStates[bitsAt(bytes, start, left, matches.log)] ?? 0;
    let used = 0;
    let written = at;
    for (let sequence = 1; ; sequence++) {
      const offsetCode = offsetState & 0xff;
      if (offsetCode > FARTHEST_CODE) throw new CodecError("a match reaches back before its beginning");
      left -= offsetCode;
      const value = (1 << offsetCode) + bitsAt(bytes, start, left, offsetCode);
      const matchWidth = matchBits[matchState & 0xff] ?? 0;
      left -= matchWidth;
      const match = (matchBases[matchState & 0xff] ?? 0) + bitsAt(bytes, start, left, matchWidth);
      const runWidth = runBits[runState & 0xff] ?? 0;
      left -= runWidth;
      const run = (runBases[runState & 0xff] ?? 0) + bitsAt(bytes, start, left, runWidth);
      if (left < 0) throw new CodecError("the sequences of a block are cut");
      if (used + run > literalCount || written + run + match > stop) {
        throw new CodecError("the sequences of a block make more than it may");
      }
      const distance = value > 3 ? recent.take(value - 3) : recent.repeat(value, run === 0);
      copyBytes(literalView, used, view, written, run);
      used += run;
      written += run;
      if (written - distance < reach) throw new CodecError("a match reaches back before its beginning");
      copyMatch(view, written, distance, match);
      written += match;
      if (sequence === count) break;
      left -= (runState >> 8) & 0xff;
      runState = runStates[(runState >> 16) + bitsAt(bytes, start, left, (runState >> 8) & 0xff)] ?? 0;
      left -= (matchState >> 8) & 0xff;
      matchState =
        matchStates[(matchState >> 16) + bitsAt(bytes, start, left, (matchState >> 8) & 0xff)] ?? 0;
      left -= (offsetState >> 8) & 0xff;
      offsetState =
        offsetStates[(offsetState >> 16) + bitsAt(bytes, start, left, (offsetState >> 8) & 0xff)] ?? 0;
    }
    if (left !== 0) throw new CodecError("the sequences of a block do not fit its size");
    return this.copyLiterals(out, written, used, at);
  }

  /** The literals after the last sequence. */
  private copyLiterals(out: Buffer, written: number, used: number, at: number): number {
    const rest = this.literalCount - used;
    if (written + rest > at + LARGEST_BLOCK)
      throw new CodecError("the literals of a block make more than it may");
    out.set(this.literals.subarray(used, this.literalCount), written);
    return written + rest;
  }
}
