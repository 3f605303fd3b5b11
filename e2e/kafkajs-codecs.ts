import { decompress as unzstd } from "fzstd";
import kafkajs from "kafkajs";
import { compressFrame, decompressFrame } from "lz4-napi";
import snappy from "snappy";

interface Codec {
  compress(encoder: { buffer: Buffer }): Promise<Buffer>;
  decompress(buffer: Buffer): Promise<Buffer>;
}

/** Snappy's Java library frames what it writes: a magic number, two versions, then blocks behind their lengths. */
const XERIAL = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00]);

const codecs: Record<"Snappy" | "LZ4" | "ZSTD", Codec> = {
  Snappy: {
    compress: ({ buffer }) => snappy.compress(buffer),
    decompress: async (buffer) => {
      if (!buffer.subarray(0, 8).equals(XERIAL)) return (await snappy.uncompress(buffer)) as Buffer;
      const blocks: Buffer[] = [];
      for (let at = 16; at < buffer.length; ) {
        const end = at + 4 + buffer.readInt32BE(at);
        blocks.push((await snappy.uncompress(buffer.subarray(at + 4, end))) as Buffer);
        at = end;
      }
      return Buffer.concat(blocks);
    },
  },
  LZ4: { compress: ({ buffer }) => compressFrame(buffer), decompress: (buffer) => decompressFrame(buffer) },
  ZSTD: {
    compress: () => Promise.reject(new Error("nothing here writes zstd")),
    decompress: async (buffer) => Buffer.from(unzstd(buffer)),
  },
};

/** Teaches kafkajs the codecs that it does not bring, apart from those of our own reader. */
export function teachCodecs(): void {
  for (const [name, codec] of Object.entries(codecs)) {
    kafkajs.CompressionCodecs[kafkajs.CompressionTypes[name as keyof typeof codecs]] = () => codec;
  }
}
