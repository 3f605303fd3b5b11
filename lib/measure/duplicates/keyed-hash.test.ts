import { expect, test } from "vitest";
import { KeyedHash } from "./keyed-hash";

/** Of the reference implementation (vectors_hsip64): key 0…7, message 0…n-1; here those of whole words. */
const vectors: Record<number, string> = {
  0: "218d1f59b9b83cc8",
  4: "d5e78a175be52ea1",
  8: "edfee820bce4858c",
  12: "7bc71f9faef5c799",
  16: "7336aad25f7bf3b5",
  20: "1bf52b0a6feea7db",
};

function hex(hash: KeyedHash): string {
  const out = Buffer.alloc(8);
  out.writeUInt32LE(hash.low, 0);
  out.writeUInt32LE(hash.high, 4);
  return out.toString("hex");
}

test("is HalfSipHash-2-4 with 64 bits", () => {
  const hash = new KeyedHash(Uint8Array.from([0, 1, 2, 3, 4, 5, 6, 7]));
  for (const [length, expected] of Object.entries(vectors)) {
    const message = Buffer.from(Array.from({ length: Number(length) }, (_, i) => i));
    hash.begin();
    for (let at = 0; at < message.length; at += 4) hash.word(message.readInt32LE(at));
    hash.end();
    expect([length, hex(hash)]).toEqual([length, expected]);
  }
});

test("another secret, another cut of the parts, another number: another hash", () => {
  const hash = new KeyedHash(Buffer.from("secret-1"));
  const other = new KeyedHash(Buffer.from("secret-2"));
  const of = (by: KeyedHash, feed: (by: KeyedHash) => void) => {
    by.begin();
    feed(by);
    by.end();
    return hex(by);
  };
  const texts = (...parts: string[]) => of(hash, (by) => parts.forEach((part) => void by.text(part)));
  const numbers = [-1, 0, 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1].map((n) =>
    of(hash, (by) => by.number(n)),
  );
  const all = [
    ...numbers,
    texts("ab", "c"),
    texts("a", "bc"),
    texts("abc"),
    texts("abc", ""),
    texts("abc\0"),
    of(other, (by) => by.text("abc")),
  ];
  expect(new Set(all).size).toBe(all.length);
  expect(texts("ab", "c")).toBe(texts("ab", "c"));
});

test("a secret of another length is refused", () => {
  expect(() => new KeyedHash(Buffer.alloc(7))).toThrow(RangeError);
});
