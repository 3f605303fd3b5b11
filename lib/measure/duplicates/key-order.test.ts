import { describe, expect, test } from "vitest";
import type { DeliveredRecord } from "@/lib/debezium/events/delivered-record";
import { change, changes, log, runAt } from "./testing/delivered";
import { WholeCount } from "./whole-count";

const [a, b] = [runAt(1), runAt(2)];

/** Changes of one row. */
const row = (n: number, runId: string | null, more: Partial<DeliveredRecord> = {}) => {
  return (offset: number) => change(offset, n, runId, { rowKey: "row", ...more });
};

function violations(...records: Parameters<typeof log>[0]) {
  const count = new WholeCount();
  for (const record of log(records)) count.add(record);
  const { keyOrderViolations, violations: examples } = count.result("t");
  expect(examples.length).toBe(keyOrderViolations);
  return examples;
}

describe("an older change after a newer one of its row", () => {
  test("is a fault within one run", () => {
    expect(violations(row(1, a), row(3, a), row(2, a), row(4, a))).toEqual([
      { partition: 0, offset: 2, after: 1, position: "at 2" },
    ]);
    // Other rows may come in between, and in any order.
    expect(violations(row(1, a), change1(9), row(3, a), change1(8), row(4, a))).toEqual([]);
  });

  test("is none in a replay, which brings old states again in their order", () => {
    expect(violations(row(1, a), row(2, a), row(3, a), row(1, b), row(2, b), row(3, b), row(4, b))).toEqual(
      [],
    );
  });

  test("is a fault in a replay where it had not been delivered", () => {
    expect(violations(row(1, a), row(3, a), row(1, b), row(2, b), row(3, b))).toMatchObject([
      { offset: 3, after: 1 },
    ]);
    // Also where it is the first of the replay.
    expect(violations(row(2, a), row(3, a), row(1, b), row(2, b), row(3, b))).toMatchObject([
      { offset: 2, after: 1 },
    ]);
  });

  test("is none where a new run has another history: nothing of it had been delivered", () => {
    expect(violations(row(50, a), row(60, a), row(1, b), row(2, b), row(3, b))).toEqual([]);
    // A fault within that history is one.
    expect(violations(row(50, a), row(60, a), row(1, b), row(3, b), row(2, b))).toMatchObject([
      { offset: 4, after: 3 },
    ]);
  });

  test("without run ids a short fall is a fault, one that does not end another history", () => {
    expect(violations(row(1, null), row(3, null), row(2, null), row(4, null))).toMatchObject([{ offset: 2 }]);
    expect(violations(row(50, null), row(60, null), row(1, null), row(2, null))).toEqual([]);
  });

  test("is not looked for between writers, redo threads, or positions that have no order", () => {
    const other = { lane: "other", identity: "other 1" };
    expect(violations(row(5, a), row(1, a, other))).toEqual([]);
    const unsequenced = { position: { ...(change(0, 1).position as object), sequenced: false } };
    expect(violations(row(5, a), row(1, a, unsequenced))).toEqual([]);
    expect(violations(row(5, a), row(1, a, { position: null }))).toEqual([]);
    expect(violations(row(5, a), row(1, a, { rowKey: null }))).toEqual([]);
  });

  test("of a changed primary key neither half is older", () => {
    const half = (op: string, key: string) => row(3, a, { op, rowKey: key, identity: `3 ${op}` });
    expect(violations(row(1, a), half("d", "row"), half("c", "moved"), half("c", "row"))).toEqual([]);
  });
});

test("of many faults the first twenty are kept", () => {
  const count = new WholeCount();
  const falling = Array.from({ length: 50 }, (_, i) => row(100 - i, a));
  for (const record of log([...changes(0, 3, a), ...falling])) count.add(record);
  const { keyOrderViolations, violations: examples } = count.result("t");
  expect(keyOrderViolations).toBe(49);
  expect(examples.length).toBe(20);
});

function change1(n: number) {
  return (offset: number) => change(offset, n, a, { rowKey: `row ${n}` });
}
