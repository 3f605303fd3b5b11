import { describe, expect, test } from "vitest";
import { type DeliveredRecord, deliveredRecord } from "@/lib/debezium/events/delivered-record";
import type { JsonObject } from "@/lib/debezium/json";
import { IdentityWalk } from "./identity-walk";
import { sourceBlock } from "./testing/databases";
import { runAt } from "./testing/delivered";
import { event, logged } from "./testing/logged";
import { WholeCount } from "./whole-count";

const [old, first, second] = [runAt(1), runAt(2), runAt(3)];

/** Update `ordinal` of row `key` in a transaction. */
function update(
  transaction: number,
  ordinal: number,
  key: number,
  runId: string | null,
  more: JsonObject = {},
) {
  const change = { n: 0, transaction, ordinal, key, op: "u" as const, pair: false };
  return (offset: number): DeliveredRecord => {
    const made = event(offset, { id: key }, "u", sourceBlock("mysql", change, more));
    const { headers } = logged(0, null, null, runId === null ? {} : { "__debezium.context.runId": runId });
    return deliveredRecord({ ...made, headers }, { topic: "t", partition: 0 }, null, null);
  };
}

/** The other server's file, with its own positions. */
const replica = { file: "replica-bin.000001" };

function replays(...records: ((offset: number) => DeliveredRecord)[]) {
  const walk = new IdentityWalk(null, { countFrom: 0, limit: 1_000 });
  for (const [offset, record] of records.entries()) walk.add(record(offset));
  return walk
    .replays()
    .map(({ firstOffset, lastOffset, count, bound }) => [firstOffset, lastOffset, count, bound]);
}

describe("a failover", () => {
  test("what a complete transaction holds is a copy wherever it stands now", () => {
    expect(
      replays(
        update(1, 0, 5, old),
        update(2, 0, 5, old),
        update(3, 0, 6, old),
        update(1, 0, 5, first, replica),
        update(2, 0, 5, first, replica),
        update(3, 0, 6, first, replica),
        update(4, 0, 6, first, replica),
      ),
    ).toEqual([[3, 5, 3, "exact"]]);
  });

  test("two changes of a row in one transaction are told apart by their order", () => {
    expect(
      replays(
        update(1, 0, 5, old),
        update(2, 0, 5, old),
        update(1, 0, 5, first, replica),
        update(2, 0, 5, first, replica),
        update(2, 1, 5, first, replica),
      ),
    ).toEqual([[2, 3, 2, "exact"]]);
  });

  test("the transaction in which the run before ended, first of the new one, is likely the same", () => {
    expect(
      replays(update(2, 0, 5, old), update(2, 0, 5, first, replica), update(2, 1, 6, first, replica)),
    ).toEqual([[1, 1, 1, "at-most"]]);
  });
});

describe("on one server", () => {
  test("a run that goes on inside a transaction sends no copy, though the row had the same change in it", () => {
    expect(replays(update(2, 0, 5, old), update(2, 3, 5, first), update(2, 4, 5, first))).toEqual([]);
    // Nor does the next one that begins there, beyond what comes again.
    expect(
      replays(update(2, 0, 5, old), update(2, 3, 5, first), update(2, 3, 5, second), update(2, 6, 5, second)),
    ).toEqual([[2, 2, 1, "exact"]]);
  });

  test("without GTIDs only file and position count", () => {
    const none = { gtid: null };
    expect(replays(update(1, 0, 5, old, none), update(1, 0, 5, first, { ...none, ...replica }))).toEqual([]);
    expect(replays(update(1, 0, 5, old, none), update(1, 0, 5, first, none))).toEqual([[1, 1, 1, "exact"]]);
  });
});

test("without run ids a run that begins with the last change again is numbered anew", () => {
  const of = (transaction: number, ordinal: number, more = {}) => update(transaction, ordinal, 5, null, more);
  expect(
    replays(of(1, 0), of(1, 1), of(2, 0), of(1, 0, replica), of(1, 0, replica), of(1, 1, replica)),
  ).toEqual([
    [3, 3, 1, "exact"],
    [4, 5, 2, "exact"],
  ]);
});

test("rows without a key are told by their place alone: two of one transaction in two partitions are no copies", () => {
  const count = new WholeCount();
  for (const partition of [0, 1]) {
    const change = { n: 0, transaction: 1, ordinal: partition, key: 0, op: "c" as const, pair: false };
    const made = event(0, null, "c", sourceBlock("mysql", change));
    count.add(deliveredRecord(made, { topic: "t", partition }, null, null));
  }
  expect(count.result("t")).toMatchObject({ events: 2, duplicates: 0 });
});
