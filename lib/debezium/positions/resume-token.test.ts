import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bsonField } from "./bson";
import { hexBytes, hexText } from "./hex";
import { parseResumeToken, type ResumeToken, tokenText } from "./resume-token";

const base64 = (bytes: readonly number[]) => Buffer.from(bytes).toString("base64");
const int32 = (n: number) => [...new Uint8Array(Int32Array.of(n).buffer)];
const cstring = (text: string) => [...Buffer.from(text), 0];
const stringElement = (name: string, text: string) => [
  2,
  ...cstring(name),
  ...int32(Buffer.byteLength(text) + 1),
  ...cstring(text),
];
const bytesElement = (name: string, bytes: readonly number[]) => [
  5,
  ...cstring(name),
  ...int32(bytes.length),
  0,
  ...bytes,
];
const bson = (...elements: number[][]) => {
  const body = elements.flat();
  return [...int32(body.length + 5), ...body, 0];
};

/** From Debezium's SourceInfoTest: of an insert, and of an empty batch. */
const ofInsert =
  "82647A41A6000000012B022C0100296E5A10042409C0859BCF45ABBE0E0BD72AB4040346465F696400461E666F6F002B021E626172002B04000004";
const ofEmptyBatch = "8263515EAC000000022B0429296E1404";

function tokenOf(text: string): ResumeToken {
  const { token, problem } = parseResumeToken(text);
  if (!token) throw new Error(problem);
  return token;
}

describe("the same token in each form", () => {
  const expected = {
    seconds: 1685733798n,
    increment: 1n,
    data: ofInsert.toLowerCase(),
    kind: "event",
    ordinal: 0n,
  };

  test.each([
    ["bare hex", ofInsert],
    ["bare hex, lower case, with blanks around", ` ${ofInsert.toLowerCase()}\n`],
    ["base64 of BSON", base64(bson(stringElement("_data", ofInsert)))],
    [
      "BSON with other fields around it",
      base64(
        bson(
          [...[3, ...cstring("before")], ...bson([8, ...cstring("x"), 1])],
          [16, ...cstring("n"), 1, 2, 3, 4],
          stringElement("_data", ofInsert),
          bytesElement("_typeBits", [0x82, 0x40, 0x01]),
        ),
      ),
    ],
    [
      "BSON with BinData, of old servers",
      base64(bson(bytesElement("_data", [...(hexBytes(ofInsert) ?? [])]))),
    ],
    ["extended JSON", `{"_data": "${ofInsert}"}`],
    [
      "extended JSON with BinData",
      `{"_data":{"$binary":{"base64":"${base64([...(hexBytes(ofInsert) ?? [])])}","subType":"00"}}}`,
    ],
    [
      "extended JSON of 1.x",
      `{"_data":{"$binary":"${base64([...(hexBytes(ofInsert) ?? [])])}","$type":"00"}}`,
    ],
  ])("%s", (_, text) => {
    expect(parseResumeToken(text)).toEqual({ token: expected });
  });
});

describe("what a token says", () => {
  test.each([
    [ofInsert, "2023-06-02T19:23:18Z : 1"],
    [ofEmptyBatch, "2022-10-20T14:43:56Z : 2 (made between changes)"],
    // The third change of a transaction: version 2, an event, ordinal 2.
    ["8268C65B2A000000032B042C01002B046E1404", "2025-09-14T06:05:30Z : 3 (change 3 of its transaction)"],
    // 300 needs two bytes.
    ["8268C65B2A000000032B042C01002C02586E1404", "2025-09-14T06:05:30Z : 3 (change 301 of its transaction)"],
    // Version 0 has no kind.
    ["8268C65B2A0000000329295A1004", "2025-09-14T06:05:30Z : 3"],
    // Beyond 2038, and a counter beyond 2^31.
    ["82FFFFFFFFFFFFFFFF", "2106-02-07T06:28:15Z : 4294967295"],
  ])("%s", (text, expected) => {
    expect(tokenText(tokenOf(text))).toBe(expected);
  });

  test("a token made between changes comes before a change of its time", () => {
    const mark = tokenOf("8268C65B2A000000032B0429296E1404");
    const change = tokenOf("8268C65B2A000000032B042C0100296E5A1004");
    expect([mark.kind, change.kind]).toEqual(["mark", "event"]);
    expect(mark.data < change.data).toBe(true);
  });
});

describe("a malformed token says why", () => {
  test.each([
    ["", 'is "", neither base64 nor hex'],
    ["Zürich", 'is "Zürich", neither base64 nor hex'],
    ["82ABC", 'is "82ABC", neither base64 nor hex'],
    ["82AB", "is too short for a resume token: 2 bytes"],
    [`64${ofInsert.slice(2)}`, "does not begin with 82, the mark of a cluster time, but with 64"],
    [base64(bson(stringElement("data", ofInsert))), "is a BSON document without _data"],
    [base64(bson(stringElement("_data", "xyz"))), 'holds "xyz", not hex'],
    [
      base64(bson([16, ...cstring("_data"), 1, 0, 0, 0])),
      "is a BSON document whose _data is no text and no bytes",
    ],
    [
      base64([...bson(stringElement("_data", ofInsert)), 0, 0, 0]),
      "is base64 of no BSON document: its length does not fit",
    ],
    [
      base64(bson([2, ...cstring("_data"), ...int32(5_000), 65, 0, 0])),
      "is base64 of no BSON document: it ends too early",
    ],
    [
      base64(bson([2, ...cstring("_data"), ...int32(-9), 65])),
      "is base64 of no BSON document: it ends too early",
    ],
    [
      base64(bson([13, ...cstring("js"), 0, 0, 0])),
      "is base64 of no BSON document: it holds a value of type 13",
    ],
    ['{"_data":7}', "is JSON without _data"],
    ["{", 'is "{", not JSON'],
    ["8".repeat(70_000), "has 70000 characters, which is too long"],
  ])("%.60s", (text, problem) => {
    expect(parseResumeToken(text)).toEqual({ problem });
  });
});

describe("any text and bytes", () => {
  const answers = (text: string) => {
    const { token, problem } = parseResumeToken(text);
    expect(token === undefined).toBe(problem !== undefined);
  };

  test("random texts and bytes give a token or a sentence", () => {
    fc.assert(
      fc.property(fc.string(), fc.uint8Array({ maxLength: 200 }), (text, bytes) => {
        answers(text);
        answers(Buffer.from(bytes).toString("base64"));
        answers(hexText(bytes));
        answers(`82${hexText(bytes)}`);
        const sized = bson([...bytes]);
        answers(base64(sized));
        const { value, problem } = bsonField(Uint8Array.from(sized), "_data");
        expect(value === undefined).toBe(problem !== undefined);
      }),
      { numRuns: 2_000 },
    );
  });

  test("a time written into a token is read back, in both forms, and tokens sort by it", () => {
    const half = fc.nat({ max: 0xffff_ffff });
    const write = (seconds: number, increment: number) =>
      `82${[seconds, increment].map((n) => n.toString(16).padStart(8, "0")).join("")}2b0429296e1404`;
    fc.assert(
      fc.property(half, half, half, half, (s1, i1, s2, i2) => {
        const [a, b] = [tokenOf(write(s1, i1)), tokenOf(base64(bson(stringElement("_data", write(s2, i2)))))];
        expect([a.seconds, a.increment]).toEqual([BigInt(s1), BigInt(i1)]);
        expect([b.seconds, b.increment]).toEqual([BigInt(s2), BigInt(i2)]);
        const sign = Math.sign(s1 - s2 || i1 - i2);
        expect(a.data < b.data ? -1 : a.data > b.data ? 1 : 0).toBe(sign);
      }),
    );
  });
});
