import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { CodecError, TooLargeError } from "./codec-error";
import { ungzip } from "./gzip";
import { sample } from "./testing/samples";

describe("gzip", () => {
  test("one member and joined ones come back", () => {
    const text = sample("events", 300_000);
    expect(ungzip(gzipSync(text), 300_000).equals(text)).toBe(true);
    const joined = Buffer.concat([gzipSync("one "), gzipSync(""), gzipSync("two")]);
    expect(ungzip(joined, 100).toString()).toBe("one two");
  });

  test("what would be larger than the bound is refused", () => {
    expect(() => ungzip(gzipSync(Buffer.alloc(100_000)), 99_999)).toThrow(TooLargeError);
  });

  test.each<[string, Buffer]>([
    ["text", Buffer.from("not compressed at all")],
    ["a cut member", gzipSync("cut short").subarray(0, -1)],
    ["damage", gzipSync(sample("events", 5000)).fill(0, 100, 200)],
  ])("%s is an error", (_, bytes) => {
    expect(() => ungzip(bytes, 1 << 20)).toThrow(CodecError);
  });
});
