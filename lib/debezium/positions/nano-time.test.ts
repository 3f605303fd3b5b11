import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nanosText, parseRfc3339, timeBetween } from "./nano-time";

describe("times with nanoseconds", () => {
  test.each([
    ["2026-09-14T06:30:00Z", 1789367400000000000n],
    ["2026-09-14T06:30:00.5Z", 1789367400500000000n],
    ["2026-09-14T06:30:00.123456789Z", 1789367400123456789n],
    ["2026-09-14T08:30:00.000000001+02:00", 1789367400000000001n],
    ["1969-12-31T23:59:59.999999999Z", -1n],
    [" 2026-09-14t06:30:00z ", 1789367400000000000n],
    ["0001-01-01T00:00:00Z", -62135596800000000000n],
  ])("%s", (text, nanos) => {
    expect(parseRfc3339(text)).toBe(nanos);
  });

  test.each([
    "",
    "2026-09-14",
    "2026-09-14T06:30:00",
    "2026-02-30T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-09-14T25:00:00Z",
    "2026-09-14T06:30:00.1234567890Z",
    "1789367400",
  ])("%j is none", (text) => {
    expect(parseRfc3339(text)).toBeNull();
  });

  test("as many digits as matter", () => {
    expect(nanosText(1789367400000000000n)).toBe("2026-09-14T06:30:00Z");
    expect(nanosText(1789367400120000000n)).toBe("2026-09-14T06:30:00.120Z");
    expect(nanosText(1789367400123456000n)).toBe("2026-09-14T06:30:00.123456Z");
    expect(nanosText(-1n)).toBe("1969-12-31T23:59:59.999999999Z");
    expect(nanosText(10n ** 25n)).toBeNull();
  });

  test("what is written is read back", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 62n), max: 2n ** 63n }), (nanos) => {
        expect(parseRfc3339(nanosText(nanos) ?? "")).toBe(nanos);
      }),
    );
  });

  test("any text is a time that can be written, or none", () => {
    const shaped = fc.stringMatching(
      /^[12]\d{3}-[01]\d-[0-3]\dT[0-2]\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-][01]\d:[0-5]\d)$/,
    );
    fc.assert(
      fc.property(fc.oneof(fc.string(), shaped), (text) => {
        const nanos = parseRfc3339(text);
        if (nanos !== null) expect(parseRfc3339(nanosText(nanos) ?? "")).toBe(nanos);
      }),
    );
  });

  test("what lies between is never 0 for two times that differ", () => {
    expect(timeBetween(0n, 5_500_000n)).toEqual({ amount: 5n, unit: "milliseconds" });
    expect(timeBetween(5_500_000n, 0n)).toEqual({ amount: -5n, unit: "milliseconds" });
    expect(timeBetween(0n, 999n)).toEqual({ amount: 999n, unit: "nanoseconds" });
    expect(timeBetween(7n, 7n)).toEqual({ amount: 0n, unit: "milliseconds" });
  });
});
