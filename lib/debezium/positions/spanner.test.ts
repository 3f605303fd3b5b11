import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeOffsets } from "../decode";
import { decodeText } from "../decode-input";
import type { JsonObject } from "../json";
import { nanosText } from "./nano-time";
import type { Order } from "./position";
import { type SpannerPosition, spanner } from "./spanner";
import { expectTotalOrder, opposite } from "./testing/order-laws";

function offset(nanos: bigint): SpannerPosition {
  const { position, problems } = spanner.decodeOffset({ offset: nanosText(nanos) });
  if (!position) throw new Error(problems[0]?.text);
  return position;
}

function event(source: JsonObject): SpannerPosition {
  const { position, problems } = spanner.decodeSource({ partition_token: "t1", ...source });
  if (!position) throw new Error(problems[0]?.text);
  return position;
}

const stored = {
  offset: "2026-09-14T06:30:00.123456789Z",
  startTime: "2026-09-14T06:00:00Z",
  queryStartedAt: "",
};

describe("shapes of offsets", () => {
  test("every digit of the time is kept", () => {
    const [report] = decodeText(JSON.stringify({ partition: { partitionToken: "AbC" }, offset: stored }));
    const [partition] = report?.partitions ?? [];
    expect(report?.connector).toBe("spanner");
    expect(partition).toMatchObject({
      phase: "streaming",
      warnings: [],
      sourceTime: "2026-09-14T06:30:00.123456Z",
      position: {
        text: "2026-09-14T06:30:00.123456789Z",
        meaning: expect.stringContaining("itself included"),
      },
    });
    expect(partition?.position.fields.map((f) => f.text)).toEqual([
      "2026-09-14T06:30:00.123456789Z",
      "2026-09-14T06:00:00Z",
      "not told",
    ]);
  });

  test("a bare offset is known by its keys", () => {
    expect(decodeText(JSON.stringify(stored))[0]?.connector).toBe("spanner");
  });

  test("an empty map is a token that has ended, not a fault", () => {
    const report = decodeOffsets({
      type: "spanner",
      offsets: [{ partition: { partitionToken: "x" }, offset: {} }],
    });
    expect(report.partitions[0]).toMatchObject({
      phaseText: "this partition token has ended: all its changes were sent, and it is not read again",
      position: { text: "ended" },
      warnings: [],
    });
  });

  test.each<[string, JsonObject, string]>([
    [
      "no offset",
      { startTime: stored.startTime },
      "offset is missing; an offset of Spanner has the commit time there.",
    ],
    [
      "no time",
      { offset: "yesterday" },
      'offset is "yesterday", not a time such as 2026-09-14T06:30:00.123456789Z.',
    ],
    ["a number", { offset: 5 }, "offset is 5, not a text."],
    [
      "a date that is none",
      { ...stored, startTime: "2026-02-30T00:00:00Z" },
      'startTime is "2026-02-30T00:00:00Z", not a time such as 2026-09-14T06:30:00.123456789Z.',
    ],
  ])("malformed: %s", (_, map, text) => {
    const report = decodeOffsets({ type: "spanner", offsets: [{ partition: {}, offset: map }] });
    expect(report.partitions[0]?.warnings).toEqual([{ slug: "offset-malformed", text }]);
  });
});

test("many tokens are no left-overs of the configuration", () => {
  const offsets = ["Parent0", "a", "b"].map((partitionToken) => ({
    partition: { partitionToken },
    offset: stored,
  }));
  const config = {
    "connector.class": "io.debezium.connector.spanner.SpannerConnector",
    "topic.prefix": "shop",
  };
  for (const given of [{ config }, {}])
    for (const { used, why } of decodeOffsets({ ...given, offsets }).partitions) {
      expect(used).toBe(true);
      expect(why).toContain("ended ones stay stored");
    }
});

describe("order", () => {
  const at = (ts_ns: number, more: JsonObject = {}) => event({ ts_ns, server_transaction_id: "x", ...more });

  test.each<[string, SpannerPosition, SpannerPosition, Order["order"]]>([
    ["offsets by time", offset(5n), offset(6n), "before"],
    ["the same offset", offset(5n), offset(5n), "equal"],
    ["an earlier event is covered", offset(5n), at(4), "after"],
    ["one at the very time is asked for again", offset(5n), at(5), "before"],
    ["a later one is new", offset(5n), at(6), "before"],
    ["to the microsecond", offset(5_000n), event({ ts_us: 5 }), "before"],
    ["an offset finer than the event", offset(5_400n), event({ ts_us: 5 }), "unordered"],
    ["to 2.5 to the millisecond: earlier", offset(5_400_000n), event({ ts_ms: 4 }), "after"],
    ["to 2.5 to the millisecond: the same one", offset(5_400_000n), event({ ts_ms: 5 }), "unordered"],
    ["events by time", at(4), at(5), "before"],
    ["of one transaction by record", at(5, { sequence: "9" }), at(5, { sequence: "10" }), "before"],
    [
      "of one record by change",
      at(5, { sequence: "9", mod_number: 0 }),
      at(5, { sequence: "9", mod_number: 1 }),
      "before",
    ],
    ["two transactions at one time", at(5), at(5, { server_transaction_id: "y" }), "unordered"],
    ["two partition tokens", at(4), at(5, { partition_token: "t2" }), "unordered"],
    ["no partition token", at(4, { partition_token: null }), at(5, { partition_token: null }), "unordered"],
  ])("%s", (_, a, b, expected) => {
    expect(spanner.order(a, b).order).toBe(expected);
    expect(spanner.order(b, a).order).toBe(opposite[expected]);
  });

  test("that it holds within one token is said", () => {
    expect(spanner.order(offset(5n), at(9))).toEqual({
      order: "before",
      why: "It holds for events of the offset's own partition token.",
    });
  });

  test("it is total for offsets of one token and for events of one transaction", () => {
    const any = fc.oneof(
      fc.tuple(fc.constant("offset"), fc.bigInt({ min: 0n, max: 5n }), fc.constant(0)),
      fc.tuple(fc.constant("event"), fc.bigInt({ min: 0n, max: 5n }), fc.nat({ max: 3 })),
    );
    const read = ([of, n, mod_number]: [string, bigint, number]) =>
      of === "offset" ? offset(n) : at(Number(n), { sequence: "1", mod_number });
    expectTotalOrder(spanner, any.map(read));
  });

  test("a position stored again is the same", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 63n }), (nanos) => {
        expect(offset(nanos).nanos).toBe(nanos);
        expect(offset(offset(nanos).nanos)).toEqual(offset(nanos));
      }),
    );
  });

  test("distance", () => {
    expect(spanner.distance(offset(0n), offset(2_000_000_000n))).toEqual({
      amount: 2_000n,
      unit: "milliseconds",
    });
  });
});

describe("identity", () => {
  const identity = (source: JsonObject, op = "u") =>
    spanner.identity({ topic: "shop.orders", key: "1", op, source });
  const full = { server_transaction_id: "x", sequence: "3", mod_number: 0, table: "orders" };

  test("transaction, record and change", () => {
    expect(identity(full)).toMatchObject({ caveat: null });
    const others = [
      { ...full, server_transaction_id: "y" },
      { ...full, sequence: "4" },
      { ...full, mod_number: 1 },
      { ...full, record_sequence_prefix: "0a" },
    ];
    const ids = [full, ...others].map((source) => identity(source).id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(identity({ ...full, partition_token: "another", ts_ms: 7 }).id).toBe(identity(full).id);
  });

  test("without", () => {
    expect(identity(full, "r").id).toBeNull();
    expect(identity({ server_transaction_id: "x" })).toEqual({
      id: null,
      why: "The event has no server_transaction_id and sequence.",
    });
    expect(identity({ server_transaction_id: "x", sequence: "3" })).toMatchObject({
      caveat: expect.stringContaining("no mod_number"),
    });
    expect(spanner.decodeSource({}).problems[0]?.text).toBe(
      "ts_ms is missing, not a time as a whole number.",
    );
  });
});
