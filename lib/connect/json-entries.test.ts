import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type JsonValue, parseJson } from "@/lib/debezium/json";
import { EntryTooLargeError, jsonEntries, NotAnObjectError, UnfinishedJsonError } from "./json-entries";

async function* inPieces(text: string, size: number) {
  const bytes = Buffer.from(text, "utf8");
  for (let i = 0; i < bytes.length; i += size) yield bytes.subarray(i, i + size);
}

async function entries(text: string, size = 7, max = 1_000_000): Promise<[string, JsonValue][]> {
  const found: [string, JsonValue][] = [];
  for await (const entry of jsonEntries(inPieces(text, size), max)) found.push(entry);
  return found;
}

describe("jsonEntries", () => {
  test("any object, cut anywhere, gives what parsing the whole gives", async () => {
    const key = fc.string({ unit: "grapheme" }).filter((name) => name !== "__proto__");
    const value = fc.jsonValue({ noUnicodeString: false, maxDepth: 3 });
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(key, value),
        fc.integer({ min: 1, max: 50 }),
        fc.boolean(),
        async (object, size, pretty) => {
          fc.pre(!JSON.stringify(object).includes("__proto__"));
          const text = pretty ? `\n ${JSON.stringify(object, null, 2)} \r\n` : JSON.stringify(object);
          const whole = parseJson(text);
          expect(Object.fromEntries(await entries(text, size))).toEqual(whole);
        },
      ),
      { numRuns: 300 },
    );
  });

  test("digits beyond 2^53 are kept", async () => {
    expect(await entries('{"a":{"lsn":9223372036854775807}}')).toEqual([
      ["a", { lsn: 9223372036854775807n }],
    ]);
  });

  test("every shorter text is unfinished or wrong, never an end", async () => {
    const text = '{"a":{"b":[1,"}"]},"c":"\\""}';
    for (let length = 0; length < text.length; length++)
      await expect(entries(text.slice(0, length))).rejects.toThrow();
    await expect(entries(text.slice(0, 12))).rejects.toThrow(UnfinishedJsonError);
  });

  test("what is no object is told at its first byte", async () => {
    await expect(entries("[1]")).rejects.toMatchObject({ list: true });
    for (const text of ["<html>", "1", '"a"', "{} x", "{}{}"])
      await expect(entries(text)).rejects.toThrow(NotAnObjectError);
  });

  test("an entry that is too large ends it", async () => {
    await expect(entries(`{"a":"${"x".repeat(200)}"}`, 7, 100)).rejects.toThrow(EntryTooLargeError);
    expect(await entries(`{"a":"${"x".repeat(80)}","b":"${"x".repeat(80)}"}`, 7, 100)).toHaveLength(2);
  });
});
