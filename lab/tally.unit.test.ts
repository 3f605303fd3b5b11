import { describe, expect, test } from "vitest";
import type { LedgerRow } from "./plan";
import { newTally } from "./tally";

const insert = (n: number): LedgerRow => ({ changeNo: n, table: "t", op: "c", id: n, rowNo: null });
const event = (op: string, row: object, snapshot: string | boolean = false) => ({
  value: JSON.stringify({
    op,
    before: op === "d" ? row : null,
    after: op === "d" ? null : row,
    source: { snapshot },
  }),
});

describe("counting a topic", () => {
  test("copies are duplicates; what the ledger has and the topic has not is missing", () => {
    const tally = newTally();
    for (const n of [1, 2, 3, 2, 3]) tally.add(event("c", { id: n, change_no: n }));
    tally.add({ value: null });
    expect(tally.result("t", [1, 2, 3, 4].map(insert))).toEqual({
      topic: "t",
      records: 5,
      distinct: 3,
      duplicates: 2,
      missing: 1,
      reReads: 0,
      tombstones: 1,
      committed: 4,
    });
  });

  test("the two events of a changed key are two, and a delete is known by the number that the row had", () => {
    const tally = newTally();
    tally.add(event("d", { id: 1, change_no: 1 }));
    tally.add(event("c", { id: 9, change_no: 9 }));
    const ledger: LedgerRow[] = [
      { changeNo: 9, table: "t", op: "d", id: 1, rowNo: 1 },
      { changeNo: 9, table: "t", op: "c", id: 9, rowNo: null },
    ];
    expect(tally.result("t", ledger)).toMatchObject({ distinct: 2, duplicates: 0, missing: 0 });
  });

  test("an initial read stands for earlier changes of its row, not for later ones; an incremental one for none", () => {
    const tally = newTally();
    tally.add(event("r", { id: 1, change_no: 5 }, "true"));
    tally.add(event("r", { id: 2, change_no: 6 }, "incremental"));
    const update = (id: number, n: number): LedgerRow => ({
      changeNo: n,
      table: "t",
      op: "u",
      id,
      rowNo: null,
    });
    const ledger = [update(1, 4), update(1, 5), update(1, 7), update(2, 6)];
    expect(tally.unseen(ledger).map((row) => row.changeNo)).toEqual([7, 6]);
    expect(tally.result("t", ledger).reReads).toBe(2);
  });

  test("without a key the number alone tells rows apart", () => {
    const tally = newTally();
    tally.add(event("c", { change_no: 1 }));
    tally.add(event("r", { change_no: 2 }, "last"));
    const row = (n: number): LedgerRow => ({ changeNo: n, table: "t", op: "c", id: null, rowNo: null });
    expect(tally.unseen([row(1), row(2), row(3)]).map((one) => one.changeNo)).toEqual([3]);
  });
});
