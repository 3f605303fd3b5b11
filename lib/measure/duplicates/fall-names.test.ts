import { expect, test } from "vitest";
import { type DeliveredRecord, deliveredRecord } from "@/lib/debezium/events/delivered-record";
import type { JsonObject } from "@/lib/debezium/json";
import { fallSchema } from "@/lib/observed/duplicates";
import { type FallInput, nameFall } from "./fall-names";
import { type Database, sourceBlock } from "./testing/databases";
import { event } from "./testing/logged";

function at(
  database: Database,
  transaction: number,
  more: JsonObject = {},
  offset = transaction,
): DeliveredRecord {
  const change = { n: transaction, transaction, ordinal: 0, key: 1, op: "u" as const, pair: false };
  const record = event(offset, { id: 1 }, "u", sourceBlock(database, change, more));
  return deliveredRecord(record, { topic: "t", partition: 4 }, null, null);
}

function named(record: DeliveredRecord, before: DeliveredRecord, more: Partial<FallInput> = {}) {
  const fall = nameFall({ topic: "t", record, before, snapshotBetween: false, ...more });
  expect(fallSchema.parse(fall)).toEqual(fall);
  expect(fall).toMatchObject({ topic: "t", partition: 4, offset: record.offset });
  expect(fall.sentence).toMatch(/^[A-Z].*\.$/);
  return fall;
}

test("PostgreSQL: LSNs of another timeline", () => {
  expect(named(at("postgresql", 3), at("postgresql", 90))).toMatchObject({
    kind: "timeline",
    sentence: expect.stringMatching(/^LSNs fell from 0\/[0-9A-F]+ to 0\/[0-9A-F]+, .*promoted, restored/),
  });
});

test.each(["mysql", "mariadb"] as const)(
  "%s: newer changes at lower positions are numbered anew",
  (database) => {
    const later = { ts_ms: 1_789_999_000_000, gtid: null };
    expect(named(at(database, 3, later), at(database, 90, { gtid: null }))).toMatchObject({
      kind: "reset",
      sentence: expect.stringContaining("numbered anew"),
    });
    expect(
      named(at(database, 3, { ...later, server_id: 2 }), at(database, 90, { gtid: null })),
    ).toMatchObject({
      kind: "reset",
      sentence: expect.stringContaining("server 2, before of server 1"),
    });
  },
);

test("MySQL: older changes that were never delivered come from an older place", () => {
  expect(named(at("mysql", 3), at("mysql", 90))).toMatchObject({ kind: "offsets-edited" });
});

test("what was seen of the connector names it, before what positions tell", () => {
  const [record, before] = [at("mysql", 3), at("mysql", 90)];
  expect(named(record, before, { seen: "binlog-position-set" }).kind).toBe("binlog-position-set");
  expect(named(record, before, { seen: "offsets-edited" }).kind).toBe("offsets-edited");
  expect(named(record, before, { snapshotBetween: true }).kind).toBe("re-snapshot");
  expect(named(at("postgresql", 3), at("postgresql", 90), { snapshotBetween: true }).kind).toBe(
    "re-snapshot",
  );
});

test("positions that do not compare are no history's fault", () => {
  expect(named(at("mysql", 3, { name: "billing" }), at("mysql", 90))).toMatchObject({
    kind: "other-connector",
    sentence: expect.stringContaining("“billing”, and the one before by “shop”"),
  });
  expect(named(at("oracle", 3, { redo_thread: 2 }), at("oracle", 90))).toMatchObject({
    kind: "redo-thread",
    sentence: expect.stringContaining("redo thread 2, and the one before of 1"),
  });
  const [one, other] = ["00000027:00000800:0001", "00000027:00000900:0001"];
  expect(
    named(at("sqlserver", 5, { change_lsn: one }, 6), at("sqlserver", 5, { change_lsn: other })),
  ).toMatchObject({
    kind: "within-transaction",
  });
});

test.each([
  ["sqlserver", "change data capture"],
  ["oracle", "RESETLOGS"],
  ["mongodb", "cluster was replaced"],
] as const)("%s: another history is a reset", (database, words) => {
  expect(named(at(database, 3), at(database, 90))).toMatchObject({
    kind: "reset",
    sentence: expect.stringContaining(words),
  });
});

test("of a kind that is not known nothing is claimed", () => {
  const record = { ...at("mysql", 3), type: "unknown" as const };
  expect(named(record, at("mysql", 90)).kind).toBe("unknown");
});
