import { uncompressSync } from "snappy";
import { CodecError, TooLargeError } from "./codec-error";

/** What Java's SnappyOutputStream begins with: these eight bytes and two version numbers of four each. */
const XERIAL = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00]);
const XERIAL_HEADER = 16;

/** No element of the format makes more than 64 bytes from 3. */
const LARGEST_RATIO = 22;

/**
 * Java clients write xerial framing: a header, then blocks with their length before them; a header may come again
 * where streams were joined (SnappyInputStream). Others, such as librdkafka, write one raw block.
 * @throws CodecError, TooLargeError
 */
export function unsnappy(bytes: Buffer, bound: number): Buffer {
  if (!isHeader(bytes, 0)) return block(bytes, bound);
  const blocks = xerialBlocks(bytes);
  let size = 0;
  for (const one of blocks) size += sizeOf(one, bound);
  if (size > bound) throw new TooLargeError(bound);
  const [only] = blocks;
  if (only !== undefined && blocks.length === 1) return block(only, bound);
  return Buffer.concat(
    blocks.map((one) => block(one, bound)),
    size,
  );
}

function xerialBlocks(bytes: Buffer): Buffer[] {
  const blocks: Buffer[] = [];
  for (let position = XERIAL_HEADER; position < bytes.length; ) {
    if (isHeader(bytes, position)) {
      position += XERIAL_HEADER;
      continue;
    }
    if (position + 4 > bytes.length) throw new CodecError("it ends within the length of a block");
    const length = bytes.readInt32BE(position);
    const start = position + 4;
    if (length < 0 || start + length > bytes.length) throw new CodecError("a block ends beyond it");
    if (length > 0) blocks.push(bytes.subarray(start, start + length));
    position = start + length;
  }
  return blocks;
}

function isHeader(bytes: Buffer, position: number): boolean {
  return (
    bytes.length >= position + XERIAL_HEADER && bytes.compare(XERIAL, 0, 8, position, position + 8) === 0
  );
}

function block(bytes: Buffer, bound: number): Buffer {
  sizeOf(bytes, bound);
  try {
    // Copied out: the library's other way hangs a finaliser on each block, and is several times slower.
    const out = uncompressSync(bytes, { asBuffer: true, copyOutputData: true });
    if (typeof out === "string") throw new CodecError("it became text");
    return out;
  } catch (error) {
    throw new CodecError(error instanceof Error ? error.message.replace(/^snappy: /, "") : String(error));
  }
}

/** The size that a block claims before it, checked before anything is made so large. */
function sizeOf(bytes: Buffer, bound: number): number {
  let size = 0;
  for (let i = 0; ; i++) {
    const byte = bytes[i];
    if (byte === undefined || i > 4) throw new CodecError("it does not say its size");
    size += (byte & 0x7f) * 2 ** (7 * i);
    if (byte < 0x80) break;
  }
  if (size > bytes.length * LARGEST_RATIO) {
    throw new CodecError(`${bytes.length} bytes cannot become the ${size} that it claims`);
  }
  if (size > bound) throw new TooLargeError(bound);
  return size;
}
