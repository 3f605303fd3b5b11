import fc from "fast-check";
import { expect, test } from "vitest";
import { formatShare, formatSpread } from "./format-share";

const plain = (share: number) => formatShare(share).replaceAll("\u00a0", " ");

test("shares as people read them", () => {
  expect([0, 0.008, 0.00812, 0.0003, 0.123, 0.5, 1, 0.000_000_1, 0.999_95, 0.999_999].map(plain)).toEqual([
    "0 %",
    "0.8 %",
    "0.81 %",
    "0.03 %",
    "12.3 %",
    "50 %",
    "100 %",
    "< 0.001 %",
    "> 99.9 %",
    "> 99.9 %",
  ]);
  expect(formatSpread([0.006, 0.01]).replaceAll("\u00a0", " ")).toBe("±0.2 %");
});

test("only nothing is 0 %, only all is 100 %", () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (share) => {
      expect(plain(share) === "0 %").toBe(share === 0);
      expect(plain(share) === "100 %").toBe(share === 1);
    }),
  );
});
