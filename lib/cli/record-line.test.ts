import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { deliveredRecord } from "@/lib/debezium/events/delivered-record";
import { isJsonObject, parseJson } from "@/lib/debezium/json";
import { pastedRecord } from "@/lib/debezium/records/pasted-record";
import { type LineRecord, recordOfLine } from "./record-line";
import { changes, recordLines } from "./testing/record-lines";

/** By parsing the whole line, digits kept. */
function inFull(line: string): LineRecord | null {
  const value = parseJson(line);
  const pasted = isJsonObject(value) ? pastedRecord(value) : null;
  if (!pasted) return null;
  const { offset, timestamp } = pasted;
  return {
    ...pasted,
    offset: offset === null || !/^\d+$/.test(offset) ? null : Number(offset),
    timestamp: timestamp === null ? null : Date.parse(timestamp),
  };
}

function told(record: LineRecord | null) {
  if (record === null) return null;
  const { record: content, ...place } = record;
  const at = { topic: place.topic ?? "", partition: place.partition ?? 0 };
  return { place, ...deliveredRecord({ ...content, offset: 0, timestamp: -1 }, at, null, null) };
}

const fixtures = readFileSync(join(import.meta.dirname, "fixtures/orders.jsonl"), "utf8")
  .trim()
  .split("\n");
const lines = [
  ...fixtures,
  ...recordLines(changes(0, 3, 1))
    .trim()
    .split("\n"),
];

describe("a line tells the same as one that is parsed whole", () => {
  test.each(lines.map((line, i) => [i, line] as const))("%i", (_, line) => {
    const record = recordOfLine(Buffer.from(line));
    expect(told(record)).toEqual(told(inFull(line)));
    const spaced = JSON.stringify(JSON.parse(line), null, 2);
    expect(told(recordOfLine(Buffer.from(spaced)))).toEqual(told(inFull(spaced)));
  });

  test("whatever its key and value hold, in whatever order its members stand", () => {
    const record = fc.record(
      {
        topic: fc.string(),
        partition: fc.nat(),
        offset: fc.oneof(fc.nat(), fc.nat().map(String)),
        timestamp: fc.oneof(fc.nat().map(String), fc.nat()),
        headers: fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.constant(null))),
        key: fc.jsonValue(),
        value: fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue()),
      },
      { requiredKeys: ["topic", "value"] },
    );
    fc.assert(
      fc.property(record, fc.nat(), (members, turn) => {
        const entries = Object.entries(members);
        const cut = turn % entries.length;
        const turned = Object.fromEntries([...entries.slice(cut), ...entries.slice(0, cut)]);
        const line = JSON.stringify(turned);
        expect(told(recordOfLine(Buffer.from(line)))).toEqual(told(inFull(line)));
      }),
    );
  });

  test("numbers keep their digits", () => {
    const [line = ""] = recordLines(changes(0, 1, 1)).split("\n");
    const of = (lsn: string) =>
      told(
        recordOfLine(
          Buffer.from(
            line.replace('"lsn":1005', `"lsn":${lsn}`).replace('"key":{"id":0}', `"key":{"id":${lsn}}`),
          ),
        ),
      );
    expect(of("9007199254740993")?.identity).not.toBe(of("9007199254740992")?.identity);
    expect(of("9007199254740993")?.rowKey).toContain("9007199254740993");
  });
});

test("what is no record is null, what is no JSON is thrown", () => {
  expect(recordOfLine(Buffer.from("[1]"))).toBeNull();
  expect(recordOfLine(Buffer.from("3"))).toBeNull();
  expect(() => recordOfLine(Buffer.from('{"topic":"a","value":{"op":nope}}'))).toThrow(SyntaxError);
});
