import { describe, expect, test } from "vitest";
import { pauseMs } from "./backoff";

describe("the pause between two runs", () => {
  test("is the interval while all is well", () => {
    expect(pauseMs(5_000, 0, 0.5)).toBe(5_000);
  });
  test("doubles with each failure and stops at 10 s", () => {
    expect([1, 2, 3, 60].map((n) => pauseMs(2_000, n, 0.5))).toEqual([4_000, 8_000, 10_000, 10_000]);
  });
  test("never is shorter than a long interval", () => {
    expect(pauseMs(60_000, 3, 0.5)).toBe(60_000);
  });
  test("has a tenth of jitter to both sides", () => {
    expect(pauseMs(10_000, 0, 0)).toBe(9_000);
    expect(pauseMs(10_000, 0, 1)).toBe(11_000);
  });
});
