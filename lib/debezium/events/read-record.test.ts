import { describe, expect, test } from "vitest";
import { type ConnectorConfig, heartbeatIntervalMs, topicRole } from "../config";
import { isJsonObject, type JsonObject, type JsonValue, parseJson, stringifyJson } from "../json";
import { lsnText } from "../positions/lsn";
import { postgresql } from "../positions/postgresql";
import { type Captured, capturedRecords, record, reportedCase } from "./fixtures/read";
import { readRecord } from "./read-record";
import { recordKey } from "./record-key";
import type { RecordReading } from "./record-reading";

const shop: ConnectorConfig = {
  "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
  "topic.prefix": "shop",
  "signal.data.collection": "public.debezium_signal",
  "signal.kafka.topic": "shop.signals",
  "notification.sink.topic.name": "shop.notifications",
};

function read({ topic, record }: Captured, config: ConnectorConfig | null = null): RecordReading {
  return readRecord(record, { topic, config });
}

function inTopic(topic: string): Captured[] {
  return capturedRecords((r) => r.topic === topic);
}

function kinds(topic: string): string[] {
  return inTopic(topic).map((captured) => read(captured).kind);
}

const object = (value: JsonValue | undefined): JsonObject => (isJsonObject(value) ? value : {});
const list = (value: JsonValue | undefined): JsonValue[] => (Array.isArray(value) ? value : []);

describe("records captured from running pipelines, by content alone", () => {
  test.each([
    ["__debezium-heartbeat.inv", ["heartbeat"]],
    ["__debezium-heartbeat.sch", ["heartbeat"]],
    ["inv", ["schema-change"]],
    ["inv.schema-history", ["schema-history"]],
    ["inv.transaction", ["transaction"]],
    ["sch.transaction", ["transaction"]],
    ["shop.notifications", ["notification"]],
    ["inv.notifications", ["notification"]],
    ["connect-offsets", ["offset"]],
    ["orders-cdc-offsets", ["offset"]],
    ["connect-status", ["connect"]],
    ["shop.public.orders", ["change", "tombstone"]],
    ["inv.inventory.products", ["change", "tombstone"]],
    ["inv.inventory.log_nopk", ["change"]],
    ["sch.public.orders", ["change", "tombstone"]],
    ["odd.message", ["change"]],
    ["odd.public.odd", ["change"]],
    ["flat.public.orders", ["flattened"]],
    ["outbox.event.order", ["outbox"]],
    ["ce.public.odd", ["unreadable"]],
  ])("%s", (topic, expected) => {
    expect([...new Set(kinds(topic))].sort()).toEqual(expected);
  });

  test("all are recognised but those whose settings rename what was added", () => {
    const unreadable = capturedRecords().filter((captured) => read(captured).kind === "unreadable");
    expect([...new Set(unreadable.map(({ topic }) => topic))]).toEqual([
      "flat2.public.orders",
      "ce.public.odd",
    ]);
  });

  test("a change has its op, source and transaction, and no row", () => {
    const [snapshot, create] = inTopic("shop.public.orders").map((captured) => read(captured));
    expect(snapshot).toMatchObject({ op: "r", snapshot: "initial", transaction: null });
    expect(create).toMatchObject({
      op: "c",
      snapshot: null,
      source: { connector: "postgresql", schema: "public", table: "orders" },
      transaction: { total_order: expect.any(Number) },
    });
    expect(JSON.stringify(Object.keys(create ?? {}))).not.toMatch(/before|after/);
  });

  test("schemas in front make no difference", () => {
    const readings = inTopic("sch.public.orders").map((captured) => read(captured));
    expect(readings.map((r) => (r.kind === "change" ? r.op : r.kind))).toEqual(["c", "u", "d", "tombstone"]);
    const keys = inTopic("sch.public.orders").map(({ record }) => recordKey(record.key));
    expect(keys[0]).toBe('{"id":100010}');
  });

  test("a transaction's end tells its tables", () => {
    expect(inTopic("inv.transaction").map((captured) => read(captured))).toEqual([
      {
        kind: "transaction",
        status: "BEGIN",
        id: "0-223344-13",
        events: null,
        tables: null,
        at: 1795957577000,
      },
      {
        kind: "transaction",
        status: "END",
        id: "0-223344-13",
        events: 1n,
        tables: [{ table: "inventory.products", events: 1n }],
        at: 1795957675000,
      },
    ]);
  });

  test("a schema history record has the connector's partition and position", () => {
    const [first, second] = inTopic("inv.schema-history").map((captured) => read(captured));
    expect(first).toMatchObject({
      partition: { server: "inv" },
      position: { file: "binlog.000001", pos: 136611, snapshot: "INITIAL" },
      ddl: "SET character_set_server=latin1, collation_server=latin1_swedish_ci",
      tables: [],
    });
    expect(second).toMatchObject({ tables: [{ change: "DROP", id: '"inventory"."debezium_signal"' }] });
  });

  test("a schema change has the source block, without the statement in query", () => {
    const [first] = inTopic("inv").map((captured) => read(captured));
    expect(first).toMatchObject({ kind: "schema-change", source: { connector: "mariadb", pos: 136611 } });
    expect(object((first as { source: JsonObject }).source)).not.toHaveProperty("query");
  });

  test("an offset has the connector's name", () => {
    const [captured] = inTopic("orders-cdc-offsets");
    expect(captured && read(captured)).toMatchObject({
      connector: "orders-cdc",
      partition: { server: "shop" },
      offset: { messageType: "COMMIT", lsn: 30046688 },
    });
  });

  test("an outbox event has the id of its row", () => {
    expect(inTopic("outbox.event.order").map((captured) => read(captured))).toEqual([
      { kind: "outbox", id: "0b8c1d2e-6f4a-4f0e-9a3c-2f5c7d1b9e10", eventType: "OrderCreated" },
    ]);
  });

  test("flattened by default names, from fields and headers", () => {
    const [create] = inTopic("flat.public.orders").map((captured) => read(captured));
    expect(create).toMatchObject({
      kind: "flattened",
      op: "c",
      deleted: false,
      source: { lsn: 26917760, sequence: '["26917760","26917760"]', ts_ms: 1795982039725, table: "orders" },
      transaction: { id: "760:26917760" },
      processedAt: 1795982040013,
      from: "fields and headers",
    });
  });

  test("flattened with names, prefixes and a header converter of one's own, which the configuration tells", () => {
    const config: ConnectorConfig = {
      "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
      "topic.prefix": "flat2",
      transforms: "unwrap",
      "transforms.unwrap.type": "io.debezium.transforms.ExtractNewRecordState",
      "transforms.unwrap.add.fields":
        "op,lsn,source.ts_ms,ts_ms,source.sequence,txId:TX,transaction.id,table",
      "transforms.unwrap.add.fields.prefix": "m.",
      "transforms.unwrap.add.headers": "op,lsn,source.txId:T2,source.ts_ms",
      "transforms.unwrap.add.headers.prefix": "h.",
    };
    const [create, , remove] = inTopic("flat2.public.orders").map((captured) => read(captured, config));
    expect(create).toMatchObject({
      kind: "flattened",
      op: "c",
      source: { lsn: 26917760, txId: 760, sequence: '["26917760","26917760"]' },
      transaction: { id: "760:26917760" },
      processedAt: 1795982040139,
      missing: [],
    });
    expect(remove).toMatchObject({ op: "d", deleted: true });
    const onlyHeaders = { ...config, "transforms.unwrap.add.fields": "" };
    const [byHeaders] = inTopic("flat2.public.orders").map((captured) => read(captured, onlyHeaders));
    expect(byHeaders).toMatchObject({
      op: "c",
      source: { lsn: 26917760, txId: 760 },
      missing: ["sequence"],
      from: "headers",
    });
  });
});

describe("reported cases", () => {
  test("KAF-05: a tombstone is no change", () => {
    const { input, expected } = reportedCase("KAF-05");
    const readings = list(input).map((item) => {
      const { key, value } = object(item);
      return readRecord(record(typeof value === "string" ? value : null, String(key)), { topic: "t" }).kind;
    });
    expect(readings.filter((kind) => kind === "change")).toHaveLength(Number(object(expected).change_events));
    expect(readings.filter((kind) => kind === "tombstone")).toHaveLength(Number(object(expected).tombstones));
    expect(readings).toHaveLength(2);
  });

  test("KAF-06: Avro and Protobuf values say what is missing", () => {
    const { input } = reportedCase("KAF-06");
    const { values_hex, converters } = object(input);
    const readings = list(values_hex).map((hex, i) => {
      const converter = list(converters)[i];
      const valueConverter = typeof converter === "string" ? converter : null;
      const value = Buffer.from(String(hex), "hex");
      return readRecord({ key: null, value, headers: [] }, { topic: "t", valueConverter });
    });
    expect(readings).toEqual([
      {
        kind: "unreadable",
        reason: "avro",
        text: "Avro, schema id 42 — not measurable without schema registry",
        remedy: expect.stringContaining("schema registry"),
      },
      {
        kind: "unreadable",
        reason: "protobuf",
        text: "Protobuf, schema id 7 — not measurable",
        remedy: expect.stringContaining("AvroConverter"),
      },
      expect.objectContaining({ kind: "change", op: "c", source: {} }),
      {
        kind: "unreadable",
        reason: "too-short",
        text: "too short: unreadable record of 2 bytes",
        remedy: null,
      },
    ]);
  });

  test("KAF-08: flattened events have a position only where it was added", () => {
    const items = list(reportedCase("KAF-08").input).map(object);
    const base = object(items[0]?.config);
    const readings = items.map((item) => {
      const headers = Object.fromEntries(
        Object.entries(object(item.headers)).map(([name, value]) => [name, String(value)]),
      );
      const config = { ...base, ...object(item.config) } as ConnectorConfig;
      return readRecord(record(stringifyJson(item.value ?? null), '{"id":1}', headers), {
        topic: "s.t",
        config,
      });
    });
    expect(readings[0]).toMatchObject({
      kind: "unreadable",
      reason: "no-position",
      text: "flattened event without a source position — not measurable",
      remedy: expect.stringContaining("add.fields=op,lsn"),
    });
    expect(readings[1]).toMatchObject({ kind: "flattened", op: "u", from: "fields", source: { txId: 5 } });
    expect(readings[2]).toMatchObject({ kind: "flattened", op: "u", from: "headers" });
    const lsns = readings.slice(1).map((reading) => {
      const source = reading.kind === "flattened" ? reading.source : {};
      return lsnText(postgresql.decodeSource(source).position?.lsn ?? 0n);
    });
    expect(lsns).toEqual(["4D2/19A0D7F0", "4D2/19A0D7F0"]);
  });

  test("KAF-10: heartbeats are no table data, and tell their age", () => {
    const { input, expected } = reportedCase("KAF-10");
    const { config, topics, last_heartbeat, now_ms } = object(input);
    const settings = object(config) as ConnectorConfig;
    const tables = list(topics).filter((topic) => topicRole(settings, String(topic)) === "table");
    expect(tables).toEqual(object(expected).table_topics);
    const { key, value } = object(last_heartbeat);
    const heartbeat = readRecord(record(stringifyJson(value ?? null), stringifyJson(key ?? null)), {
      topic: "__debezium-heartbeat.shop",
      config: settings,
    });
    expect(heartbeat).toEqual({ kind: "heartbeat", at: 1789367380000 });
    const age = heartbeat.kind === "heartbeat" ? Number(now_ms) - Number(heartbeat.at) : Number.NaN;
    expect(age / 1000).toBe(object(expected).heartbeat_age_s);
    expect(age / Number(heartbeatIntervalMs(settings))).toBe(2);
  });
});

describe("rows that look like something else", () => {
  const table = { topic: "shop.public.events", config: shop };
  const row = (value: string, key: string | null = '{"id":1}') => readRecord(record(value, key), table).kind;

  test.each([
    ["a signal", '{"id":"1","type":"log","data":{}}'],
    ["a transaction", '{"id":"1","status":"BEGIN","event_count":null}'],
    ["a notification", '{"id":"1","type":"A","aggregate_type":"order","additional_data":null}'],
    ["a heartbeat", '{"ts_ms":1}'],
    ["an envelope", '{"id":1,"op":"c","source":{"connector":"postgresql","lsn":5}}'],
    ["a plain column named lsn", '{"id":1,"lsn":5,"op":"c"}'],
    ["a prototype", '{"id":1,"__proto__":{"op":"c","source":{"connector":"x"},"before":null}}'],
  ])("%s", (_, value) => expect(row(value)).toBe("unreadable"));

  test("a key like those of Connect's own topics", () => {
    const value = '{"before":null,"after":{"id":"connector-7"},"source":{"lsn":5},"op":"c"}';
    expect(row(value, "connector-7")).toBe("change");
    expect(readRecord(record('{"name":"x"}', "connector-7"), { topic: "t" }).kind).toBe("unreadable");
    expect(readRecord(record('{"properties":{}}', "connector-7"), { topic: "t" })).toEqual({
      kind: "connect",
      topic: "config",
      key: "connector-7",
    });
    expect(readRecord(record(null, "connector-7"), { topic: "t" }).kind).toBe("tombstone");
    expect(readRecord(record(null, "status-connector-7"), { topic: "t" }).kind).toBe("connect");
  });

  test("members that a transform added beside the envelope's", () => {
    const envelope = '"before":null,"after":{"id":1},"source":{"connector":"postgresql","lsn":5},"op":"c"';
    expect(row(`{${envelope},"pipeline":"eu"}`)).toBe("change");
  });

  test("a flattened row whose columns are called like ours, when the configuration adds none of them", () => {
    const config = {
      ...shop,
      transforms: "u",
      "transforms.u.type": "io.debezium.transforms.ExtractNewRecordState",
    };
    const value = '{"id":1,"__lsn":7,"__op":"d"}';
    expect(readRecord(record(value), { topic: "shop.public.t", config }).kind).toBe("unreadable");
    expect(readRecord(record(value), { topic: "shop.public.t" }).kind).toBe("flattened");
  });
});

describe("signals", () => {
  const signal = (value: string, key: string | null = "shop") =>
    readRecord(record(value, key), { topic: "shop.signals", config: shop });
  const slugs = (reading: RecordReading) =>
    reading.kind === "signal" ? reading.warnings.map(({ slug }) => slug) : [reading.kind];

  test("a good one has no warning", () => {
    const value = '{"id":"a","type":"execute-snapshot","data":{"data-collections":["public.orders"]}}';
    expect(signal(value)).toEqual({
      kind: "signal",
      id: "a",
      type: "execute-snapshot",
      data: { "data-collections": ["public.orders"] },
      warnings: [],
    });
    expect(signal(value, '"shop"')).toMatchObject({ warnings: [] });
    expect(readRecord(record(value, "x"), { topic: "unknown" }).kind).toBe("signal");
  });

  test.each([
    ["data as a text", '{"id":"a","type":"log","data":"{\\"message\\":\\"x\\"}"}', ["signal-data"]],
    ["no data", '{"id":"a","type":"pause-snapshot"}', ["signal-data"]],
    ["an unknown type", '{"id":"a","type":"explode","data":{}}', ["signal-type"]],
    ["no type, no id", '{"data":{}}', ["signal-type", "signal-id"]],
    ["not JSON", "{id: 1}", ["unreadable"]],
  ])("%s", (_, value, expected) => expect(slugs(signal(value))).toEqual(expected));

  test("a key that is not the prefix makes Debezium ignore it, whatever else is wrong", () => {
    expect(slugs(signal('{"id":"a","type":"log","data":"x"}', "inv"))).toEqual(["signal-key"]);
    expect(slugs(signal('{"id":"a","type":"log","data":{}}', null))).toEqual(["signal-key"]);
  });

  test("a row of the signalling table is a change", () => {
    const value = '{"before":null,"after":{"id":"a"},"source":{"lsn":1},"op":"c"}';
    expect(readRecord(record(value), { topic: "shop.public.debezium_signal", config: shop }).kind).toBe(
      "change",
    );
  });
});

describe("damaged records of topics that Debezium reads", () => {
  const inv: ConnectorConfig = {
    "connector.class": "io.debezium.connector.mariadb.MariaDbConnector",
    "topic.prefix": "inv",
    "schema.history.internal.kafka.topic": "inv.schema-history",
  };
  const damaged = (topic: string, value: string) => readRecord(record(value, "inv"), { topic, config: inv });
  const source = '"source":{"server":"inv"}';

  test.each([
    ["not JSON", '{"source":', "not JSON: it breaks off after 10 characters"],
    ["no position", `{${source},"ddl":"CREATE TABLE t (a int)"}`, "source or position is missing"],
    ["no source", '{"position":{"file":"b.1","pos":4},"ddl":"x"}', "source or position is missing"],
    ["no map", "[]", "JSON that is no map"],
  ])("schema history: %s", (_, value, why) => {
    expect(damaged("inv.schema-history", value)).toMatchObject({
      kind: "unreadable",
      text: `damaged schema history record (${why}): Debezium skips it when it reads the history`,
      remedy: expect.stringContaining("snapshot.mode=recovery"),
    });
  });

  test("a whole one is read with the configuration too, and without a statement", () => {
    const value = `{${source},"position":{"file":"b.1","pos":4},"databaseName":"a"}`;
    expect(damaged("inv.schema-history", value)).toMatchObject({
      kind: "schema-history",
      databaseName: "a",
      ddl: null,
    });
    const [captured] = inTopic("inv.schema-history");
    expect(captured && read(captured, inv)).toMatchObject({ kind: "schema-history" });
  });

  test.each([
    ["no map", "[1]", "JSON that is no map"],
    ["not JSON", "{id: 1}", "not JSON: something else begins at character 2 of 7"],
  ])("signal: %s", (_, value, why) => {
    expect(damaged("inv-signal", value)).toMatchObject({
      kind: "unreadable",
      text: `no signal (${why}): Debezium ignores it`,
    });
  });
});

describe("other forms", () => {
  const reading = (value: string | Buffer, valueConverter: string | null = null) =>
    readRecord(
      { key: null, value: typeof value === "string" ? Buffer.from(value) : value, headers: [] },
      { topic: "t", valueConverter },
    );

  test("offsets with schemas on, and deletions of them", () => {
    const key = '{"schema":null,"payload":["orders-cdc",{"server":"shop"}]}';
    const value = '{"schema":null,"payload":{"lsn":27334520}}';
    expect(readRecord(record(value, key), { topic: "o" })).toEqual({
      kind: "offset",
      connector: "orders-cdc",
      partition: { server: "shop" },
      offset: { lsn: 27334520 },
    });
    expect(readRecord(record(null, '["a",{"server":"s"}]'), { topic: "o" })).toMatchObject({ offset: null });
    expect(readRecord(record(null, '["a",null]'), { topic: "o" }).kind).toBe("tombstone");
  });

  test("what a decoder of Avro made is read like JSON", () => {
    const [captured] = inTopic("shop.public.orders");
    const decoded = parseJson(captured?.value ?? "null");
    const key = { decoded: { id: 1 } };
    expect(readRecord({ key, value: { decoded }, headers: [] }, { topic: "t" })).toEqual(
      captured && read(captured),
    );
    expect(readRecord({ key, value: { decoded: null }, headers: [] }, { topic: "t" }).kind).toBe("tombstone");
    expect(recordKey(key)).toBe('{"id":1}');
  });

  test("JSON of a schema registry", () => {
    const head = Buffer.from("0000000009", "hex");
    const value = Buffer.concat([
      head,
      Buffer.from('{"before":null,"after":null,"source":{"lsn":1},"op":"t"}'),
    ]);
    expect(reading(value, "io.confluent.connect.json.JsonSchemaConverter")).toMatchObject({
      kind: "change",
      op: "t",
    });
    expect(reading(value)).toMatchObject({ kind: "change" });
    expect(reading(value, "io.confluent.connect.avro.AvroConverter")).toMatchObject({ reason: "avro" });
  });

  test.each([
    ["000000002a0206", "Avro or Protobuf, schema id 42 — not measurable without schema registry"],
    ["00000000000000002a02", "Avro or Protobuf, schema id 42 — not measurable without schema registry"],
    ["", "empty value"],
    ["ff00fe", "not text in UTF-8 (3 bytes)"],
    [Buffer.from('{"a":1').toString("hex"), "not JSON: it breaks off after 6 characters"],
    [Buffer.from("hello").toString("hex"), "not JSON: something else begins at character 1 of 5"],
    [Buffer.from('{"a":1,"a":2}').toString("hex"), "JSON with the same key twice"],
    [Buffer.from("[1]").toString("hex"), "JSON that is no map: no source position — not measurable"],
    [Buffer.from("[".repeat(600)).toString("hex"), "JSON nested too deep to be an event"],
  ])("%s: %s", (hex, text) => {
    expect(reading(Buffer.from(hex, "hex"))).toMatchObject({ kind: "unreadable", text });
  });

  test("a fault never quotes the value", () => {
    expect(JSON.stringify(reading('{"secret":"hunter2",oops'))).not.toMatch(/hunter2|oops|secret/);
  });

  test("long numbers keep their digits", () => {
    const value = '{"before":null,"after":null,"source":{"lsn":18446744073709551615},"op":"c"}';
    expect(reading(value)).toMatchObject({ source: { lsn: 18446744073709551615n } });
  });

  test("statements are left out of the source", () => {
    const value = '{"after":null,"source":{"scn":"1","redo_sql":"insert","query":"update"},"op":"c"}';
    expect(reading(value)).toMatchObject({ source: { scn: "1" } });
    expect(JSON.stringify(reading(value))).not.toMatch(/insert|update/);
  });
});
