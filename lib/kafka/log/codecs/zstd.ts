import { CodecError, TooLargeError } from "./codec-error";
import { SLACK } from "./copying";
import { BlockDecoder, LARGEST_BLOCK } from "./zstd-block";

// Zstandard after RFC 8878. Decoded here because Node has it from version 22.15 only, and the libraries to be had take
// time and memory without bound for hostile bytes. Checksums inside are not looked at: the batch has its own.

const FRAME = 0xfd2fb528;
const SKIPPED = 0x184d2a5;

const decoder = new BlockDecoder();

/** One or more Zstandard frames, with or without their size in their header. @throws CodecError, TooLargeError */
export function unzstd(bytes: Buffer, bound: number): Buffer {
  const out = new Output(bound);
  let position = 0;
  while (position < bytes.length) position = readFrame(bytes, position, out);
  if (position > bytes.length) throw new CodecError("it ends within a frame");
  return out.done();
}

/** Decodes the frame that begins here; gives where it ends. */
function readFrame(bytes: Buffer, start: number, out: Output): number {
  const magic = uint32(bytes, start);
  if (magic >>> 4 === SKIPPED) return start + 8 + uint32(bytes, start + 4);
  if (magic !== FRAME) throw new CodecError("no Zstandard frame begins where one should");
  const header = readHeader(bytes, start + 4);
  if (header.size !== null) out.expect(header.size);
  const began = out.size;
  decoder.reset();
  let position = header.end;
  for (let last = false; !last; ) {
    if (position + 3 > bytes.length) throw new CodecError("it ends within a frame");
    const block = bytes.readUIntLE(position, 3);
    last = (block & 1) !== 0;
    position = readBlock(bytes, position + 3, (block >> 1) & 3, block >> 3, out, began);
  }
  if (header.size !== null && out.size - began !== header.size) {
    throw new CodecError(`a frame of ${header.size} bytes became ${out.size - began}`);
  }
  return position + (header.checksum ? 4 : 0);
}

function readHeader(bytes: Buffer, start: number): { end: number; size: number | null; checksum: boolean } {
  const flags = bytes[start] ?? 0;
  if (flags & 0x08) throw new CodecError("a frame uses what is not known yet");
  const single = (flags & 0x20) !== 0;
  let position = start + (single ? 1 : 2);
  const dictionary = [0, 1, 2, 4][flags & 3] ?? 0;
  const sizeWidth = [single ? 1 : 0, 2, 4, 8][flags >> 6] ?? 0;
  if (position + dictionary + sizeWidth > bytes.length) throw new CodecError("it ends within a frame");
  for (let i = 0; i < dictionary; i++) if (bytes[position + i]) throw new CodecError("it needs a dictionary");
  position += dictionary;
  let size: number | null = null;
  if (sizeWidth === 8) size = bytes.readUInt32LE(position) + bytes.readUInt32LE(position + 4) * 2 ** 32;
  else if (sizeWidth > 0) size = bytes.readUIntLE(position, sizeWidth) + (sizeWidth === 2 ? 256 : 0);
  return { end: position + sizeWidth, size, checksum: (flags & 0x04) !== 0 };
}

function readBlock(
  bytes: Buffer,
  start: number,
  type: number,
  size: number,
  out: Output,
  reach: number,
): number {
  if (type === 3) throw new CodecError("a block has a type that is not known");
  if (size > LARGEST_BLOCK) throw new CodecError(`a block of ${size} bytes is larger than it may be`);
  const end = start + (type === 1 ? 1 : size);
  if (end > bytes.length) throw new CodecError("a block ends beyond it");
  if (type === 2) out.decode(bytes, start, end, reach);
  else {
    out.ensure(size);
    if (type === 1) out.bytes.fill(bytes[start] ?? 0, out.size, out.size + size);
    else bytes.copy(out.bytes, out.size, start, end);
    out.size += size;
  }
  return end;
}

function uint32(bytes: Buffer, position: number): number {
  if (position + 4 > bytes.length) throw new CodecError("it ends within a frame");
  return bytes.readUInt32LE(position);
}

/** Where decoding begins: batches are small, and room for the largest block of each would be made for nothing. */
const scratch = Buffer.alloc(4 * LARGEST_BLOCK);

/** What was decoded so far, growing up to a bound. */
class Output {
  bytes = scratch;
  size = 0;

  constructor(private readonly bound: number) {}

  /** A size that is only claimed makes no room. @throws TooLargeError */
  expect(more: number): void {
    if (this.size + more > this.bound) throw new TooLargeError(this.bound);
  }

  /** Makes room for so many bytes more. @throws TooLargeError */
  ensure(more: number): void {
    this.expect(more);
    this.grow(this.size + more);
  }

  /** A compressed block tells its size only by being decoded: room is made for the largest. */
  decode(bytes: Buffer, start: number, end: number, reach: number): void {
    this.grow(this.size + LARGEST_BLOCK + SLACK);
    this.size = decoder.decode(bytes, start, end, this.bytes, this.size, reach);
    if (this.size > this.bound) throw new TooLargeError(this.bound);
  }

  /** A copy where this is needed again, or would hold far more than what is in it. */
  done(): Buffer {
    const used = this.bytes.subarray(0, this.size);
    return this.bytes !== scratch && this.size > this.bytes.length / 2 ? used : Buffer.from(used);
  }

  private grow(wanted: number): void {
    if (wanted <= this.bytes.length) return;
    const room = Buffer.allocUnsafe(
      Math.max(wanted, Math.min(this.bytes.length * 2, this.bound + LARGEST_BLOCK + SLACK)),
    );
    this.bytes.copy(room, 0, 0, this.size);
    this.bytes = room;
  }
}
