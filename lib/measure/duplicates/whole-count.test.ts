import { describe, expect, test } from "vitest";
import { type DeliveredRecord, deliveredRecord } from "@/lib/debezium/events/delivered-record";
import { isJsonObject, type JsonObject, parseJson, stringifyJson } from "@/lib/debezium/json";
import capturedLines from "./fixtures/captured-tables.json";
import { bareRecord, change, changes, log, runAt } from "./testing/delivered";
import { jsonLines, logged } from "./testing/logged";
import { WholeCount } from "./whole-count";

const captured = jsonLines(capturedLines);

function recordOf({ offset, timestamp, key, value, headers }: JsonObject) {
  return logged(
    Number(offset),
    key ?? null,
    value ?? null,
    isJsonObject(headers) ? headers : {},
    Number(timestamp),
  );
}

function counted(records: readonly DeliveredRecord[]) {
  const count = new WholeCount();
  for (const record of records) count.add(record);
  return count.result("t", "id", 7);
}

const ofTopic = (topic: string) =>
  captured
    .filter((line) => line.topic === topic)
    .map((line) => deliveredRecord(recordOf(line), { topic, partition: 0 }, null, null));

describe("captured from running pipelines", () => {
  test.each([
    // topic, records, changes, rows of snapshots
    ["shop.public.orders", 10, 6, 2],
    ["shop.public.customers", 3, 1, 2],
    ["shop.public.audit_nopk", 11, 1, 10],
    ["shop.public.debezium_heartbeat", 17, 16, 1],
    ["inv.inventory.products", 8, 5, 2],
    ["inv.inventory.stock_moves", 3, 1, 2],
    ["inv.inventory.log_nopk", 11, 1, 10],
  ])("%s holds no duplicate", (topic, records, events, reReads) => {
    expect(counted(ofTopic(topic))).toMatchObject({
      ...{ records, events, reReads, distinct: events, sampled: events },
      ...{ duplicates: 0, rate: 0, interval: [0, 0], share: 1, replays: [], notMeasurable: [] },
      ...{ keyOrderViolations: 0, snapshotOverlap: 0, repeatedReads: 0, uncommittedCopies: 0, bytesRead: 7 },
    });
  });

  test("the same again under another run id is a replay of all its changes, and nothing else", () => {
    const topic = "shop.public.orders";
    const lines = captured.filter((line) => line.topic === topic);
    const again = lines.map((line, i) => {
      const text = stringifyJson(line).replaceAll("01a2276a-675c", "01a2286a-675c");
      const copy = parseJson(text);
      if (!isJsonObject(copy)) throw new Error("no object");
      return { ...copy, offset: 6000 + i };
    });
    const records = [...lines, ...again].map((line) =>
      deliveredRecord(recordOf(line), { topic, partition: 0 }, null, null),
    );
    const result = counted(records);
    expect(result).toMatchObject({ events: 12, duplicates: 6, rate: 0.5, interval: [0.5, 0.5] });
    expect(result).toMatchObject({ reReads: 4, repeatedReads: 2, keyOrderViolations: 0 });
    expect(result.replays).toMatchObject([
      {
        ...{ topic: "t", topicId: "id", evidence: "whole", bound: "exact", writer: "shop" },
        ...{ firstOffset: 6002, lastOffset: 6009, count: 6, firstCopyOf: 5000, lastCopyOf: 5007 },
        runBefore: "01a2276a-675c-7f10-b960-d5d68b86b810",
        runAfter: "01a2286a-675c-7f10-b960-d5d68b86b810",
      },
    ]);
  });

  test("heartbeats and transaction marks are no events", () => {
    const others = [...ofTopic("shop.transaction"), ...ofTopic("__debezium-heartbeat.inv")];
    expect(others.length).toBe(4);
    expect(counted(others)).toMatchObject({
      ...{ records: 0, events: 0, rate: null, interval: null, from: null, to: null },
      notMeasurable: [],
    });
  });
});

describe("what cannot be told is no zero", () => {
  test("unreadable records have their reasons, and the rate is unknown", () => {
    const unreadable = (offset: number): DeliveredRecord => ({
      ...bareRecord("unreadable", offset),
      ...{ slug: "registry", why: "Avro, schema id 42.", remedy: "Name the registry." },
    });
    expect(counted(log([unreadable, unreadable]))).toMatchObject({
      ...{ records: 0, events: 0, duplicates: 0, rate: null, interval: null },
      notMeasurable: [
        { slug: "registry", reason: "Avro, schema id 42.", count: 2, remedy: "Name the registry." },
      ],
    });
  });

  test("changes without identity are no part of the rate", () => {
    const bare = (offset: number) => change(offset, 1, null, { identity: null, caveat: "It has no lsn." });
    const result = counted(log([...changes(0, 3, null), ...changes(2, 3, null), bare]));
    expect(result).toMatchObject({ events: 5, duplicates: 1, rate: 0.25, distinct: 3 });
    expect(result.notMeasurable).toEqual([
      { slug: "no-identity", reason: "It has no lsn.", count: 1, remedy: null },
    ]);
  });

  test("rows without a key that share a position are different ones, and it is said that this is assumed", () => {
    const more = { identity: "one LSN", caveat: "The table has no key.", rowKey: null };
    const row = (offset: number) => change(offset, 1, null, more);
    const result = counted(log([row, row, row]));
    expect(result).toMatchObject({ events: 3, duplicates: 0, distinct: 3 });
    expect(result.notMeasurable).toMatchObject([
      { slug: "keyless", count: 2, remedy: "Give the table a primary key, or set message.key.columns." },
    ]);
  });

  test("more identities than there is room for are told", () => {
    const count = new WholeCount(4);
    for (const record of log([...changes(0, 6, null), ...changes(0, 6, null)])) count.add(record);
    const { duplicates, notMeasurable } = count.result("t");
    expect(duplicates).toBe(4);
    expect(notMeasurable).toMatchObject([{ slug: "budget" }]);
  });
});

describe("partitions of one topic", () => {
  test("a change that came again in another partition is a duplicate, its first copy in none of this one", () => {
    const moved = (offset: number) => change(offset, 2, runAt(2), { partition: 1 });
    const result = counted([...log(changes(0, 5, runAt(1))), ...log([moved])]);
    expect(result).toMatchObject({ duplicates: 1 });
    expect(result.replays).toMatchObject([{ partition: 1, firstOffset: 0, count: 1, firstCopyOf: null }]);
  });

  test("from and to are those of all records", () => {
    const { from, to } = counted(log([...changes(0, 5, null), (offset) => bareRecord("tombstone", offset)]));
    expect(from).toBe(new Date(1_789_367_000_000).toISOString());
    expect(to).toBe(new Date(1_789_367_005_000).toISOString());
  });
});

describe("snapshots beside streaming", () => {
  const row = (n: number, op: string) => (offset: number) =>
    change(offset, n, null, { op, rowKey: "row", identity: `${n} ${op}` });
  const read = (offset: number) => ({ ...bareRecord("snapshot", offset), rowKey: "row" });
  const overlaps = (...records: Parameters<typeof log>[0]) => counted(log(records)).snapshotOverlap;

  test("an insert of a row that the snapshot had read overlaps it", () => {
    expect(overlaps(read, row(1, "c"))).toBe(1);
    expect(overlaps(read, row(1, "c"), row(2, "d"), row(3, "c"))).toBe(1);
    expect(overlaps(read, row(1, "d"), row(2, "c"))).toBe(0);
    expect(overlaps(row(1, "c"), read)).toBe(0);
    expect(overlaps(row(1, "c"), read, row(1, "c"))).toBe(0);
    const truncated = (offset: number) => change(offset, 2, null, { op: "t", rowKey: null });
    expect(overlaps(read, truncated, row(3, "c"))).toBe(0);
  });

  test("a row that is read again without a change in between is told", () => {
    expect(counted(log([read, read, row(1, "u"), read]))).toMatchObject({ reReads: 3, repeatedReads: 1 });
  });
});
