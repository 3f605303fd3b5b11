import { CodecError, TooLargeError } from "./codec-error";
import { copyBytes, copyMatch, SLACK, viewOf } from "./copying";

// The LZ4 frame and block formats (lz4_Frame_format.md, lz4_Block_format.md). Decoded here because the sizes are then
// known before anything is allocated, joined frames and linked blocks are read, and it is twice as fast as a call into
// a library for batches of some kilobytes. Checksums inside are not looked at: the batch has its own.

const FRAME = 0x184d2204;
const SKIPPED = 0x184d2a5;
const BLOCK_SIZES: Record<number, number> = { 4: 65_536, 5: 262_144, 6: 1_048_576, 7: 4_194_304 };

interface Block {
  start: number;
  end: number;
  compressed: boolean;
  /** Uncompressed. */
  size: number;
  /** Its matches reach back to its own beginning at most; else into the blocks of its frame before it. */
  independent: boolean;
}

/** One or more LZ4 frames. @throws CodecError, TooLargeError */
export function unlz4(bytes: Buffer, bound: number): Buffer {
  const blocks: Block[] = [];
  let position = 0;
  while (position < bytes.length) position = readFrame(bytes, position, blocks);
  if (position > bytes.length) throw new CodecError("it ends within a frame");
  let size = 0;
  for (const block of blocks) size += block.size;
  if (size > bound) throw new TooLargeError(bound);
  const out = Buffer.allocUnsafe(size + SLACK);
  const from = viewOf(bytes);
  const to = viewOf(out);
  let written = 0;
  let reach = 0;
  for (const block of blocks) {
    if (block.independent) reach = written;
    if (block.compressed) decode(from, block, to, written, reach);
    else bytes.copy(out, written, block.start, block.end);
    written += block.size;
  }
  return out.subarray(0, size);
}

/** Notes the blocks of the frame that begins here; gives where it ends. */
function readFrame(bytes: Buffer, start: number, blocks: Block[]): number {
  const magic = uint32(bytes, start);
  if (magic >>> 4 === SKIPPED) return start + 8 + uint32(bytes, start + 4);
  if (magic !== FRAME) throw new CodecError("no LZ4 frame begins where one should");
  const flags = bytes[start + 4] ?? 0;
  if (flags >> 6 !== 1) throw new CodecError(`LZ4 frames of version ${flags >> 6} are not known`);
  if (flags & 1) throw new CodecError("it needs a dictionary");
  const largest = BLOCK_SIZES[((bytes[start + 5] ?? 0) >> 4) & 7];
  if (largest === undefined) throw new CodecError("its largest block size is none that LZ4 has");
  const independent = (flags & 0x20) !== 0;
  const blockTail = flags & 0x10 ? 4 : 0;
  let position = start + 6 + (flags & 0x08 ? 8 : 0) + 1;
  for (let first = true; ; first = false) {
    const told = uint32(bytes, position);
    position += 4;
    if (told === 0) break;
    const end = position + (told & 0x7fff_ffff);
    if (end > bytes.length) throw new CodecError("a block ends beyond it");
    const compressed = told < 0x8000_0000;
    const size = compressed ? sizeOf(bytes, position, end) : end - position;
    if (size > largest) throw new CodecError(`a block of ${size} bytes is larger than its frame allows`);
    blocks.push({ start: position, end, compressed, size, independent: independent || first });
    position = end + blockTail;
  }
  return position + (flags & 0x04 ? 4 : 0);
}

function uint32(bytes: Buffer, position: number): number {
  if (position + 4 > bytes.length) throw new CodecError("it ends within a frame");
  return bytes.readUInt32LE(position);
}

/** How much a block becomes, by its lengths alone; makes sure that they stay inside it. */
function sizeOf(bytes: Buffer, start: number, end: number): number {
  let position = start;
  let size = 0;
  for (;;) {
    if (position >= end) throw new CodecError("a block ends without its last literals");
    const token = bytes[position++] ?? 0;
    let literals = token >> 4;
    if (literals === 15) {
      let more = 255;
      for (; more === 255 && position < end; literals += more) more = bytes[position++] ?? 0;
    }
    position += literals;
    size += literals;
    if (position === end) return size;
    position += 2;
    if (position > end) throw new CodecError("a block ends within a match");
    let match = (token & 15) + 4;
    if (match === 19) {
      let more = 255;
      for (; more === 255 && position < end; match += more) more = bytes[position++] ?? 0;
    }
    size += match;
  }
}

/**
 * Decodes a block whose lengths `sizeOf` has checked. Matches may reach back to `reach`. What follows a block in its
 * frame is room enough to read a little more than it.
 */
function decode(from: DataView, block: Block, to: DataView, at: number, reach: number): void {
  const { end } = block;
  let position = block.start;
  let written = at;
  for (;;) {
    const token = from.getUint8(position++);
    let literals = token >> 4;
    if (literals === 15) {
      let more = 255;
      for (; more === 255; literals += more) more = from.getUint8(position++);
    }
    copyBytes(from, position, to, written, literals);
    position += literals;
    written += literals;
    if (position >= end) return;
    const distance = from.getUint16(position, true);
    position += 2;
    let match = (token & 15) + 4;
    if (match === 19) {
      let more = 255;
      for (; more === 255; match += more) more = from.getUint8(position++);
    }
    if (distance === 0 || written - distance < reach) {
      throw new CodecError("a match reaches back before its beginning");
    }
    copyMatch(to, written, distance, match);
    written += match;
  }
}
