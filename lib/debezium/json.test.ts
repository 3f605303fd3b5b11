import { describe, expect, test } from "vitest";
import { decodeText } from "./decode-input";
import { deepestJson, JsonTooDeepError, parseJson, stringifyJson, wholeNumber } from "./json";

describe("no digit is lost", () => {
  test.each([
    "1e400",
    "-1e400",
    "0.12345678901234567890123",
    "1.0",
    "-0",
    "1E5",
    "9007199254740993",
    "18446744073709551615",
    "9".repeat(5000),
    '{"isLosslessNumber":true,"toString":1,"__proto__":2}',
  ])("%.40s", (text) => {
    expect(stringifyJson(parseJson(text))).toBe(text);
  });

  test.each([
    ["1.0", 1n],
    ["1e3", 1000n],
    ["1.50e1", 15n],
    ["-0", 0n],
    ["0.0", 0n],
    ["1.5", null],
    ["1e-1", null],
    ["1e400000000", null],
    ["9".repeat(1001), null],
    [`"${"9".repeat(1001)}"`, null],
  ])("%.20s as a whole number is %s", (text, whole) => {
    expect(wholeNumber(parseJson(text))).toBe(whole);
  });

  test.each(["1e400", "9".repeat(900_000), "0.12345678901234567890123"])(
    "%.20s as lsn is shown as it came, and warned of",
    (lsn) => {
      const [partition] = decodeText(`{"lsn":${lsn}}`)[0]?.partitions ?? [];
      expect(partition?.position.fields[0]?.raw).toBe(lsn);
      expect(partition?.position.text).toBe("unknown");
      expect(partition?.warnings.map((w) => w.slug)).toContain("offset-malformed");
    },
    2_000,
  );
});

test("nesting is bounded, brackets in texts are not nesting", () => {
  const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
  expect(stringifyJson(parseJson(nested(deepestJson)))).toBe(nested(deepestJson));
  expect(() => parseJson(nested(deepestJson + 1))).toThrow(JsonTooDeepError);
  expect(() => parseJson(nested(1_000_000))).toThrow(JsonTooDeepError);
  const text = JSON.stringify(`\\"${"[".repeat(1000)}`);
  expect(stringifyJson(parseJson(text))).toBe(text);
});
