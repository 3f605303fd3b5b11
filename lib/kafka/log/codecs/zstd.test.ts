import { decompress } from "fzstd";
import { describe, expect, test } from "vitest";
import { CodecError, TooLargeError } from "./codec-error";
import { type Sample, sample } from "./testing/samples";
import frames from "./testing/zstd-frames.json" with { type: "json" };
import { unzstd } from "./zstd";

const MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
const bound = 1 << 20;
const bytesOf = (frame: { frame: string }) => Buffer.from(frame.frame, "base64");
const textOf = (frame: { kind: string; size: number }) => sample(frame.kind as Sample, frame.size);

/** A block: its header's 24 bits, then what it holds. */
function block(last: boolean, type: number, size: number, ...holds: number[]): Buffer {
  const header = (size << 3) | (type << 1) | (last ? 1 : 0);
  return Buffer.from([header & 0xff, (header >> 8) & 0xff, header >> 16, ...holds]);
}
/** A frame with a window of 1 kB that does not say its size. */
const frame = (...blocks: Buffer[]) => Buffer.concat([MAGIC, Buffer.from([0x00, 0x00]), ...blocks]);

describe("Zstandard", () => {
  test.each(frames)("what $made made of $size bytes of $kind comes back", (made) => {
    const text = textOf(made);
    expect(unzstd(bytesOf(made), bound).equals(text)).toBe(true);
    if (text.length > 0) expect(Buffer.from(decompress(bytesOf(made))).equals(text)).toBe(true);
  });

  test("joined frames come back as one, frames to be skipped and empty ones among them", () => {
    const skipped = Buffer.from([0x5e, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);
    const empty = frame(block(true, 0, 0));
    const joined = frames.flatMap((made) => [bytesOf(made), skipped, empty]);
    expect(unzstd(Buffer.concat(joined), 1 << 22).equals(Buffer.concat(frames.map(textOf)))).toBe(true);
  });

  test("plain and repeated blocks come back", () => {
    const blocks = [block(false, 0, 2, 0x61, 0x62), block(false, 1, 4, 0x63), block(true, 0, 0)];
    expect(unzstd(frame(...blocks), bound).toString()).toBe("abcccc");
  });

  test("every cut of a frame is an error", () => {
    const made = bytesOf(
      frames.find((f) => f.made.endsWith("--no-check") && f.size === 20_000) ?? { frame: "" },
    );
    expect(made.length).toBeGreaterThan(1000);
    for (let length = 1; length < made.length; length++) {
      expect(() => unzstd(made.subarray(0, length), bound)).toThrow(CodecError);
    }
  });

  test("half a megabyte of blocks that each become 128 kB ends at the bound, and soon", () => {
    const repeated = block(false, 1, 128 * 1024, 0x78);
    const bomb = Buffer.concat([frame(), ...Array<Buffer>(130_000).fill(repeated)]);
    const started = performance.now();
    expect(() => unzstd(bomb, 64 * 1024 * 1024)).toThrow(TooLargeError);
    expect(performance.now() - started).toBeLessThan(5000);
  });

  test("a size that is claimed is refused beyond the bound, and makes no room below it", () => {
    const claims = (size: bigint) => {
      const header = Buffer.alloc(9);
      header[0] = 0xe0; // its size in eight bytes, one segment
      header.writeBigUInt64LE(size, 1);
      return Buffer.concat([MAGIC, header, block(true, 0, 1, 0x61)]);
    };
    expect(() => unzstd(claims(2n ** 63n), 256 * 1024 * 1024)).toThrow(TooLargeError);
    const before = process.memoryUsage().arrayBuffers;
    for (let i = 0; i < 100; i++) expect(() => unzstd(claims(2n ** 27n), 2 ** 28)).toThrow("became 1");
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1024 * 1024);
  });

  test.each<[string, Buffer, string]>([
    ["no frame", Buffer.from("{}{}"), "no Zstandard frame"],
    ["a reserved bit", Buffer.concat([MAGIC, Buffer.from([0x08, 0])]), "not known yet"],
    ["a dictionary", Buffer.concat([MAGIC, Buffer.from([0x01, 0, 7])]), "dictionary"],
    ["a block of the reserved type", frame(block(true, 3, 1, 0)), "type that is not known"],
    ["a block larger than 128 kB", frame(block(true, 1, 128 * 1024 + 1, 0)), "larger than it may be"],
    ["a block beyond the end", frame(block(true, 0, 9, 0)), "ends beyond"],
    ["an empty compressed block", frame(block(true, 2, 0)), "literals are larger"],
    ["a block of literals alone", frame(block(true, 2, 1, 0)), "within its literals"],
    ["literals beyond the block", frame(block(true, 2, 2, 0xf8, 0)), "literals are larger"],
    ["a table of none before", frame(block(true, 2, 3, 0x03, 0, 0)), "none"],
    [
      "a match before the beginning",
      frame(block(true, 2, 8, 0x08, 0x61, 1, 0x54, 0, 0, 0, 1)),
      "reaches back",
    ],
    ["bytes after it", Buffer.concat([frame(block(true, 0, 0)), Buffer.from([0])]), "within a frame"],
  ])("%s is an error", (_, bytes, why) => {
    expect(() => unzstd(bytes, bound)).toThrow(CodecError);
    expect(() => unzstd(bytes, bound)).toThrow(why);
  });
});
