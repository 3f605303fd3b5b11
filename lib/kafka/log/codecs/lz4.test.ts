import { compressFrameSync } from "lz4-napi";
import { describe, expect, test } from "vitest";
import { CodecError, TooLargeError } from "./codec-error";
import { unlz4 } from "./lz4";
import { type Sample, sample } from "./testing/samples";

const bound = 1 << 22;

/** A frame of 64 kB blocks, as Java's KafkaLZ4BlockOutputStream heads it; `linked` blocks may use those before them. */
function frame(flags: { linked?: boolean; sized?: bigint; checked?: boolean }, ...blocks: Buffer[]): Buffer {
  const flag =
    0x40 | (flags.linked ? 0 : 0x20) | (flags.sized === undefined ? 0 : 0x08) | (flags.checked ? 0x14 : 0);
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(flags.sized ?? 0n);
  return Buffer.concat([
    Buffer.from([0x04, 0x22, 0x4d, 0x18, flag, 0x40]),
    flags.sized === undefined ? Buffer.alloc(0) : size,
    Buffer.from([0x99]), // checksum of the header: not looked at
    ...blocks.map((block) => Buffer.concat([block, Buffer.alloc(flags.checked ? 4 : 0)])),
    Buffer.alloc(4),
    Buffer.alloc(flags.checked ? 4 : 0),
  ]);
}
function block(...bytes: number[]): Buffer {
  return Buffer.from([bytes.length & 0xff, bytes.length >> 8, 0, 0, ...bytes]);
}
const plain = (text: string) => Buffer.concat([Buffer.from([text.length, 0, 0, 0x80]), Buffer.from(text)]);
/** "abc", then five bytes from three back, then "x". */
const abcabcabx = block(0x31, 0x61, 0x62, 0x63, 3, 0, 0x10, 0x78);

describe("LZ4", () => {
  test.each<[Sample, number]>([
    ["events", 0],
    ["events", 1],
    ["events", 16_384],
    ["events", 300_000],
    ["skewed", 100_000],
    ["noise", 100_000],
    ["zeros", 1_000_000],
  ])("%s of %i bytes comes back from a frame of another encoder", (kind, size) => {
    const text = sample(kind, size);
    expect(unlz4(compressFrameSync(text), bound).equals(text)).toBe(true);
    const checked = compressFrameSync(text, { contentChecksum: true, blockChecksums: true });
    expect(unlz4(checked, bound).equals(text)).toBe(true);
  });

  test("joined frames come back as one, frames to be skipped and empty ones among them", () => {
    const skipped = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 1, 2]);
    const joined = [
      compressFrameSync(Buffer.from("one ")),
      skipped,
      frame({}),
      compressFrameSync(Buffer.from("two")),
    ];
    expect(unlz4(Buffer.concat(joined), bound).toString()).toBe("one two");
  });

  test("blocks that overlap themselves, are not compressed or reach into the one before come back", () => {
    expect(unlz4(frame({}, abcabcabx), bound).toString()).toBe("abcabcabx");
    expect(unlz4(frame({ sized: 9n, checked: true }, abcabcabx), bound).toString()).toBe("abcabcabx");
    expect(unlz4(frame({}, plain("plain "), plain("")), bound).toString()).toBe("plain ");
    const reaching = block(0x00, 5, 0, 0x10, 0x21);
    expect(unlz4(frame({ linked: true }, plain("hello"), reaching), bound).toString()).toBe("hellohell!");
    expect(() => unlz4(frame({}, plain("hello"), reaching), bound)).toThrow("reaches back");
  });

  test("every cut of a frame is an error", () => {
    const whole = compressFrameSync(sample("events", 5000));
    for (let length = 1; length < whole.length; length++) {
      expect(() => unlz4(whole.subarray(0, length), bound)).toThrow(CodecError);
    }
  });

  test("what would be larger than the bound is refused before room is made for it", () => {
    const bomb = compressFrameSync(Buffer.alloc(40_000_000));
    expect(bomb.length).toBeLessThan(200_000);
    const before = process.memoryUsage().arrayBuffers;
    expect(() => unlz4(bomb, 39_999_999)).toThrow(TooLargeError);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1_000_000);
    expect(unlz4(bomb, 40_000_000).length).toBe(40_000_000);
  });

  test.each<[string, Buffer, string]>([
    ["no frame", Buffer.from("{}{}"), "no LZ4 frame"],
    ["an old frame", Buffer.from([0x02, 0x21, 0x4c, 0x18]), "no LZ4 frame"],
    ["another version", Buffer.from([0x04, 0x22, 0x4d, 0x18, 0x80, 0x40, 0]), "version 2"],
    ["a dictionary", Buffer.from([0x04, 0x22, 0x4d, 0x18, 0x61, 0x40, 0]), "dictionary"],
    ["a block size of none", Buffer.from([0x04, 0x22, 0x4d, 0x18, 0x60, 0x00, 0]), "block size"],
    ["a match of distance 0", frame({}, block(0x10, 0x61, 0, 0, 0x10, 0x78)), "reaches back"],
    ["a match before the beginning", frame({}, block(0x10, 0x61, 2, 0, 0x10, 0x78)), "reaches back"],
    ["no last literals", frame({}, block(0x10, 0x61, 1, 0)), "last literals"],
    ["literals beyond the block", frame({}, block(0xf0, 0xff)), "ends within a match"],
    [
      "more than 64 kB in a block",
      frame({}, block(0x1f, 0x61, 1, 0, ...Array(257).fill(255), 9, 0x10, 0x78)),
      "larger than its frame",
    ],
  ])("%s is an error", (_, bytes, why) => {
    expect(() => unlz4(bytes, bound)).toThrow(CodecError);
    expect(() => unlz4(bytes, bound)).toThrow(why);
  });
});
