import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../json";
import { oracle } from "./oracle";
import type { OraclePosition } from "./oracle-order";
import { expectPartialOrder, expectTotalOrder, opposite } from "./testing/order-laws";

function offset(map: JsonObject): OraclePosition {
  const { position, problems } = oracle.decodeOffset({ scn: "1", ...map });
  if (!position) throw new Error(problems[0]?.text);
  return position;
}

function event(map: JsonObject): OraclePosition {
  const { position, problems } = oracle.decodeSource({ snapshot: "false", redo_thread: 1, ...map });
  if (!position) throw new Error(problems[0]?.text);
  return position;
}

const change = (commit: string, txId: string, txSeq: number, more: JsonObject = {}): JsonObject => ({
  scn: "5",
  commit_scn: commit,
  txId,
  txSeq,
  ...more,
});

describe("an offset and an event: before means that it would be sent again", () => {
  const mined = { commit_scn: "100:1:0a,90:2:0b", txId: "0c", txSeq: 4 };

  test.each([
    ["an earlier commit", mined, change("99", "01", 1), "after"],
    ["a commit sent at the same SCN", mined, change("100", "0A", 7), "after"],
    ["another commit at the same SCN", mined, change("100", "0d", 1), "before"],
    ["a later commit", mined, change("101", "0d", 1), "before"],
    ["an event of the open transaction that was sent", mined, change("110", "0C", 3), "after"],
    ["the last event that was sent", mined, change("110", "0c", 4), "equal"],
    ["the next event of the open transaction", mined, change("110", "0c", 5), "before"],
    [
      "an event of the open transaction, before its commit is known",
      mined,
      { scn: "5", txId: "0c", txSeq: 4 },
      "equal",
    ],
    [
      "an event of the open transaction without a number",
      mined,
      { ...change("110", "0c", 0), txSeq: null },
      "unordered",
    ],
    ["a commit of the other redo thread", mined, change("95", "0d", 1, { redo_thread: 2 }), "before"],
    ["a commit of a redo thread that joined", mined, change("95", "0d", 1, { redo_thread: 3 }), "before"],
    [
      "a commit of a redo thread that is not told",
      mined,
      change("95", "0d", 1, { redo_thread: null }),
      "unordered",
    ],
    [
      "the only redo thread, untold",
      { commit_scn: "100" },
      change("95", "0d", 1, { redo_thread: null }),
      "after",
    ],
    ["a commit at the SCN of a legacy offset", { commit_scn: "100" }, change("100", "0d", 1), "unordered"],
    ["no commit_scn", { commit_scn: "100:1:" }, { scn: "5", txId: "0d" }, "unordered"],
    [
      "what the snapshot covers",
      { scn: "50", snapshot_scn: "60", commit_scn: null },
      change("60", "0d", 1),
      "after",
    ],
    [
      "what came after the snapshot",
      { scn: "50", snapshot_scn: "60", commit_scn: null },
      change("61", "0d", 1),
      "before",
    ],
    [
      "3.7: what the snapshot covers, though mining starts before it",
      { scn: "40", snapshot_scn: "40", snapshot_commit_scn: "60" },
      change("55", "0d", 1),
      "after",
    ],
    ["a row of the snapshot", { scn: "60", snapshot_scn: "60" }, { scn: "60", snapshot: "true" }, "after"],
    ["a row of a later snapshot", { commit_scn: "50:1:" }, { scn: "60", snapshot: "true" }, "before"],
    ["in a snapshot", { snapshot: "INITIAL", commit_scn: null }, change("1", "0d", 1), "unordered"],
    ["an LCR", { lcr_position: "0102" }, { lcr_position: "0101" }, "after"],
    ["the same LCR", { lcr_position: "0102" }, { lcr_position: "0102" }, "equal"],
    ["the next LCR", { lcr_position: "0102" }, { lcr_position: "0103" }, "before"],
    ["an LCR against an SCN", { commit_scn: "100:1:" }, { lcr_position: "0103" }, "unordered"],
  ] as const)("%s", (_, stored, delivered, expected) => {
    expect(oracle.order(offset(stored), event(delivered)).order).toBe(expected);
    expect(oracle.order(event(delivered), offset(stored)).order).toBe(opposite[expected]);
  });

  test("other redo threads and XStream say why", () => {
    const threads = oracle.order(event(change("1", "a", 1)), event(change("2", "b", 1, { redo_thread: 2 })));
    expect(threads).toMatchObject({
      order: "unordered",
      why: expect.stringContaining("redo threads 1 and 2"),
    });
    expect(oracle.order(offset({ lcr_position: "01" }), offset({ commit_scn: "1" }))).toMatchObject({
      order: "unordered",
      why: expect.stringContaining("XStream"),
    });
  });
});

describe("two events", () => {
  test.each([
    [
      "by commit, not by their own SCN",
      change("9", "a", 1, { scn: "8" }),
      change("12", "b", 1, { scn: "2" }),
      "before",
    ],
    ["of one transaction by number", change("9", "a", 1), change("9", "a", 2), "before"],
    [
      "before 3.2 by their SCN",
      { ...change("9", "a", 0), txSeq: null },
      { ...change("9", "a", 0, { scn: "6" }), txSeq: null },
      "before",
    ],
    ["two transactions at one SCN", change("9", "a", 1), change("9", "b", 1), "unordered"],
    ["without commit_scn", { scn: "1", txId: "a" }, { scn: "2", txId: "b" }, "unordered"],
    ["a snapshot's row, then a change", { scn: "9", snapshot: "last" }, change("10", "a", 1), "before"],
    ["a change, then a snapshot that has it", change("9", "a", 1), { scn: "9", snapshot: "first" }, "before"],
    ["an incremental snapshot", { scn: "9", snapshot: "incremental" }, change("10", "a", 1), "unordered"],
    ["XStream", { lcr_position: "ff" }, { lcr_position: "0100" }, "before"],
  ] as const)("%s", (_, a, b, expected) => {
    expect(oracle.order(event(a), event(b)).order).toBe(expected);
    expect(oracle.order(event(b), event(a)).order).toBe(opposite[expected]);
  });

  test("of one redo thread have a total order, where each SCN has one commit", () => {
    const n = fc.integer({ min: 0, max: 3 });
    const changes = fc.tuple(n, n).map(([commit, seq]) => event(change(`${commit}`, `${commit}`, seq)));
    const rows = n.map((scn) => event({ scn: `${scn}`, redo_thread: null, snapshot: "true" }));
    expectTotalOrder(oracle, fc.oneof(changes, rows));
  });
});

describe("two offsets", () => {
  test.each([
    ["both threads on", { commit_scn: "9:1:,8:2:" }, { commit_scn: "9:1:,9:2:" }, "before"],
    ["one on, one back", { commit_scn: "9:1:,8:2:" }, { commit_scn: "8:1:,9:2:" }, "unordered"],
    ["a thread joined", { commit_scn: "9:1:" }, { commit_scn: "9:1:,5:2:" }, "before"],
    ["another commit at the same SCN", { commit_scn: "9:1:0a" }, { commit_scn: "9:1:0a-0b" }, "before"],
    ["different commits at the same SCN", { commit_scn: "9:1:0a" }, { commit_scn: "9:1:0b" }, "unordered"],
    [
      "a transaction begun",
      { commit_scn: "9:1:0a", txId: "0a", txSeq: 9 },
      { commit_scn: "9:1:0a", txId: "0b", txSeq: 1 },
      "before",
    ],
    [
      "further in it",
      { commit_scn: "9:1:", txId: "0b", txSeq: 1 },
      { commit_scn: "9:1:", txId: "0b", txSeq: 2 },
      "before",
    ],
    [
      "in different ones",
      { commit_scn: "9:1:", txId: "0b", txSeq: 1 },
      { commit_scn: "9:1:", txId: "0c", txSeq: 1 },
      "unordered",
    ],
    ["only the resume SCN", { scn: "5", commit_scn: "9:1:" }, { scn: "6", commit_scn: "9:1:" }, "before"],
    ["only OpenLogReplicator's index", { scn: "5", scn_idx: 1 }, { scn: "5", scn_idx: 2 }, "before"],
    ["the same", { scn: "5", commit_scn: "9:1:0a" }, { scn: 5, commit_scn: "9:1:0A" }, "equal"],
    [
      "the first commit after a snapshot",
      { scn: "50", snapshot_scn: "50" },
      { scn: "40", commit_scn: "60:1:" },
      "before",
    ],
    ["XStream", { lcr_position: "0102" }, { lcr_position: "0103" }, "before"],
  ] as const)("%s", (_, a, b, expected) => {
    expect(oracle.order(offset(a), offset(b)).order).toBe(expected);
    expect(oracle.order(offset(b), offset(a)).order).toBe(opposite[expected]);
  });

  const n = fc.integer({ min: 0, max: 2 });
  const tx = fc.constantFrom("", "0a", "0b", "0a-0b");
  const open = fc.option(fc.tuple(fc.constantFrom("0a", "0b", "0c"), n));

  test("have a total order with one redo thread, one commit an SCN and no open transaction", () => {
    const any = fc.tuple(n, n).map(([scn, commit]) => offset({ scn, commit_scn: `${commit}:1:0${commit}` }));
    expectTotalOrder(oracle, any);
  });

  test("are ordered as far as their threads and transactions tell", () => {
    const any = fc.tuple(n, fc.option(n), tx, fc.option(n), tx, open).map(([scn, one, a, two, b, last]) => {
      const entries = [one === null ? null : `${one}:1:${a}`, two === null ? null : `${two}:2:${b}`];
      const commit_scn = entries.filter((entry) => entry !== null).join(",") || null;
      return offset({ scn, commit_scn, ...(last === null ? {} : { txId: last[0], txSeq: last[1] }) });
    });
    expectPartialOrder(oracle, any);
  });
});

describe("distance", () => {
  test.each([
    [
      "commits",
      { commit_scn: "100:1:" },
      { commit_scn: "18446744073709552010:1:" },
      18446744073709551910n,
      "SCNs",
    ],
    ["back", { commit_scn: "100:1:" }, { commit_scn: "40:1:" }, -60n, "SCNs"],
    ["the newest thread", { commit_scn: "100:1:,90:2:" }, { commit_scn: "100:1:,120:2:" }, 20n, "SCNs"],
    ["from a snapshot", { scn: "50", snapshot_scn: "50" }, { scn: "40", commit_scn: "60:1:" }, 10n, "SCNs"],
    ["the same", { commit_scn: "100:1:" }, { commit_scn: "100:1:" }, 0n, "SCNs"],
    [
      "the resume SCN",
      { scn: "4", commit_scn: "9:1:" },
      { scn: "7", commit_scn: "9:1:" },
      3n,
      "SCNs of the resume SCN",
    ],
    [
      "in a transaction",
      { commit_scn: "9:1:", txId: "b", txSeq: 1 },
      { commit_scn: "9:1:", txId: "b", txSeq: 5 },
      4n,
      "events of one transaction",
    ],
  ] as const)("%s", (_, from, to, amount, unit) => {
    expect(oracle.distance(offset(from), offset(to))).toEqual({ amount, unit });
  });

  test.each([
    ["XStream", { lcr_position: "01" }, { lcr_position: "02" }, /XStream position/],
    ["threads apart", { commit_scn: "9:1:,8:2:" }, { commit_scn: "8:1:,9:2:" }, /one redo thread/],
    [
      "an older thread",
      { commit_scn: "9:1:,7:2:" },
      { commit_scn: "9:1:,8:2:" },
      /newest commit SCN is the same/,
    ],
    ["no SCN", { scn: null }, { commit_scn: "9:1:" }, /no SCN/],
  ] as const)("none: %s", (_, from, to, why) => {
    expect(oracle.distance(offset(from), offset(to))).toEqual({
      amount: null,
      why: expect.stringMatching(why),
    });
  });

  test("to an event by its commit", () => {
    expect(oracle.distance(offset({ commit_scn: "9:1:" }), event(change("12", "a", 1)))).toEqual({
      amount: 3n,
      unit: "SCNs",
    });
  });
});
