import fc from "fast-check";
import { parse } from "lossless-json";
import { expect, test } from "vitest";
import { CompactJson } from "./compact-json";

/** Numbers that are not simple stay the texts that they are. */
const compact = new CompactJson((text) => ({ number: text }));
const simple = /^(?:0|[1-9]\d{0,14})$/;
const slow = (text: string) =>
  parse(text, null, (number) => (simple.test(number) ? Number(number) : { number }));

/** What a parser gives that takes all JSON; undefined where it refuses. */
function orRefused(text: string): unknown {
  try {
    return slow(text);
  } catch {
    return undefined;
  }
}

test("reads what is written without whitespace as any parser does", () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 4, noUnicodeString: false }), (text) => {
      const value = compact.parse(text);
      if (value !== undefined) expect(value).toEqual(slow(text));
    }),
  );
});

test("takes nothing that is no JSON, whatever bytes of an event are cut, changed or put in", () => {
  const event = String.raw`{"lsn":27355504,"ts_ns":1795957675632740000,"sequence":"[\"27355448\",\"27355504\"]","xmin":null,"snapshot":"false","ok":[true,-1.5e3,{}],"ü":""}`;
  const bit = fc.constantFrom(
    '"',
    "\\",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "0",
    "-",
    ".",
    "e",
    "n",
    " ",
    "\n",
    "",
  );
  fc.assert(
    fc.property(fc.nat(event.length), fc.nat(3), bit, (at, cut, put) => {
      const text = event.slice(0, at) + put + event.slice(at + cut);
      const value = compact.parse(text);
      if (value !== undefined) expect(value).toEqual(orRefused(text));
    }),
    { numRuns: 3_000 },
  );
  expect(compact.parse(event)).toEqual(slow(event));
});

test.each([
  "",
  "{",
  '{"a":1,}',
  '{"a":1,"a":1}',
  '{"__proto__":1}',
  "01",
  "-",
  "1.",
  "[1 ]",
  '"\t"',
  String.raw`"\x"`,
  "nul",
  "1 ",
  "[".repeat(40) + "]".repeat(40),
])("leaves %j to another parser", (text) => {
  expect(compact.parse(text)).toBeUndefined();
});

test("keeps the digits of numbers that a double may not hold", () => {
  expect(compact.parse("[999999999999999,1000000000000000,-0,1e2]")).toEqual([
    999999999999999,
    { number: "1000000000000000" },
    { number: "-0" },
    { number: "1e2" },
  ]);
});
