import { compressSync } from "snappy";
import { describe, expect, test } from "vitest";
import { xerialSnappy } from "../testing/compressors";
import { CodecError, TooLargeError } from "./codec-error";
import { unsnappy } from "./snappy";
import { type Sample, sample } from "./testing/samples";

const bound = 1 << 22;
const header = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0, 0, 0, 0, 1, 0, 0, 0, 1]);

describe("snappy", () => {
  test.each<[Sample, number]>([
    ["events", 1],
    ["events", 16_384],
    ["events", 300_000],
    ["noise", 100_000],
    ["zeros", 1_000_000],
  ])("%s of %i bytes comes back, raw and in xerial framing", (kind, size) => {
    const text = sample(kind, size);
    expect(unsnappy(compressSync(text), bound).equals(text)).toBe(true);
    expect(unsnappy(xerialSnappy(text), bound).equals(text)).toBe(true);
    expect(unsnappy(xerialSnappy(text, 1000), bound).equals(text)).toBe(true);
  });

  test("nothing comes back as nothing", () => {
    expect(unsnappy(compressSync(Buffer.alloc(0)), bound).length).toBe(0);
    expect(unsnappy(header, bound).length).toBe(0);
    expect(unsnappy(Buffer.concat([header, Buffer.alloc(4)]), bound).length).toBe(0);
  });

  test("joined xerial streams come back as one", () => {
    const joined = Buffer.concat([xerialSnappy(Buffer.from("one ")), xerialSnappy(Buffer.from("two"))]);
    expect(unsnappy(joined, bound).toString()).toBe("one two");
  });

  test("what would be larger than the bound, alone or together, is refused", () => {
    const zeros = Buffer.alloc(100_000);
    expect(() => unsnappy(compressSync(zeros), 99_999)).toThrow(TooLargeError);
    expect(() => unsnappy(xerialSnappy(zeros), 99_999)).toThrow(TooLargeError);
    expect(unsnappy(xerialSnappy(zeros), 100_000).length).toBe(100_000);
  });

  test("a claimed size that the bytes cannot make is refused before room is made for it", () => {
    const claim = Buffer.concat([Buffer.from([0xff, 0xff, 0xff, 0x7f]), Buffer.alloc(1000)]);
    expect(() => unsnappy(claim, 2 ** 28)).toThrow("cannot become");
  });

  test.each<[string, Buffer]>([
    ["nothing at all", Buffer.alloc(0)],
    ["a size without end", Buffer.alloc(9, 0xff)],
    ["a block beyond the end", Buffer.concat([header, Buffer.from([0, 0, 0, 9, 1])])],
    ["a negative length", Buffer.concat([header, Buffer.from([0xff, 0, 0, 9, 1])])],
    ["half a length", Buffer.concat([header, Buffer.from([0, 0])])],
    ["a cut block", compressSync(sample("events", 5000)).subarray(0, -5)],
    ["text", Buffer.from("not compressed at all")],
  ])("%s is an error", (_, bytes) => {
    expect(() => unsnappy(bytes, bound)).toThrow(CodecError);
  });
});
