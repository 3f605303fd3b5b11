import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { connectorTypes } from "./connector-type";
import { decodeText, readConfig, readOffsets } from "./decode-input";
import { DecodeInputError } from "./decode-input-error";
import { decodeReportSchema } from "./decode-report";
import { capturedOffsets } from "./positions/fixtures/read";

const shop = { partition: { server: "shop" }, offset: { lsn: 26120704 } };
const rest = JSON.stringify({ offsets: [shop] });

describe("what people paste", () => {
  test.each([
    ["a REST answer", rest],
    [
      "the same, pretty-printed, with a byte order mark",
      `\uFEFF\n${JSON.stringify(JSON.parse(rest), null, 4)}\n`,
    ],
    ["one pair", JSON.stringify(shop)],
    ["a list of pairs", JSON.stringify([shop])],
    ["a list of REST answers", `[${rest}]`],
    [
      "a record of the offset topic",
      JSON.stringify({ topic: "o", key: ["c", shop.partition], value: shop.offset }),
    ],
    ["key and value by kcat", `["c",{"server":"shop"}]\t{"lsn":26120704}`],
    ["key and value, a space between", `["c", {"server": "shop"}] {"lsn": 26120704}`],
    ["pairs as JSON lines", `${JSON.stringify(shop)}\r\n`],
  ])("%s", (_, text) => {
    expect(readOffsets(text).flatMap((g) => g.offsets)).toEqual([shop]);
  });

  test("a bare offset, and a list of them", () => {
    expect(readOffsets('{"lsn":1}')).toEqual([
      { connector: null, offsets: [{ partition: {}, offset: { lsn: 1 } }] },
    ]);
    expect(readOffsets('[{"lsn":1},{"lsn":2}]')[0]?.offsets).toHaveLength(2);
  });

  test("of an offset topic's records the newest counts, and a tombstone deletes", () => {
    const lines = [
      '["a",{"server":"x","n":1}]\t{"lsn":1}',
      '["b",{"server":"y"}]\t{"lsn":2}',
      '["a",{"n":1,"server":"x"}]\t{"lsn":3}',
      '["b",{"server":"y"}]\tNULL',
    ];
    expect(readOffsets(lines.join("\n"))).toEqual([
      { connector: "a", offsets: [{ partition: { n: 1, server: "x" }, offset: { lsn: 3 } }] },
    ]);
    expect(readOffsets('{"key":["b",{"server":"y"}],"value":null}')).toEqual([
      { connector: null, offsets: [] },
    ]);
  });

  test("captured records give one report for each connector", () => {
    const reports = decodeText(capturedOffsets.join("\n"));
    expect(reports.map((r) => r.name).sort()).toEqual(["inventory-cdc", "orders-cdc"]);
  });

  test("pairs of two connectors are told apart by their keys", () => {
    const text = '[{"lsn":1},{"file":"b.1","pos":4}]';
    expect(decodeText(text).map((r) => r.connector)).toEqual(["postgresql", "MySQL or MariaDB"]);
    expect(decodeText(text, { type: "postgresql" })).toHaveLength(1);
  });

  test("a bad entry does not hide the good ones", () => {
    const texts = [
      '[{"lsn":1},7]',
      '{"offsets":[{"partition":{},"offset":{"lsn":1}},{"partition":{},"offset":"abc"}]}',
    ];
    for (const text of texts) {
      const partitions = decodeText(text, { type: "postgresql" }).flatMap((r) => r.partitions);
      expect(partitions.map((p) => p.position.text)).toEqual(["0/1", "unknown"]);
      expect(partitions[1]?.warnings[0]?.text).toBe("The offset is not a JSON object.");
    }
  });

  test("no digit is lost on the way", () => {
    const [group] = readOffsets('{"lsn":9007199254740993}');
    expect(group?.offsets[0]?.offset).toEqual({ lsn: 9007199254740993n });
  });
});

describe("what cannot be read is told with its place", () => {
  test.each([
    ["", /^The input is empty/],
    ["hello", /^Not JSON at line 1, column 1/],
    ['{\n  "lsn": 1,\n  "txId" 2\n}', /^Not JSON at line 3, column \d+/],
    ['{"lsn":1}\n{"lsn":', /^Not JSON at line 2, column \d+/],
    ['["c",{"server":"x"}]\t{"lsn":]', /^Not JSON at line 1, column 29/],
    ["42", /not a JSON object/],
    ["[7,8]", /^Entry 0 is not a JSON object/],
    ['[{"x":1},8]', /^Entry 0 is JSON, but there is no offset in it/],
    ['{"name":"x"}', /there is no offset in it/],
    ['{"offsets":[{"partition":{},"offset":"abc"}]}', /^The offset is not a JSON object/],
    ['{"partition":"shop","offset":{"lsn":1}}', /partition is not a JSON object/],
    [
      '{"error_code":404,"message":"Connector x not found"}',
      /error answer of Kafka Connect \(404: Connector x not found\)/,
    ],
    ['["c",{"server":"x"}]', /key without its value/],
    ['{"lsn":1,"lsn":2}', /Duplicate key 'lsn'/],
    ["[".repeat(200_000), /nested too deeply|Not JSON/],
  ])("%j", (text, message) => {
    expect(() => decodeText(text)).toThrow(DecodeInputError);
    expect(() => decodeText(text)).toThrow(message);
  });
});

describe("whatever comes in", () => {
  const keys = [
    "lsn",
    "lsn_commit",
    "ts_usec",
    "file",
    "pos",
    "gtids",
    "event",
    "ts_sec",
    "snapshot",
    "messageType",
  ];
  const queue = "incremental_snapshot_collections";
  const anyOffset = fc.dictionary(fc.constantFrom(...keys, queue, "transaction_id", "x"), fc.jsonValue());

  test("an offset of any values is explained, never a crash", () => {
    fc.assert(
      fc.property(anyOffset, fc.constantFrom(...connectorTypes), (offset, type) => {
        const text = JSON.stringify({ offsets: [{ partition: { server: "x" }, offset }] });
        for (const options of [{ type }, {}]) {
          const [report] = decodeText(text, options);
          expect(decodeReportSchema.parse(report).partitions[0]?.position.fields).toHaveLength(
            Object.keys(offset).length,
          );
        }
      }),
      { numRuns: 300 },
    );
  });

  test("any JSON and any text is read or refused with a sentence", () => {
    const bits = fc.constantFrom("[", "]", "{", "}", '"lsn":1', ",", "\t", "\n", "null", '["a",{}]', " ");
    const anyText = fc.oneof(
      fc.json(),
      fc.string(),
      fc.array(bits).map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(anyText, (text) => {
        try {
          decodeText(text);
        } catch (error) {
          expect(error).toBeInstanceOf(DecodeInputError);
        }
      }),
      { numRuns: 500 },
    );
  });

  test("a value nested deeply inside an offset", () => {
    const deep = (levels: number) => `{"lsn":1,"x":${"[".repeat(levels)}${"]".repeat(levels)}}`;
    expect(decodeText(deep(499))[0]?.partitions[0]?.position.text).toBe("0/1");
    expect(() => decodeText(deep(3000))).toThrow("nested too deeply");
  });

  test.each([
    ["brackets", `["c",${"}]{".repeat(200_000)}`],
    ["closed brackets", `["c",{}]${"}]".repeat(200_000)}`],
    ["spaces", `["c",{}${" ".repeat(500_000)}x`],
    ["tabs", `[${"]\t".repeat(200_000)}`],
    ["a long key twice", `{"${"k".repeat(500_000)}":1,"${"k".repeat(500_000)}":2}`],
  ])(
    "%s are read once",
    (_, text) => {
      try {
        decodeText(text);
      } catch (error) {
        expect(error).toBeInstanceOf(DecodeInputError);
        expect(String(error).length).toBeLessThan(1_000);
      }
    },
    2_000,
  );

  test("more than 10,000 offsets are refused", () => {
    const lines = (n: number) => Array.from({ length: n }, (_, i) => `["c",{"server":"${i}"}]\t{"lsn":${i}}`);
    expect(decodeText(lines(10_000).join("\n"))[0]?.partitions).toHaveLength(10_000);
    expect(() => decodeText(lines(10_001).join("\n"))).toThrow("10001 offsets; at most 10000");
    expect(() => decodeText(`[${Array(10_001).fill('{"lsn":1}').join()}]`)).toThrow("at most 10000");
  }, 10_000);

  test("the first 2,000 keys of an offset are shown, its position among them", () => {
    const keys = Array.from({ length: 200_000 }, (_, i) => `"transaction_data_collection_order_${i}":"x"`);
    const [partition] = decodeText(`{${keys.join()},"lsn":1}`)[0]?.partitions ?? [];
    expect(partition?.position.text).toBe("0/1");
    expect(partition?.position.fields).toHaveLength(2_000);
    expect(partition?.warnings[0]?.text).toContain("200001 keys");
    expect(partition?.warnings.length).toBeLessThan(2_002);
  }, 10_000);

  test("keys that are names of an object's own methods", () => {
    const value = '{"toString":1,"valueOf":2}';
    for (const key of ["commit_lsn", "snapshot", "snapshot_completed", "gtids", "lsn"])
      expect(decodeText(`{"offset":{"${key}":${value},"file":"b.1","pos":4}}`)).toHaveLength(1);
    expect(readConfig(`{"a":${value}}`)).toEqual({ a: value });
    expect(() => decodeText(`{"error_code":${value}}`)).toThrow(DecodeInputError);
  });
});

describe("configuration", () => {
  const map = { "connector.class": "x", "tasks.max": "1" };

  test.each([map, { name: "c", config: map, tasks: [] }])("%j", (value) => {
    expect(readConfig(JSON.stringify(value))).toEqual(map);
  });

  test("values that are no text become text", () => {
    expect(readConfig('{"tasks.max":1,"a":null}')).toEqual({ "tasks.max": "1", a: null });
    expect(() => readConfig("[]")).toThrow(DecodeInputError);
    expect(() => readConfig("{")).toThrow(
      /^The configuration cannot be read: Not JSON at line 1, .*\. \{"connector\.class":"…"\} would be right\.$/,
    );
  });
});
