import { CodecError } from "./codec-error";
import { BackwardBits } from "./zstd-bits";
import { type FseTable, fseTable, readFseTable, singleSymbol } from "./zstd-fse";
import { type HuffmanTable, readHuffmanStream, readHuffmanTable } from "./zstd-huffman";

/** Most bytes of one block, compressed or not. */
export const LARGEST_BLOCK = 128 * 1024;

// RFC 8878, 3.1.1.3.2: extra bits of the codes of literal and match lengths; each baseline follows from those before.
const literalBits = [...Array(16).fill(0), 1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];
const matchBits = [
  ...Array(32).fill(0),
  ...[1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
];
const literalBases = basesOf(literalBits, 0);
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

function basesOf(bits: readonly number[], first: number): number[] {
  const bases: number[] = [];
  let base = first;
  for (const width of bits) {
    bases.push(base);
    base += 1 << width;
  }
  return bases;
}

/** What a frame's blocks hand on: tables that a later block uses again, and the last three offsets. */
export class BlockDecoder {
  private huffman: HuffmanTable | null = null;
  private tables: (FseTable | null)[] = [null, null, null];
  private readonly recent = [1, 4, 8];
  private readonly literals = new Uint8Array(LARGEST_BLOCK);
  private literalCount = 0;
  private readonly stream = new BackwardBits();

  /** Forgets what an earlier frame handed on. */
  reset(): void {
    this.huffman = null;
    this.tables = [null, null, null];
    this.recent.splice(0, 3, 1, 4, 8);
  }

  /**
   * Decodes the block in `bytes` from `start` to `end` into `out` at `at`, which has room for the largest one. Matches
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
    this.stream.open(bytes, position, end);
    return this.runSequences(count, out, at, reach);
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
    if (oneStream) return readHuffmanStream(huffman, bytes, position, end, literals, 0, size);
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

  private runSequences(count: number, out: Buffer, at: number, reach: number): number {
    const { stream, literals } = this;
    const [lengths, distances, matches] = this.tables;
    if (!lengths || !distances || !matches) throw new CodecError("a block has no tables");
    const stop = at + LARGEST_BLOCK;
    let literalState = stream.take(lengths.log);
    let offsetState = stream.take(distances.log);
    let matchState = stream.take(matches.log);
    let used = 0;
    let written = at;
    for (let left = count; left > 0; left--) {
      const distanceCode = distances.symbols[offsetState] ?? 0;
      const value = this.offsetValue(distanceCode);
      const matchCode = matches.symbols[matchState] ?? 0;
      const match = (matchBases[matchCode] ?? 0) + stream.take(matchBits[matchCode] ?? 0);
      const literalCode = lengths.symbols[literalState] ?? 0;
      const run = (literalBases[literalCode] ?? 0) + stream.take(literalBits[literalCode] ?? 0);
      if (left > 1) {
        literalState = (lengths.bases[literalState] ?? 0) + stream.take(lengths.bits[literalState] ?? 0);
        matchState = (matches.bases[matchState] ?? 0) + stream.take(matches.bits[matchState] ?? 0);
        offsetState = (distances.bases[offsetState] ?? 0) + stream.take(distances.bits[offsetState] ?? 0);
      }
      if (stream.left < 0) throw new CodecError("the sequences of a block are cut");
      const distance = this.distanceOf(value, run === 0);
      if (used + run > this.literalCount || written + run + match > stop) {
        throw new CodecError("the sequences of a block make more than it may");
      }
      if (run > 24) out.set(literals.subarray(used, used + run), written);
      else for (let i = 0; i < run; i++) out[written + i] = literals[used + i] ?? 0;
      used += run;
      written += run;
      let from = written - distance;
      if (from < reach) throw new CodecError("a match reaches back before its beginning");
      if (match > 32 && distance >= match) {
        out.copyWithin(written, from, from + match);
        written += match;
      } else for (const end = written + match; written < end; ) out[written++] = out[from++] ?? 0;
    }
    if (stream.left !== 0) throw new CodecError("the sequences of a block do not fit its size");
    return this.copyLiterals(out, written, used, at);
  }

  private offsetValue(code: number): number {
    // Up to 31 bits, in two steps of at most 24.
    const high = code > 16 ? code - 16 : 0;
    const upper = this.stream.take(high) * 2 ** (code - high);
    return 2 ** code + upper + this.stream.take(code - high);
  }

  /** Values up to 3 mean one of the last three offsets (RFC 8878, 3.1.1.5). */
  private distanceOf(value: number, noLiterals: boolean): number {
    const { recent } = this;
    const [first = 0, second = 0, third = 0] = recent;
    if (value > 3) {
      recent[2] = second;
      recent[1] = first;
      recent[0] = value - 3;
      return value - 3;
    }
    const which = value - (noLiterals ? 0 : 1);
    if (which === 0) return first;
    const distance = which === 1 ? second : which === 2 ? third : first - 1;
    if (distance === 0) throw new CodecError("a match repeats nothing");
    if (which > 1) recent[2] = second;
    recent[1] = first;
    recent[0] = distance;
    return distance;
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
