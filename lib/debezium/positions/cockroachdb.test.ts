import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeOffsets } from "../decode";
import { decodeText } from "../decode-input";
import type { JsonObject } from "../json";
import { type CockroachPosition, cockroachdb } from "./cockroachdb";
import type { Order } from "./position";
import { expectPartialOrder, expectTotalOrder, opposite } from "./testing/order-laws";

const hlc = (nanos: number | bigint, logical: number | bigint = 0) =>
  `${nanos}.${logical.toString().padStart(10, "0")}`;

function offset(cursor: string, more: JsonObject = {}): CockroachPosition {
  const { position, problems } = cockroachdb.decodeOffset({ "offset.cursor": cursor, ...more });
  if (!position) throw new Error(problems[0]?.text);
  return position;
}

function event(source: JsonObject): CockroachPosition {
  const { position, problems } = cockroachdb.decodeSource({ snapshot: "false", ...source });
  if (!position) throw new Error(problems[0]?.text);
  return position;
}

function decodeOne(map: JsonObject) {
  const [report] = decodeText(JSON.stringify([{ partition: { server: "shop" }, offset: map }]));
  const [partition] = report?.partitions ?? [];
  if (!report || !partition) throw new Error("no partition");
  const field = (name: string) => partition.position.fields.find((f) => f.name === name);
  return { ...partition, connector: report.connector, field };
}

const stored = {
  "offset.cursor": "1789367400123456789.0000000002",
  "offset.timestamp": 1789367400123,
  snapshot_completed: "true",
};

describe("shapes of offsets", () => {
  test("a resolved time, with every digit and its counter", () => {
    const decoded = decodeOne(stored);
    expect(decoded).toMatchObject({
      connector: "cockroachdb",
      phase: "streaming",
      warnings: [],
      sourceTime: "2026-09-14T06:30:00.123456Z",
      position: {
        text: "2026-09-14T06:30:00.123456789Z (logical 2)",
        meaning: "Up to here all changes were sent; a restart asks for those after it.",
      },
    });
    expect(decoded.field("offset.timestamp")?.text).toBe("2026-09-14T06:30:00.123Z");
    expect(decoded.field("snapshot_completed")?.text).toBe("yes");
  });

  test("positions in the topics between", () => {
    const decoded = decodeOne({
      ...stored,
      "consumer.offset.shop.db.public.orders:3": 12345,
      snapshot_completed: "false",
    });
    expect(decoded.field("consumer.offset.shop.db.public.orders:3")).toMatchObject({
      raw: "12345",
      text: "12345",
      meaning:
        "Next Kafka offset to read between CockroachDB and the connector: topic shop.db.public.orders, partition 3.",
    });
    expect(decoded.position.meaning).toContain("reads on in the topics");
    expect(decoded.warnings).toEqual([]);
    expect(decoded.phase).toBe("streaming");
  });

  test.each(["initial", "now"])("before any time was resolved: %s", (cursor) => {
    const decoded = decodeOne({ ...stored, "offset.cursor": cursor, snapshot_completed: "false" });
    expect(decoded).toMatchObject({
      phase: "unknown",
      sourceTime: null,
      warnings: [],
      position: { text: cursor },
    });
    expect(decoded.phaseText).toContain("no time was resolved yet");
    expect(decoded.field("offset.cursor")?.text).toContain(`("${cursor}")`);
  });

  test.each<[string, JsonObject, string[]]>([
    ["no cursor", { snapshot_completed: "true" }, ["offset.cursor is missing."]],
    [
      "no time",
      { "offset.cursor": "test-cursor" },
      ['offset.cursor is "test-cursor", not an HLC time such as 1789367400123456789.0000000000.'],
    ],
    [
      "flag",
      { ...stored, snapshot_completed: "maybe" },
      ['snapshot_completed is "maybe", not true or false.'],
    ],
    [
      "a position",
      { ...stored, "consumer.offset.t:0": "x" },
      ['consumer.offset.t:0 is "x", not a whole number from 0.'],
    ],
  ])("malformed: %s", (_, map, texts) => {
    const report = decodeOffsets({ type: "cockroachdb", offsets: [{ partition: {}, offset: map }] });
    expect(report.partitions[0]?.warnings).toEqual(texts.map((text) => ({ slug: "offset-malformed", text })));
  });
});

describe("order", () => {
  const buffered = (cursor: string, places: Record<string, number>) =>
    offset(cursor, Object.fromEntries(Object.entries(places).map(([k, v]) => [`consumer.offset.${k}`, v])));

  test.each<[string, CockroachPosition, CockroachPosition, Order["order"]]>([
    ["offsets by time", offset(hlc(5)), offset(hlc(6)), "before"],
    ["then by counter", offset(hlc(5, 9)), offset(hlc(5, 10)), "before"],
    ["the same", offset(hlc(5, 9)), offset(hlc(5, 9)), "equal"],
    ["without its counter", offset("5"), offset(hlc(5)), "equal"],
    ["a counter is a decimal fraction", offset("5.1"), offset(hlc(5, 1_000_000_000)), "equal"],
    ["before any time was resolved", offset("initial"), offset(hlc(5)), "before"],
    ["neither has a time", offset("initial"), offset("now"), "unordered"],
    [
      "cursor stands, topics move",
      buffered(hlc(5), { "t:0": 1 }),
      buffered(hlc(5), { "t:0": 2, "t:1": 1 }),
      "before",
    ],
    ["no time, topics move", buffered("now", { "t:0": 1 }), buffered("now", { "t:0": 2 }), "before"],
    [
      "topics move apart",
      buffered(hlc(5), { "t:0": 1, "t:1": 2 }),
      buffered(hlc(5), { "t:0": 2, "t:1": 1 }),
      "unordered",
    ],
    ["an event before the cursor is covered", offset(hlc(5)), event({ ts_hlc: hlc(4) }), "after"],
    ["one at it too", offset(hlc(5)), event({ ts_hlc: hlc(5) }), "equal"],
    ["one after it is new", offset(hlc(5)), event({ ts_hlc: hlc(5, 1) }), "before"],
    [
      "with topics between, one before the cursor is covered",
      buffered(hlc(5), { "t:0": 1 }),
      event({ ts_hlc: hlc(4) }),
      "after",
    ],
    [
      "with topics between, those decide on later ones",
      buffered(hlc(5), { "t:0": 1 }),
      event({ ts_hlc: hlc(6) }),
      "unordered",
    ],
    ["sent when a later time was resolved", offset(hlc(5)), event({ resolved_ts: hlc(5) }), "before"],
    ["sent when an earlier time was resolved", offset(hlc(5)), event({ resolved_ts: hlc(4) }), "unordered"],
    ["no time in the offset", offset("initial"), event({ ts_hlc: hlc(4) }), "unordered"],
    ["events", event({ ts_hlc: hlc(4) }), event({ ts_hlc: hlc(4, 1) }), "before"],
    ["an event without its own time", event({ ts_hlc: hlc(4) }), event({ resolved_ts: hlc(9) }), "unordered"],
    [
      "an incremental snapshot's read",
      event({ ts_hlc: hlc(4), snapshot: "incremental" }),
      event({ ts_hlc: hlc(5) }),
      "unordered",
    ],
  ])("%s", (_, a, b, expected) => {
    expect(cockroachdb.order(a, b).order).toBe(expected);
    expect(cockroachdb.order(b, a).order).toBe(opposite[expected]);
  });

  test("it is total for offsets of times and for events that hold theirs", () => {
    const time = fc.tuple(fc.bigInt({ min: 1n, max: 4n }), fc.nat({ max: 2 }));
    const any = fc
      .tuple(fc.boolean(), time)
      .map(([of, [n, l]]) => (of ? offset(hlc(n, l)) : event({ ts_hlc: hlc(n, l) })));
    expectTotalOrder(cockroachdb, any);
  });

  test("of any offsets it goes as far as their cursors and topics do", () => {
    const cursor = fc.constantFrom("initial", "now", hlc(1), hlc(2));
    const places = fc.dictionary(fc.constantFrom("t:0", "t:1"), fc.nat({ max: 2 }));
    expectPartialOrder(
      cockroachdb,
      fc.tuple(cursor, places).map(([at, map]) => buffered(at, map)),
    );
  });

  test("a position stored again is the same", () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
        fc.nat({ max: 2 ** 31 - 1 }),
        (nanos, logical) => {
          const first = offset(hlc(nanos, logical));
          expect(first.hlc).toEqual({ nanos, logical: BigInt(logical) });
          expect(offset(hlc(first.hlc?.nanos ?? 0n, first.hlc?.logical ?? 0n))).toEqual(first);
        },
      ),
    );
  });

  test("distance", () => {
    expect(cockroachdb.distance(offset(hlc(0)), offset(hlc(3_000_000)))).toEqual({
      amount: 3n,
      unit: "milliseconds",
    });
    expect(cockroachdb.distance(offset("now"), offset(hlc(3)))).toEqual({
      amount: null,
      why: "One of the two holds no time of its own.",
    });
  });
});

describe("source blocks and identity", () => {
  test("a block without times says so", () => {
    const problems = (source: JsonObject) => cockroachdb.decodeSource(source).problems.map((p) => p.text);
    expect(problems({ ts_ms: 5 })).toEqual([
      "The event has neither ts_hlc nor resolved_ts: it does not tell its place.",
    ]);
    expect(problems({ ts_hlc: "x" })).toEqual([
      'ts_hlc is "x", not an HLC time such as 1789367400123456789.0000000000.',
    ]);
  });

  test("the event's own time names it; no other does", () => {
    const identity = (source: JsonObject, op = "u", key: string | null = "1") =>
      cockroachdb.identity({ topic: "shop.public.orders", key, op, source });
    expect(identity({ ts_hlc: hlc(5, 1) })).toMatchObject({ caveat: null });
    expect(identity({ ts_hlc: hlc(5, 1) }).id).not.toBe(identity({ ts_hlc: hlc(5, 2) }).id);
    expect(identity({ ts_hlc: hlc(5) }, "u", null)).toMatchObject({
      caveat: expect.stringContaining("no key"),
    });
    expect(identity({ resolved_ts: hlc(5) }).id).toBeNull();
    expect(identity({ ts_hlc: hlc(5) }, "r").id).toBeNull();
  });
});
