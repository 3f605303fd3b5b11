import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeOffsets } from "../decode";
import { isJsonObject, type JsonObject, parseJson, stringifyJson } from "../json";
import type { ChangeTablePosition } from "./change-table-order";
import { reportedCase } from "./fixtures/read";
import { sqlserver } from "./sqlserver";
import { expectPartialOrder, expectTotalOrder, opposite } from "./testing/order-laws";

function offset(map: JsonObject): ChangeTablePosition {
  const { position, problems } = sqlserver.decodeOffset(map);
  if (!position) throw new Error(problems[0]?.text);
  return position;
}

function event(map: JsonObject): ChangeTablePosition {
  const { position, problems } = sqlserver.decodeSource({ db: "shop", snapshot: "false", ...map });
  if (!position) throw new Error(problems[0]?.text);
  return position;
}

const lsn = (n: number) => `0000006a:00006608:${n.toString(16).padStart(4, "0")}`;
const at = (commit: number, change: number | null, serial = 1): JsonObject => ({
  commit_lsn: lsn(commit),
  change_lsn: change === null ? null : lsn(change),
  event_serial_no: serial,
});

const done: JsonObject = { snapshot: "INITIAL", snapshot_completed: true };

describe("SQL Server offsets", () => {
  test("OFF-12: LSNs are taken apart, and change_lsn null, NULL or below commit_lsn is no fault", () => {
    const { input, expected } = reportedCase("OFF-12");
    const offsets = (Array.isArray(input) ? input : []).filter((item) => isJsonObject(item));
    const partition = { server: "erp", database: "shop" };
    const report = decodeOffsets({
      type: "sqlserver",
      offsets: offsets.map((item) => ({ partition, offset: item })),
    });
    const place = (value: unknown) => {
      const { vlf, block, slot } = value as { vlf: number; block: number; slot: number };
      return `VLF ${vlf}, block ${block}, slot ${slot}`;
    };
    expect(offsets).toHaveLength(3);
    for (const [i, { position, warnings }] of report.partitions.entries()) {
      const want = Array.isArray(expected) ? expected[i] : null;
      if (!isJsonObject(want)) throw new Error("no expected answer");
      const text = (name: string) => position.fields.find((f) => f.name === name)?.text;
      expect(text("commit_lsn")).toContain(place(want.commit));
      if (typeof want.change === "string") expect(text("change_lsn")).toBe(want.change);
      else expect(text("change_lsn")).toContain(place(want.change));
      if (want.serial !== undefined) expect(text("event_serial_no")).toBe(String(want.serial));
      expect(warnings.map((w) => w.slug)).toEqual(i === 0 ? ["offset-snapshot-unfinished"] : []);
    }
    expect(report.partitions.map((p) => p.phase)).toEqual(["snapshot", "streaming", "streaming"]);
  });

  test.each<[string, JsonObject, string, RegExp]>([
    ["streaming", at(9, 7, 2), lsn(9), /last change sent .*0007, number 2/],
    ["snapshot", { ...at(9, null), snapshot: true, snapshot_completed: false }, lsn(9), /running snapshot/],
    ["3.0.2+ snapshot done", { ...at(9, null), ...done }, lsn(9), /no change was sent since/],
    ["1.9 without serial", { commit_lsn: lsn(9), change_lsn: lsn(7) }, lsn(9), /number 0/],
    ["nothing read yet", { commit_lsn: "NULL", change_lsn: "NULL" }, "none yet", /No transaction/],
    ["upper case, no colons", { commit_lsn: "0000006A000066080009" }, lsn(9), /snapshot was taken/],
  ])("headline: %s", (_, map, text, meaning) => {
    expect(sqlserver.headline(map)).toEqual({ text, meaning: expect.stringMatching(meaning) });
    expect(sqlserver.decodeOffset(map).problems).toEqual([]);
    expect(sqlserver.sourceTime(map)).toBeNull();
  });

  test.each<[string, JsonObject, string]>([
    ["none", {}, "commit_lsn is missing; every SQL Server offset has one."],
    ["a number", { commit_lsn: 5 }, "commit_lsn is 5, not a text."],
    ["other digits", { commit_lsn: "xyz" }, 'commit_lsn is "xyz", not an LSN of SQL Server.'],
    [
      "Db2's length",
      { commit_lsn: "0".repeat(32) },
      `commit_lsn is "${"0".repeat(32)}", not an LSN of SQL Server.`,
    ],
    [
      "a bad change",
      { commit_lsn: lsn(1), change_lsn: "0001" },
      'change_lsn is "0001", not an LSN of SQL Server.',
    ],
  ])("malformed: %s", (_, map, text) => {
    const { position, problems } = sqlserver.decodeOffset(map);
    expect(position).toBeNull();
    expect(problems.map((p) => p.text)).toEqual([text]);
    expect(sqlserver.headline(map).text).toBe("unknown");
  });

  test("each database is a partition of its own and all of them are used, as is the one of before 2.0", () => {
    const config = {
      "connector.class": "io.debezium.connector.sqlserver.SqlServerConnector",
      "topic.prefix": "erp",
    };
    const partitions: JsonObject[] = [
      { server: "erp", database: "a" },
      { server: "erp", database: "b" },
      { server: "erp" },
    ];
    const offsets = [...partitions, { server: "old", database: "a" }].map((partition, i) => ({
      partition,
      offset: at(i + 1, 1),
    }));
    const report = decodeOffsets({ config, offsets });
    expect(report.partitions.map((p) => [p.used, p.position.text])).toEqual([
      [true, lsn(1)],
      [true, lsn(2)],
      [true, lsn(3)],
      [false, lsn(4)],
    ]);
  });
});

describe("order of SQL Server positions", () => {
  test.each([
    ["commit first, though changes fall", at(1, 9), at(2, 3), "before"],
    ["a change shared: by number", at(1, 1, 1), at(1, 1, 2), "before"],
    ["the same", at(1, 1, 1), at(1, 1, 1), "equal"],
    ["one transaction, changes rise", at(5, 1), at(5, 2), "unordered"],
    ["one transaction, changes fall", at(5, 2), at(5, 1), "unordered"],
  ] as const)("two events: %s", (_, a, b, expected) => {
    expect(sqlserver.order(event(a), event(b)).order).toBe(expected);
    expect(sqlserver.order(event(b), event(a)).order).toBe(opposite[expected]);
  });

  test("changes of one transaction say why they have no order", () => {
    expect(sqlserver.order(event(at(5, 1)), event(at(5, 2)))).toMatchObject({
      why: expect.stringContaining("change LSNs can fall"),
    });
  });

  test("databases have logs of their own", () => {
    const other = event({ ...at(9, 9), db: "crm" });
    expect(sqlserver.order(event(at(1, 1)), other)).toMatchObject({
      order: "unordered",
      why: expect.stringContaining("Databases shop and crm"),
    });
  });

  test.each([
    ["an earlier commit", at(5, 3), at(4, 9), "after"],
    ["a later commit", at(5, 3), at(6, 1), "before"],
    ["a later change of its transaction", at(5, 3), at(5, 4), "before"],
    ["an earlier change of its transaction", at(5, 3), at(5, 2), "after"],
    ["its own change", at(5, 3, 2), at(5, 3, 2), "equal"],
    ["the next row with its LSNs", at(5, 3, 2), at(5, 3, 3), "before"],
    ["the row before with its LSNs", at(5, 3, 2), at(5, 3, 1), "after"],
    ["its LSNs without a number", at(5, 3, 2), { ...at(5, 3), event_serial_no: null }, "unordered"],
    ["after a snapshot: what it covers", { ...at(5, null), ...done }, at(5, 1), "after"],
    ["after a snapshot: what comes later", { ...at(5, null), ...done }, at(6, 1), "before"],
    ["NULL and no snapshot: the transaction is read again", at(5, null), at(5, 1), "before"],
    ["in a snapshot", { ...at(5, null), snapshot: true }, at(4, 1), "unordered"],
    ["nothing read yet", { commit_lsn: "NULL" }, at(1, 1), "before"],
    ["a row of the snapshot", at(5, 3), { ...at(5, null), snapshot: "true" }, "after"],
  ] as const)("an offset and %s", (_, stored, delivered, expected) => {
    expect(sqlserver.order(offset(stored), event(delivered)).order).toBe(expected);
    expect(sqlserver.order(event(delivered), offset(stored)).order).toBe(opposite[expected]);
  });

  test("an earlier change of its transaction is covered only as long as change LSNs rise", () => {
    expect(sqlserver.order(offset(at(5, 3)), event(at(5, 2)))).toMatchObject({
      why: expect.stringContaining("sends from there on again"),
    });
    expect(sqlserver.order(offset(at(5, 3)), event(at(4, 9)))).not.toHaveProperty("why");
  });

  test("a record of an incremental snapshot has no place", () => {
    const read = event({ ...at(1, 1), snapshot: "incremental" });
    expect(sqlserver.order(read, event(at(2, 1))).order).toBe("unordered");
  });

  const n = fc.integer({ min: 0, max: 3 });
  const place = fc.tuple(n, fc.option(n), n).map(([commit, change, serial]) => at(commit, change, serial));

  test("offsets of one database have a total order: what a restart would skip", () => {
    expectTotalOrder(sqlserver, place.map(offset));
  });

  test("events are ordered as far as their commits and numbers tell", () => {
    expectPartialOrder(sqlserver, place.map(event));
  });
});

test("a position written back reads the same", () => {
  const word = fc.integer({ min: 0, max: 0xffff_ffff });
  const text = fc
    .tuple(word, word, fc.integer({ min: 0, max: 0xffff }))
    .map((parts) => parts.map((p, i) => p.toString(16).padStart(i === 2 ? 4 : 8, "0")).join(":"));
  fc.assert(
    fc.property(
      text,
      fc.option(text),
      fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
      (commit, change, serial) => {
        const stored = { commit_lsn: commit, change_lsn: change ?? "NULL", event_serial_no: serial };
        const again = parseJson(stringifyJson(stored));
        const position = offset(isJsonObject(again) ? again : {});
        expect([position.commit, position.change, position.serial]).toEqual([commit, change, serial]);
        expect(sqlserver.headline(stored).text).toBe(commit);
      },
    ),
  );
});

describe("distance and identity", () => {
  test.each([
    ["0000006a:00006608:0003", "0000006a:00006610:0001", /^In the same virtual log file; .*not tell bytes/],
    ["0000006a:00006608:0003", "0000006c:00000001:0001", /^2 virtual log files later; /],
    ["0000006c:00000001:0001", "0000006b:00000001:0001", /^1 virtual log file earlier; /],
    ["NULL", "0000006b:00000001:0001", /^One of the two has no commit LSN/],
  ])("from %s to %s", (from, to, why) => {
    expect(sqlserver.distance(offset({ commit_lsn: from }), offset({ commit_lsn: to }))).toEqual({
      amount: null,
      why: expect.stringMatching(why),
    });
  });

  const record = (source: JsonObject, op = "u", key: string | null = "k") =>
    sqlserver.identity({ topic: "t", key, op, source: { db: "shop", ...source } });

  test("LSNs and number make a change; the two records of a changed key differ by op", () => {
    expect(record(at(1, 1, 2), "d").id).not.toBe(record(at(1, 1, 2), "c").id);
    expect(record(at(1, 1, 1)).id).not.toBe(record(at(1, 1, 2)).id);
    expect(record({ ...at(1, 1), db: "crm" }).id).not.toBe(record(at(1, 1)).id);
    expect(record(at(1, 1), "u", null)).toMatchObject({ caveat: null });
  });

  test("without a number, or without LSNs, it says so", () => {
    expect(record({ ...at(1, 1), event_serial_no: null })).toMatchObject({
      caveat: expect.stringContaining("no event_serial_no"),
    });
    expect(record({})).toEqual({ id: null, why: expect.stringContaining("no commit_lsn") });
    expect(record(at(1, 1), "r")).toEqual({ id: null, why: expect.stringContaining("re-read") });
  });

  test("a source block as the documentation shows it", () => {
    const source: JsonObject = {
      version: "3.6.1.Final",
      connector: "sqlserver",
      name: "server1",
      ts_ms: 1559729468470,
      snapshot: false,
      db: "testDB",
      schema: "dbo",
      table: "customers",
      change_lsn: "00000027:00000758:0003",
      commit_lsn: "00000027:00000758:0005",
      event_serial_no: "1",
    };
    expect(sqlserver.decodeSource(source)).toEqual({
      position: expect.objectContaining({
        commit: "00000027:00000758:0005",
        change: "00000027:00000758:0003",
        serial: 1n,
        database: "testDB",
        snapshot: null,
      }),
      problems: [],
    });
  });

  test("an event that cannot be read says why", () => {
    expect(sqlserver.decodeSource({ db: "shop" }).problems.map((p) => p.text)).toEqual([
      "The event has no commit_lsn.",
    ]);
    expect(sqlserver.decodeSource({ commit_lsn: lsn(1), change_lsn: 7 }).problems.map((p) => p.text)).toEqual(
      ["change_lsn is 7, not an LSN of SQL Server."],
    );
  });
});

test.each([
  [at(5, 3, -4), "its number cannot be read"],
  [at(5, 3, 2), "number 2 there"],
  [{ commit_lsn: lsn(5), change_lsn: lsn(3) }, "number 0 there"],
])("a number that cannot be read is not said to be 0: %o", (map, words) => {
  expect(sqlserver.headline(map).meaning).toContain(words);
});
