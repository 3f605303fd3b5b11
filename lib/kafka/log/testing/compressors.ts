import { gzipSync } from "node:zlib";
import { compressFrameSync } from "lz4-napi";
import { compressSync } from "snappy";

/** By the number of their codec; Zstandard in plain blocks, for no library here compresses it. */
export const compressors: readonly ((records: Buffer) => Uint8Array)[] = [
  (records) => records,
  (records) => gzipSync(records),
  (records) => compressSync(records),
  (records) => compressFrameSync(records),
  zstdInPlainBlocks,
];

const ZSTD_HEADER = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58];
const BLOCK = 100_000;

function zstdInPlainBlocks(records: Buffer): Buffer {
  const parts: Buffer[] = [Buffer.from(ZSTD_HEADER)];
  let at = 0;
  do {
    const block = records.subarray(at, at + BLOCK);
    at += BLOCK;
    const header = Buffer.alloc(3);
    header.writeUIntLE(block.length * 8 + (at >= records.length ? 1 : 0), 0, 3);
    parts.push(header, block);
  } while (at < records.length);
  return Buffer.concat(parts);
}

/** As Java's SnappyOutputStream frames its blocks. */
export function xerialSnappy(records: Buffer, blockSize = 32_768): Buffer {
  const parts: Buffer[] = [
    Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0, 0, 0, 0, 1, 0, 0, 0, 1]),
  ];
  for (let at = 0; at < records.length; at += blockSize) {
    const block = compressSync(records.subarray(at, at + blockSize));
    const length = Buffer.alloc(4);
    length.writeInt32BE(block.length);
    parts.push(length, block);
  }
  return Buffer.concat(parts);
}
