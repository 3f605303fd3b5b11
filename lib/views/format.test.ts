import { describe, expect, test } from "vitest";
import { countOf, formatAge, formatCount, formatDuration, formatInterval, formatRate } from "./format";

describe("format", () => {
  test("counts keep every digit", () => {
    expect(formatCount(41_000)).toBe("41,000");
    expect(formatCount("18446744073709551615")).toBe("18,446,744,073,709,551,615");
    expect(countOf(1, "cluster")).toBe("1\u00a0cluster");
    expect(countOf(0, "cluster")).toBe("0\u00a0clusters");
  });

  test("durations: largest fitting unit, never broken from their number", () => {
    expect(formatDuration(0)).toBe("0\u00a0s");
    expect(formatDuration(-500)).toBe("0\u00a0s");
    expect(formatDuration(59_999)).toBe("59\u00a0s");
    expect(formatDuration(60_000)).toBe("1\u00a0m");
    expect(formatDuration(2 * 3_600_000)).toBe("2\u00a0h");
    expect(formatDuration(47 * 3_600_000)).toBe("47\u00a0h");
    expect(formatDuration(3 * 86_400_000)).toBe("3\u00a0d");
  });

  test("ages: what lies in the future is not said to be new", () => {
    expect(formatAge(12_000, " ago")).toBe("12\u00a0s ago");
    expect(formatAge(-5_000, " ago")).toBe("0\u00a0s ago");
    expect(formatAge(-2 * 3_600_000, " ago")).toBe("2\u00a0h ahead of this clock");
    expect(formatAge(-2 * 3_600_000)).toBe("2\u00a0h ahead");
  });

  test("intervals: less than a second is not nothing", () => {
    expect(formatInterval(17)).toBe("under\u00a01\u00a0s");
    expect(formatInterval(1_000)).toBe("1\u00a0s");
  });

  test("rates", () => {
    expect(formatRate(0)).toBe("0/s");
    expect(formatRate(0.44)).toBe("0.4/s");
    expect(formatRate(1204.4)).toBe("1,204/s");
  });
});
