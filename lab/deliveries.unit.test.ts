import { describe, expect, test } from "vitest";
import { newPartitionTally } from "./deliveries";

/** A record: run, then operation and number; `t` is a tombstone, `r` a row of a snapshot. */
function partition(...records: string[]) {
  const tally = newPartitionTally("t", 0);
  for (const [offset, text] of records.entries()) tally.add(record(offset, text));
  return tally.truth;
}

function record(offset: number, text: string) {
  const [run = "", op = "", number = "0"] = text.split(" ");
  const row = { id: Number(number), change_no: Number(number) };
  const event = { op, before: op === "d" ? row : null, after: op === "d" ? null : row, source: {} };
  return { offset: String(offset), run, value: op === "t" ? null : JSON.stringify(event) };
}

describe("the truth about a partition", () => {
  test("a stretch ends with a change that is no copy; tombstones and rows of snapshots may lie in it", () => {
    const truth = partition("a c 1", "a d 1", "a t", "b c 1", "b r 7", "b d 1", "b t", "b c 2", "b c 2");
    expect(truth).toMatchObject({ records: 6, reReads: 1, tombstones: 2, end: 9 });
    expect(truth.stretches).toEqual([
      { run: "b", firstOffset: 3, lastOffset: 5, count: 2 },
      { run: "b", firstOffset: 8, lastOffset: 8, count: 1 },
    ]);
    expect(truth.copies.map(({ offset, first }) => [offset, first])).toEqual([
      [3, 0],
      [5, 1],
      [8, 7],
    ]);
  });

  test("two replays that touch are told apart by their runs", () => {
    const { stretches } = partition("a c 1", "a c 2", "b c 1", "c c 1", "c c 2", "c c 3");
    expect(stretches).toEqual([
      { run: "b", firstOffset: 2, lastOffset: 2, count: 1 },
      { run: "c", firstOffset: 3, lastOffset: 4, count: 2 },
    ]);
  });

  test("two tasks at a time: new changes of the one end no stretch of the other", () => {
    const { stretches } = partition("a c 1", "b c 1", "b c 2", "a c 2", "b c 3", "a c 3", "b c 4");
    expect(stretches).toEqual([
      { run: "b", firstOffset: 1, lastOffset: 1, count: 1 },
      { run: "a", firstOffset: 3, lastOffset: 5, count: 2 },
    ]);
  });

  test("where a run copies from an earlier place again, another stretch begins", () => {
    const { stretches } = partition("a c 1", "a c 2", "b c 1", "b c 2", "b c 1", "b c 2");
    expect(stretches.map(({ firstOffset, count }) => [firstOffset, count])).toEqual([
      [2, 2],
      [4, 2],
    ]);
  });

  test("a record that is given again is not counted again", () => {
    const tally = newPartitionTally("t", 0);
    for (const offset of [0, 1, 0, 1, 2]) tally.add(record(offset, `a c ${offset}`));
    expect(tally.truth).toMatchObject({ records: 3, copies: [], end: 3 });
  });
});
