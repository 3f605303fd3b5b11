import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { canonicalJson } from "./canonical-json";
import { isJsonObject, parseJson, stringifyJson } from "./json";
import { readOffsetRecord } from "./offset-record";

const bytes = (text: string) => Buffer.from(text);
const key = '["orders-cdc",{"server":"shop"}]';
const owner = { connector: "orders-cdc", partition: '{"server":"shop"}' };

/** Records of connect-offsets and of connectors' own offset topics, as a real worker wrote them (Connect 4.4.0). */
const captured = readFileSync(join(import.meta.dirname, "offset-record.fixtures.jsonl"), "utf8")
  .trim()
  .split("\n")
  .map((line) => {
    const record = parseJson(line);
    if (!isJsonObject(record) || record.key === undefined || record.value === undefined)
      throw new Error("no record");
    return { key: stringifyJson(record.key), value: record.value };
  });

describe("a record of the offset topic", () => {
  test("captured ones are commits of the two connectors, their digits kept", () => {
    const found = new Set<string>();
    for (const record of captured) {
      const read = readOffsetRecord(bytes(record.key), bytes(stringifyJson(record.value)));
      if (read.kind !== "commit") throw new Error(`${record.key} is ${read.kind}`);
      expect(read.offset).toBe(canonicalJson(record.value));
      expect(stringifyJson(record.value).match(/\d+/g)?.sort()).toEqual(read.offset?.match(/\d+/g)?.sort());
      found.add(`${read.connector} ${read.partition}`);
    }
    expect([...found].sort()).toEqual(['inventory-cdc {"server":"inv"}', 'orders-cdc {"server":"shop"}']);
  });

  test("keys of a map in another order are the same partition and the same offset", () => {
    const one = readOffsetRecord('["a",{"server":"s","database":"d"}]', '{"b":1,"a":{"d":2,"c":3}}');
    const other = readOffsetRecord('["a", {"database":"d", "server":"s"}]', '{"a":{"c":3,"d":2},"b":1}');
    expect(one).toEqual(other);
    expect(one).toEqual({
      kind: "commit",
      connector: "a",
      partition: '{"database":"d","server":"s"}',
      offset: '{"a":{"c":3,"d":2},"b":1}',
    });
  });

  test("whole numbers beyond 2^53 and odd spellings of numbers stay as they were written", () => {
    const value = '{"lsn":18446744073709551615,"n":1.0,"x":1e400}';
    expect(readOffsetRecord(key, bytes(value))).toEqual({ kind: "commit", ...owner, offset: value });
  });

  test.each([
    ["no value", null],
    ["the text null", "null"],
    ["no payload", '{"schema":null,"payload":null}'],
  ])("%s deletes what was stored", (_, value) => {
    expect(readOffsetRecord(bytes(key), value)).toEqual({ kind: "commit", ...owner, offset: null });
  });

  test("with the converter's schemas on, key and value are in an envelope", () => {
    const wrapped = `{"schema":null,"payload":${key}}`;
    const value = '{"schema":{"type":"map"},"payload":{"pos":4,"file":"b.1"}}';
    expect(readOffsetRecord(wrapped, value)).toEqual({
      kind: "commit",
      ...owner,
      offset: '{"file":"b.1","pos":4}',
    });
    // Key and value have a converter each.
    expect(readOffsetRecord(key, value)).toMatchObject({ offset: '{"file":"b.1","pos":4}' });
    expect(readOffsetRecord(wrapped, '{"pos":4}')).toMatchObject({ offset: '{"pos":4}' });
  });

  test("an offset with a key called payload is no envelope", () => {
    const value = '{"payload":1,"pos":4,"schema":null}';
    expect(readOffsetRecord(key, value)).toMatchObject({ offset: value });
    expect(readOffsetRecord(key, '{"payload":{"a":1},"schema":"x"}')).toMatchObject({
      offset: '{"payload":{"a":1},"schema":"x"}',
    });
  });

  test.each([
    ["no key", null, "the record has no key"],
    ["a map", '{"connector":"a"}', "the key is not a list"],
    ["a text", '"connector-a"', "the key is not a list"],
    ["one element", '["a"]', "the key is a list of 1, not of connector and partition"],
    ["three elements", '["a",{},1]', "the key is a list of 3, not of connector and partition"],
    ["a number for a name", "[1,{}]", "the key does not begin with a connector's name"],
    ["no partition", '["a",null]', "the key holds no source partition"],
    ["a list for a partition", '["a",[]]', "the key holds no source partition"],
    ["a status key", "status-connector-orders-cdc", "the key is not JSON"],
    ["nothing", "", "the key is not JSON"],
    ["a key nested without end", `${"[".repeat(100_000)}`, "the key is not JSON"],
  ])("a key that is %s is read past, as Connect does", (_, odd, why) => {
    expect(readOffsetRecord(odd, "{}")).toEqual({ kind: "no-offset-key", why });
  });

  test("bytes that are no text are neither key nor offset", () => {
    const odd = Buffer.from([0x5b, 0xff, 0xfe, 0x5d]);
    expect(readOffsetRecord(odd, "{}")).toEqual({
      kind: "no-offset-key",
      why: "the key is not text in UTF-8",
    });
    expect(readOffsetRecord(key, odd)).toEqual({
      kind: "unreadable-offset",
      ...owner,
      why: "the value is not text in UTF-8",
    });
  });

  test.each([
    ["{", "the value is not JSON"],
    ["", "the value is not JSON"],
    ["[1]", "the value is not a map"],
    ["7", "the value is not a map"],
  ])("a value %j is said to be unreadable, never taken for a deleted offset", (value, why) => {
    expect(readOffsetRecord(key, value)).toEqual({ kind: "unreadable-offset", ...owner, why });
  });
});
