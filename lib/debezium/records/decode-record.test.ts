import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { connectorTypes } from "../connector-type";
import { decodeText } from "../decode-input";
import { DecodeInputError } from "../decode-input-error";
import { type DecodedRecord, decodeReportSchema } from "../decode-report";
import captured from "./fixtures/captured.json";

function decode(text: string, options = {}): DecodedRecord[] {
  return decodeText(text, options).flatMap((report) => report.records ?? []);
}

const all = decode(captured.join("\n"));

function of(topic: string, offset: string): DecodedRecord {
  const found = all.find((r) => r.topic === topic && r.offset === offset);
  if (!found) throw new Error(`no record ${topic} ${offset}`);
  return found;
}

function field(record: DecodedRecord | undefined, name: string): string | undefined {
  return record?.fields.find((f) => f.name === name)?.text;
}

/** The value of a captured record, as JSON. */
function heldBy(topic: string, offset: string): string {
  const line =
    captured.find((l) => l.includes(`"topic":"${topic}"`) && l.includes(`"offset":"${offset}"`)) ?? "";
  return line.slice(line.indexOf('"value":') + 8, -1);
}

describe("records captured from a running pipeline", () => {
  test("each is what it is, in the order of the input", () => {
    expect(all.map((r) => [r.topic, r.kind])).toEqual([
      ["shop.public.orders", "change"],
      ["shop.public.orders", "change"],
      ["shop.public.orders", "tombstone"],
      ["shop.public.orders", "change"],
      ["inv.inventory.products", "change"],
      ["inv.inventory.products", "change"],
      ["inv", "schema-change"],
      ["inv.schema-history", "schema-history"],
      ["inv.schema-history", "schema-history"],
      ["shop.transaction", "transaction"],
      ["shop.transaction", "transaction"],
      ["__debezium-heartbeat.shop", "heartbeat"],
      ["shop.notifications", "notification"],
      ["shop.notifications", "notification"],
      ["connect-status", "connect"],
    ]);
    expect(decodeText(captured.join("\n"))).toMatchObject([
      { connector: "several", name: null, partitions: [] },
    ]);
  });

  test("a change of PostgreSQL: position, order, transaction, run, identity, times", () => {
    const record = of("shop.public.orders", "5004");
    expect(record).toMatchObject({
      partition: 0,
      timestamp: "2026-11-29T13:07:56.075Z",
      text: "create in public.orders",
      connector: "postgresql",
      position: { text: "0/1A167B8" },
      identity: { id: '["755","27355064","shop.public.orders","{\\"id\\":5002}","c"]', why: null },
      run: { id: "01a2276a-675c-7f10-b960-d5d68b86b810", startedAt: "2026-11-29T13:06:54.428Z" },
      sourceTime: "2026-11-29T13:07:55.631Z",
      warnings: [],
      remedy: null,
    });
    expect(field(record, "source.sequence")).toBe("0/1A167B8, 0/1A167B8");
    expect(field(record, "source.ts_ns")).toBe("2026-11-29T13:07:55.631861000Z");
    expect(field(record, "transaction.total_order")).toBe("1");
    expect(record.fields.find((f) => f.name === "source.lsn")?.raw).toBe("27355064");
  });

  test("a change of MariaDB: GTID and place in the binlog", () => {
    const record = of("inv.inventory.products", "200");
    expect(record).toMatchObject({
      connector: "mariadb",
      position: { text: "0-223344-13", meaning: expect.stringContaining("binlog.000001 : 136817") },
    });
    expect(field(record, "op")).toBe("create");
  });

  test("what a snapshot read is a re-read and has no identity", () => {
    expect(of("inv.inventory.products", "0")).toMatchObject({
      text: "read by a snapshot in inventory.products",
      identity: { id: null, why: expect.stringContaining("re-read") },
    });
  });

  test("no row is shown, and nothing of Connect's own but the key", () => {
    const rows = JSON.stringify(all.filter((r) => r.kind === "change"));
    expect(rows).not.toMatch(/seed 1|SKU|customer_id/);
    expect(of("connect-status", "0").fields.map((f) => f.name)).toEqual(["key"]);
    const secret =
      '{"topic":"connect-configs","key":"connector-a","value":{"properties":{"database.password":"s3cr3t"}}}';
    expect(JSON.stringify(decodeText(secret))).not.toContain("s3cr3t");
  });

  test("schema history: the position as an offset's, and what changed", () => {
    const record = of("inv.schema-history", "4");
    expect(record.connector).toBe("mariadb");
    expect(record.position?.text).toBe("0-223344-12");
    expect(field(record, "position.snapshot")).toBe("initial");
    expect(field(record, "ddl")).toBeTruthy();
  });

  test("transactions, heartbeats and notifications; a table that was not read is told", () => {
    expect(of("shop.transaction", "0").text).toBe("741:27334520 begins");
    expect(of("shop.transaction", "1").text).toBe("741:27334656 ends, 1 change");
    expect(field(of("__debezium-heartbeat.shop", "0"), "ts_ms")).toBe("2026-11-29T13:06:57.603Z");
    expect(of("shop.notifications", "0")).toMatchObject({ text: "Initial Snapshot: STARTED", warnings: [] });
    expect(of("shop.notifications", "502")).toMatchObject({
      text: "Incremental Snapshot: TABLE_SCAN_COMPLETED (public.nope, UNKNOWN_SCHEMA)",
      warnings: [{ slug: "snapshot-failed", text: "The table was not read: UNKNOWN_SCHEMA." }],
    });
  });
});

describe("forms in which people have records", () => {
  const value = heldBy("inv.inventory.products", "200");
  const withSchema = `{"schema":{"type":"struct","optional":false},"payload":${value}}`;
  const record = (more: string) => `{"topic":"inv.inventory.products","partition":0,"offset":200,${more}}`;

  test.each([
    ["the bare value", value],
    ["the bare value with its schema", withSchema],
    ["a list of values", `[${value},${value}]`],
    ["a record", record(`"key":{"id":256},"value":${value}`)],
    [
      "a record with schemas",
      record(`"key":{"schema":{"type":"struct"},"payload":{"id":256}},"value":${withSchema}`),
    ],
    [
      "as kcat -J prints it",
      record(`"ts":1795957676066,"key":"{\\"id\\":256}","payload":${JSON.stringify(value)}`),
    ],
    ["key and value with a tab between", `{"id":256}\t${value}`],
    ["no key and a value with a tab between", `\t${value}`],
    ["a record in a list", `[${record(`"key":null,"value":${value}`)}]`],
  ])("%s", (_, text) => {
    const [first] = decode(text);
    expect(first).toMatchObject({
      kind: "change",
      text: "create in inventory.products",
      connector: "mariadb",
      position: { text: "0-223344-13" },
    });
  });

  test("values over several lines, one after the other, as a schema history is printed", () => {
    const history = captured.filter((l) => l.includes("inv.schema-history"));
    const pretty = history.map((l) => JSON.stringify(JSON.parse(l).value, null, 2));
    const kinds = (text: string) => decode(text).map((r) => r.kind);
    expect(kinds(pretty.join("\n"))).toEqual(["schema-history", "schema-history"]);
    expect(kinds(history.map((l) => JSON.stringify(JSON.parse(l), null, 2)).join("\n"))).toEqual([
      "schema-history",
      "schema-history",
    ]);
    const keyed = pretty.map((value) => `{"id":1}\t${value}`).join("\n");
    expect(kinds(keyed)).toEqual(["schema-history", "schema-history"]);
    expect(() => decode(`${pretty[0]}\n${pretty[1]?.slice(0, -1)}`)).toThrow(/^Not JSON at line/);
  });

  test("a value alone has no identity, for it lacks topic and key; with schemas the identity is the same as without", () => {
    expect(decode(value)[0]?.identity).toEqual({
      id: null,
      why: expect.stringContaining("does not tell the topic"),
    });
    const ids = [
      record(`"key":{"id":256},"value":${value}`),
      record(`"key":{"schema":{"type":"struct"},"payload":{"id":256}},"value":${withSchema}`),
      record(`"key":"{\\"id\\":256}","payload":${JSON.stringify(value)}`),
    ].map((text) => decode(text)[0]?.identity?.id);
    expect(new Set(ids)).toEqual(new Set([of("inv.inventory.products", "200").identity?.id]));
  });

  test("records and offsets in one text: offsets explained as ever, the records apart", () => {
    const offset =
      '{"topic":"connect-offsets","key":["orders-cdc",{"server":"shop"}],"value":{"lsn":27408640}}';
    const reports = decodeText(`${offset}\n${record(`"key":null,"value":${value}`)}`);
    expect(reports.map((r) => [r.name, r.connector, r.partitions.length, r.records?.length])).toEqual([
      ["orders-cdc", "postgresql", 1, undefined],
      [null, "mariadb", 0, 1],
    ]);
    for (const report of reports)
      decodeReportSchema
        .extend({ name: decodeReportSchema.shape.connector.nullable() })
        .strict()
        .parse(report);
    expect(decodeText(offset)[0]).not.toHaveProperty("records");
  });

  test("offset records as kcat -J prints them are offsets", () => {
    const text =
      '{"topic":"connect-offsets","partition":2,"offset":5,"key":"[\\"c\\",{\\"server\\":\\"shop\\"}]","payload":"{\\"lsn\\":9007199254740993}"}';
    expect(decodeText(text)).toMatchObject([{ name: "c", partitions: [{ position: { text: "200000/1" } }] }]);
    const deleted = '{"topic":"connect-offsets","key":"[\\"c\\",{\\"server\\":\\"shop\\"}]","payload":null}';
    expect(decodeText(deleted)).toMatchObject([{ partitions: [] }]);
  });

  test("no digit is lost", () => {
    const [first] = decode(
      '{"topic":"t","offset":"9007199254740993","key":null,"value":{"op":"c","source":{"connector":"postgresql","lsn":9007199254740993,"ts_ns":1795957675631861123}}}',
    );
    expect(first?.offset).toBe("9007199254740993");
    expect(first?.fields.find((f) => f.name === "source.lsn")).toMatchObject({
      raw: "9007199254740993",
      text: "200000/1",
    });
    expect(field(first, "source.ts_ns")).toBe("2026-11-29T13:07:55.631861123Z");
  });
});

describe("what cannot be read says why and what to add", () => {
  test.each([
    [
      "a flattened event without position",
      '{"id":1,"price":5,"lsn":"L-77"}',
      /no source position/,
      /add\.fields/,
    ],
    ["a value that breaks off", '"{\\"op\\":\\"c\\","', /not JSON: it breaks off/, /JsonConverter/],
    ["a plain text", '"hello"', /not JSON/, /JsonConverter/],
    ["a list", "[1,2]", /JSON that is no map/, /ExtractNewRecordState/],
  ])("%s", (_, value, text, remedy) => {
    const [record] = decode(`{"topic":"shop.public.orders","key":null,"value":${value}}`);
    expect(record).toMatchObject({ kind: "unreadable", text: expect.stringMatching(text) });
    expect(record?.remedy).toMatch(remedy);
  });

  test("flattened with a position: what it tells, and what is missing", () => {
    const [record] = decode(
      '{"topic":"t","key":{"id":1},"value":{"id":1,"__op":"u","__lsn":5300419614704,"__source_txId":5}}',
    );
    expect(record).toMatchObject({
      kind: "flattened",
      connector: "postgresql",
      position: { text: "4D2/19A0D7F0" },
    });
    expect(record?.text).toMatch(/^update; its position is from fields/);
  });

  test("one record that cannot be read hides no other", () => {
    const good = `{"topic":"t","key":null,"value":${heldBy("inv.inventory.products", "200")}}`;
    expect(decode(`{"topic":"t","key":null,"value":{"a":1}}\n${good}`).map((r) => r.kind)).toEqual([
      "unreadable",
      "change",
    ]);
  });

  test("a source field of the wrong kind is told beside the others", () => {
    const [record] = decode(
      '{"op":"c","source":{"connector":"postgresql","lsn":"abc","txId":5,"sequence":"[1]"}}',
    );
    expect(field(record, "source.lsn")).toMatch(/^not readable: is "abc"/);
    expect(field(record, "source.sequence")).toMatch(/^not readable/);
    expect(field(record, "source.txId")).toBe("5");
    expect(record?.position).toBeNull();
  });
});

/** What looks like an offset's record and holds none is refused by a sentence of its own. */
function explained(text: string) {
  try {
    return decodeText(text);
  } catch (error) {
    expect(error).toBeInstanceOf(DecodeInputError);
    return [];
  }
}

test("records of any values are explained, never a crash", () => {
  const name = fc.constantFrom(
    "op",
    "source",
    "before",
    "after",
    "transaction",
    "payload",
    "schema",
    "id",
    "type",
    "data",
    "status",
    "ddl",
    "position",
    "ts_ms",
    "__op",
    "__lsn",
    "aggregate_type",
  );
  const source = fc.dictionary(
    fc.constantFrom(
      "connector",
      "lsn",
      "sequence",
      "file",
      "pos",
      "gtid",
      "ts_ms",
      "ts_ns",
      "snapshot",
      "commit_lsn",
      "scn",
      "ord",
      "vgtid",
    ),
    fc.oneof(fc.jsonValue(), fc.constantFrom(...connectorTypes)),
  );
  const value = fc.dictionary(name, fc.oneof(fc.jsonValue(), source));
  fc.assert(
    fc.property(fc.oneof(value, fc.jsonValue()), fc.jsonValue(), fc.jsonValue(), (held, key, headers) => {
      const text = JSON.stringify({
        topic: "t",
        partition: 0,
        offset: 1,
        timestamp: 5,
        headers,
        key,
        value: held,
      });
      for (const report of explained(text)) decodeReportSchema.parse(report);
    }),
    { numRuns: 500, examples: [[[], ["", {}], []]] },
  );
});

describe("what cannot be read is no position and no time", () => {
  const change = (source: object) =>
    decode(
      JSON.stringify({ op: "c", after: {}, source: { ts_ms: 0, ...source }, ts_ms: 1_789_367_400_000 }),
    )[0];

  test.each([
    { connector: "mongodb", ord: -1 },
    { connector: "mongodb", ord: 1 },
    { connector: "mysql", file: "b.000001", pos: -4 },
    { connector: "oracle", scn: "x", commit_scn: null },
  ])("%o", (source) => {
    expect(change(source)).toMatchObject({ kind: "change", position: null, sourceTime: null });
  });

  test("a good SCN is shown where the other is none", () => {
    expect(change({ connector: "oracle", scn: "77", commit_scn: null })?.position?.text).toBe("77");
    expect(change({ connector: "oracle", scn: "77", commit_scn: "80" })?.position?.text).toBe("80");
  });

  test("a negative number of changes is left out", () => {
    const [record] = decode(JSON.stringify({ status: "END", id: "5:1", event_count: -3, ts_ms: 0 }));
    expect(record?.text).toBe("5:1 ends");
  });
});
