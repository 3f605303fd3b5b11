import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../json";
import { binlogKind } from "./binlog";
import { type BinlogPosition, isPositionAtOrBefore } from "./binlog-order";
import { capturedEvents, reportedCase } from "./fixtures/read";
import { mariadb } from "./mariadb";
import { type MariaDbGtidSet, mariaDbGtids } from "./mariadb-gtid";
import { mysql } from "./mysql";
import { type MySqlGtidSet, mySqlGtids } from "./mysql-gtid";
import type { Order, PositionKind } from "./position";

const uuid = "8a94f357-aab4-11df-86ab-c80aa9429562";
const other = "0d9f3c11-aab4-11df-86ab-c80aa9429562";

function offsetOf<P>(kind: PositionKind<P>) {
  return (map: JsonObject): P => {
    const { position, problems } = kind.decodeOffset({ file: "binlog.000001", pos: 100, ...map });
    if (!position) throw new Error(problems[0]?.text);
    return position;
  };
}

function eventOf<P>(kind: PositionKind<P>) {
  return (map: JsonObject): P => {
    const source = { file: "binlog.000001", pos: 100, row: 0, server_id: 1, snapshot: "false", ...map };
    const { position, problems } = kind.decodeSource(source);
    if (!position) throw new Error(problems[0]?.text);
    return position;
  };
}

const my: (map: JsonObject) => BinlogPosition<MySqlGtidSet> = offsetOf(mysql);
const maria: (map: JsonObject) => BinlogPosition<MariaDbGtidSet> = offsetOf(mariadb);
const myEvent = eventOf(mysql);
const mariaEvent = eventOf(mariadb);

const opposite: Record<Order["order"], Order["order"]> = {
  before: "after",
  after: "before",
  equal: "equal",
  unordered: "unordered",
};

describe("order of two offsets", () => {
  test("OFF-11 without GTIDs by file number and position", () => {
    const { input } = reportedCase("OFF-11");
    const [first, second] = (Array.isArray(input) ? input : []) as JsonObject[];
    expect(mysql.order(my(first ?? {}), my(second ?? {})).order).toBe("before");
    expect(mysql.distance(my(first ?? {}), my(second ?? {}))).toEqual({
      amount: null,
      why: "1 file later; how long the files are is not in the offset.",
    });
  });

  test.each([
    ["a subset comes before", { gtids: `${uuid}:1-5` }, { gtids: `${uuid}:1-9` }, "before"],
    [
      "equal sets go by done events",
      { gtids: `${uuid}:1-5`, event: 2 },
      { gtids: `${uuid}:1-5`, event: 5 },
      "before",
    ],
    [
      "equal sets go by done rows",
      { gtids: `${uuid}:1-5`, row: 2 },
      { gtids: `${uuid}:1-5`, row: 1 },
      "after",
    ],
    [
      "a GTID that stands still: the position moves",
      { gtids: `${uuid}:1-5` },
      { gtids: `${uuid}:1-5`, pos: 900 },
      "before",
    ],
    ["parted histories", { gtids: `${uuid}:1-5` }, { gtids: `${other}:1-9` }, "unordered"],
    ["without GTIDs counts as older", {}, { gtids: `${uuid}:1-5` }, "before"],
    ["another server, no GTID", { server_id: 1 }, { server_id: 2, pos: 200 }, "unordered"],
    ["another series of files", {}, { file: "mysql-bin.000009" }, "unordered"],
    ["position, then events, then rows", { pos: 100, event: 1, row: 2 }, { pos: 100, event: 2 }, "before"],
    ["the same", { gtids: "null" }, { gtids: null }, "equal"],
  ] as const)("%s", (_, a, b, expected) => {
    expect(mysql.order(my(a), my(b)).order).toBe(expected);
    expect(mysql.order(my(b), my(a)).order).toBe(opposite[expected]);
  });

  test("MariaDB: across a failover the domain's sequence orders", () => {
    expect(mariadb.order(maria({ gtids: "0-1-100" }), maria({ gtids: "0-2-101", file: "x.1" })).order).toBe(
      "before",
    );
    expect(mariadb.order(maria({ gtids: "0-1-100" }), maria({ gtids: "0-2-100" })).order).toBe("unordered");
  });

  test("on one server order is antisymmetric, transitive and total", () => {
    const n = (max: number) => fc.integer({ min: 0, max });
    const anyOffset = fc
      .tuple(n(2), n(2), n(2), n(2))
      .map(([file, pos, event, row]) => my({ file: `b.${file}`, pos, event, row, server_id: 1 }));
    fc.assert(
      fc.property(anyOffset, anyOffset, anyOffset, (a, b, c) => {
        const [ab, ba] = [mysql.order(a, b).order, mysql.order(b, a).order];
        expect(ab).not.toBe("unordered");
        expect(ba).toBe(opposite[ab]);
        if (ab !== "after" && mysql.order(b, c).order !== "after")
          expect(mysql.order(a, c).order).not.toBe("after");
        expect(isPositionAtOrBefore(mySqlGtids, a, b)).toBe(ab !== "after");
      }),
    );
  });
});

describe("isPositionAtOrBefore, as Debezium decides", () => {
  test.each([
    ["subset", { gtids: `${uuid}:1-5` }, { gtids: `${uuid}:1-9` }, true],
    ["not a subset", { gtids: `${uuid}:1-5,${other}:1` }, { gtids: `${uuid}:1-9` }, false],
    ["equal, more events done", { gtids: `${uuid}:1`, event: 3 }, { gtids: `${uuid}:1`, event: 2 }, false],
    [
      "equal, desired in a snapshot",
      { gtids: `${uuid}:1` },
      { gtids: `${uuid}:1`, snapshot: "INITIAL" },
      false,
    ],
    ["recorded without GTIDs", {}, { gtids: `${uuid}:1` }, true],
    ["desired without GTIDs", { gtids: `${uuid}:1` }, {}, false],
    [
      "other server, earlier",
      { server_id: 1, ts_sec: 5, pos: 900 },
      { server_id: 2, ts_sec: 6, pos: 4 },
      true,
    ],
    ["other server, later", { server_id: 1, ts_sec: 7 }, { server_id: 2, ts_sec: 6 }, false],
    ["later row", { row: 2 }, { row: 1 }, false],
  ])("%s", (_, recorded, desired, expected) => {
    expect(isPositionAtOrBefore(mySqlGtids, my(recorded), my(desired))).toBe(expected);
  });

  test("MariaDB: after a failover nothing is contained", () => {
    expect(isPositionAtOrBefore(mariaDbGtids, maria({ gtids: "0-1-1" }), maria({ gtids: "0-2-2" }))).toBe(
      false,
    );
  });
});

describe("order of an offset and an event: before means that it would be sent again", () => {
  test("by GTID, wherever file and position are", () => {
    const at = maria({ gtids: "0-223344-21", transaction_id: "0-223344-22", server_id: 223344 });
    expect(mariadb.order(at, mariaEvent({ gtid: "0-223344-21", file: "other.9" })).order).toBe("after");
    expect(mariadb.order(at, mariaEvent({ gtid: "0-223344-22" })).order).toBe("before");
    expect(mariadb.order(mariaEvent({ gtid: "0-223344-22" }), at).order).toBe("after");
  });

  test("in the transaction in which the offset stops, events must be counted", () => {
    const at = maria({ gtids: "0-1-21", transaction_id: "0-1-22", event: 3 });
    expect(mariadb.order(at, mariaEvent({ gtid: "0-1-22" })).order).toBe("unordered");
    expect(mariadb.order(at, mariaEvent({ gtid: "0-1-23" })).order).toBe("before");
    const untold = my({ gtids: `${uuid}:1-21`, event: 3 });
    expect(mysql.order(untold, myEvent({ gtid: `${uuid}:22` })).order).toBe("unordered");
    expect(mysql.order(untold, myEvent({ gtid: `${uuid}:23` })).order).toBe("before");
  });

  test("by file and position without GTIDs", () => {
    const at = my({ server_id: 1 });
    expect(mysql.order(at, myEvent({ pos: 99 })).order).toBe("after");
    expect(mysql.order(at, myEvent({ pos: 100 })).order).toBe("before");
    expect(mysql.order(at, myEvent({ server_id: 2 })).order).toBe("unordered");
    const inside = my({ server_id: 1, event: 2 });
    expect(mysql.order(inside, myEvent({ pos: 120 })).order).toBe("unordered");
    expect(mysql.order(inside, myEvent({ file: "binlog.000002", pos: 4 })).order).toBe("before");
  });
});

describe("captured MariaDB events", () => {
  const events = capturedEvents("mariadb");

  test("rise in the order of delivery", () => {
    for (const topic of new Set(events.map((e) => e.topic))) {
      const read = events
        .filter((e) => e.topic === topic)
        .map((e) => mariadb.decodeSource(e.source).position)
        .filter((p) => p !== null);
      for (const [i, next] of read.slice(1).entries()) {
        const before = read[i];
        if (before) expect(["before", "equal"]).toContain(mariadb.order(before, next).order);
      }
    }
  });

  test("have identities of their own", () => {
    const identities = events.filter((e) => e.op !== "r").map((e) => mariadb.identity(e));
    const ids = identities.map((i) => i.id);
    expect(ids.length).toBeGreaterThan(4);
    expect(ids).not.toContain(null);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe("distance", () => {
  test.each([
    [
      { gtids: `${uuid}:1-900100` },
      { gtids: `${uuid}:1-900100,${other}:1-45`, file: "x.7" },
      45n,
      "transactions",
    ],
    [
      { gtids: `${uuid}:1-18`, pos: 1200 },
      { gtids: `${uuid}:1-18`, pos: 990400 },
      989200n,
      "bytes in the same binlog file",
    ],
    [{ pos: 500 }, { pos: 100 }, -400n, "bytes in the same binlog file"],
    [{ gtids: `${uuid}:1-9` }, { gtids: `${uuid}:1-5` }, -4n, "transactions"],
  ])("from %j to %j", (from, to, amount, unit) => {
    expect(mysql.distance(my(from), my(to))).toEqual({ amount, unit });
  });

  test.each([
    [{ gtids: `${uuid}:1` }, { gtids: `${other}:1` }, /lacks/],
    [{ server_id: 1 }, { server_id: 2 }, /servers 1 and 2/],
    [{ file: "a.1" }, { file: "b.1" }, /different series/],
  ])("from %j to %j there is none", (from, to, why) => {
    expect(mysql.distance(my(from), my(to))).toEqual({ amount: null, why: expect.stringMatching(why) });
  });
});

test("the GTIDs of one offset are parsed once", () => {
  let parsed = 0;
  const counting = binlogKind<string>(
    {
      ...mySqlGtids,
      parse: (text) => {
        parsed++;
        return { set: text };
      },
      print: (set) => set,
      describe: (set) => set,
      equal: (a, b) => a === b,
      covers: (a, b) => a === b,
      coversAsDebezium: (a, b) => a === b,
      countBeyond: () => 0n,
      covered: () => null,
      isNext: () => false,
    },
    true,
  );
  const offset = { file: "b.1", pos: 4, gtids: "a" };
  expect(counting.headline(offset).text).toBe("a");
  expect(counting.fields.gtids?.read("a")).toEqual({ text: "a" });
  counting.decodeOffset(offset);
  expect(parsed).toBe(1);
  expect(counting.headline({ ...offset, gtids: "b" }).text).toBe("b");
});
