import { describe, expect, test } from "vitest";
import type { ConnectorConfig } from "../config";
import { deliveredOrder, deliveredRecord, undecodedRecord } from "./delivered-record";
import { capturedRecords, record } from "./fixtures/read";
import { readRecord } from "./read-record";
import type { DebeziumRecord } from "./record-reading";

const at = { topic: "inv.public.orders", partition: 3 };
const read = (of: DebeziumRecord, config: ConnectorConfig | null = null, topic = at.topic) =>
  deliveredRecord({ ...of, offset: 7, timestamp: 1_789_367_000_000 }, { ...at, topic }, config, null);

const postgres = {
  connector: "postgresql",
  name: "inv",
  snapshot: "false",
  schema: "public",
  table: "orders",
  txId: 760,
  lsn: 26917760,
  sequence: '["26917700","26917760"]',
};
const event = (more: object = {}, source: object = {}) =>
  record(
    JSON.stringify({
      before: null,
      after: { id: 1, source: { lsn: 9 } },
      source: { ...postgres, ...source },
      op: "c",
      ts_ms: 1,
      transaction: null,
      ...more,
    }),
    '{"id":1}',
    { "__debezium.context.runId": "run", "__debezium.context.taskId": "0" },
  );

test("a change tells where it lies, who wrote it and which change it is", () => {
  expect(read(event())).toMatchObject({
    offset: 7,
    timestamp: 1_789_367_000_000,
    partition: 3,
    runId: "run",
    taskId: "0",
    writer: "inv",
    lane: '["inv","postgresql",null]',
    kind: "change",
    op: "c",
    snapshot: null,
    identity: JSON.stringify(["inv", '["760","26917760","inv.public.orders","{\\"id\\":1}","c"]']),
    caveat: null,
    rowKey: '["public.orders","{\\"id\\":1}"]',
    position: { lsn: 26917760n, lastCommit: 26917700n },
    positionText: "0/19ABB80",
    type: "postgresql",
    slug: null,
  });
});

test("however its transaction is told, and whether or not its bytes were scanned, it is the same change", () => {
  const plain = read(event());
  expect(read(event({ transaction: { id: "760:1", total_order: 1, data_collection_order: 1 } }))).toEqual(
    plain,
  );
  const spaced = record(` ${event().value}`, '{"id":1}', {
    "__debezium.context.runId": "run",
    "__debezium.context.taskId": "0",
  });
  expect(read(spaced)).toEqual(plain);
  const decoded = { ...event(), value: { decoded: JSON.parse(String(event().value)) } };
  expect(read(decoded)).toEqual(plain);
});

describe("what is no change", () => {
  test("a row that a snapshot read", () => {
    expect(read(event({ op: "r" }, { snapshot: "last" }))).toMatchObject({
      kind: "snapshot",
      op: "r",
      snapshot: "initial",
      position: null,
      identity: null,
      rowKey: '["public.orders","{\\"id\\":1}"]',
    });
    expect(read(event({ op: "r" }, { snapshot: "incremental" }))).toMatchObject({ snapshot: "incremental" });
  });

  test("a tombstone", () => expect(read(record(null, '{"id":1}'))).toMatchObject({ kind: "tombstone" }));

  test("a record of another connector, where one is asked for", () => {
    expect(read(event(), { "topic.prefix": "other" })).toMatchObject({ kind: "other", writer: "inv" });
    expect(read(event(), { "topic.prefix": "inv" })).toMatchObject({ kind: "change" });
  });

  test("a flattened event without its position: what to add is told", () => {
    const config = {
      "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
      transforms: "unwrap",
      "transforms.unwrap.type": "io.debezium.transforms.ExtractNewRecordState",
    };
    expect(read(record('{"id":1,"name":"x"}', '{"id":1}'), config)).toMatchObject({
      kind: "unreadable",
      slug: "flattened",
      remedy: expect.stringContaining("add.fields=op,lsn,txId"),
    });
  });

  test("a value of a registry that is not asked, or cannot tell", () => {
    const value = { ...record(null), value: Buffer.from([0, 0, 0, 0, 42, 2, 4]) };
    expect(read(value)).toMatchObject({
      kind: "unreadable",
      slug: "registry",
      why: expect.stringContaining("42"),
    });
    const failed = { why: "schema 42 is not there.", remedy: "Register it." };
    expect(undecodedRecord({ ...value, offset: 7, timestamp: 0 }, at, failed)).toMatchObject({
      kind: "unreadable",
      slug: "registry",
      ...failed,
    });
  });

  test("garbage", () => expect(read(record("{")).kind).toBe("unreadable"));
});

test("lanes are apart where positions have an order of their own", () => {
  const sqlserver = {
    connector: "sqlserver",
    commit_lsn: "00000027:00000758:0005",
    change_lsn: "00000027:00000758:0003",
  };
  const lanes = ["a", "b"].map((db) => read(event({}, { ...sqlserver, db, event_serial_no: 1 })).lane);
  expect(new Set(lanes).size).toBe(2);
  const oracle = { connector: "oracle", commit_scn: "900", scn: "890", txId: "0a00", txSeq: 1 };
  const threads = [1, 2].map((redo_thread) => read(event({}, { ...oracle, redo_thread })).lane);
  expect(new Set(threads).size).toBe(2);
});

test("two connectors that read one database deliver changes of their own", () => {
  expect(read(event()).identity).not.toBe(read(event({}, { name: "inv2" })).identity);
});

test("an event of the outbox has an identity and no position, which has no order", () => {
  const config = {
    transforms: "outbox",
    "transforms.outbox.type": "io.debezium.transforms.outbox.EventRouter",
  };
  const outbox = record('{"total":5}', "1", { id: "9c3a1e7e-98f6-4a3a-8f7c-0a4f3b6f1c11" });
  const told = read(outbox, config, "outbox.event.order");
  expect(told).toMatchObject({ kind: "change", position: null });
  expect(told.identity).toContain("9c3a1e7e");
  expect(deliveredOrder(told.type)(told.position, told.position).order).toBe("unordered");
});

test("captured records: each is read as what it is, and every change has an identity", () => {
  for (const { topic, record: captured } of capturedRecords()) {
    const told = deliveredRecord(
      { ...captured, offset: 0, timestamp: 0 },
      { topic, partition: 0 },
      null,
      null,
    );
    const reading = readRecord(captured, { topic });
    if (told.kind === "change") expect(told.identity).not.toBeNull();
    if (reading.kind === "change" && reading.op !== "r") expect(told.kind).toBe("change");
    if (reading.kind === "tombstone") expect(told.kind).toBe("tombstone");
  }
});
