import { expect, test } from "vitest";
import { EarlierRuns } from "./earlier-runs";
import { bareRecord, change, changes, log, runAt } from "./testing/delivered";

const [a, b, c] = [runAt(1), runAt(2), runAt(3)];

function earlier(...records: Parameters<typeof log>[0]) {
  const runs = new EarlierRuns();
  for (const record of log(records)) runs.add(record);
  return runs.found();
}

test("runs that follow one another have none", () => {
  expect(earlier(...changes(0, 3, a), ...changes(2, 5, b), ...changes(4, 6, c))).toEqual([]);
  expect(earlier(...changes(0, 3, null), ...changes(0, 3, null))).toEqual([]);
});

test("what a run writes after a later one began is told, from the first to the last", () => {
  expect(
    earlier(
      ...changes(0, 3, a),
      ...changes(2, 5, b),
      ...changes(3, 5, a),
      ...changes(5, 6, b),
      ...changes(5, 6, a),
    ),
  ).toEqual([{ runId: a, offset: 6, last: 9 }]);
});

test("by its id also one that wrote nothing before", () => {
  expect(earlier(...changes(0, 3, b), ...changes(3, 5, a))).toEqual([{ runId: a, offset: 3, last: 4 }]);
});

test("ids that tell no time are known by their return", () => {
  expect(earlier(...changes(0, 1, "x"), ...changes(1, 2, "w"), ...changes(2, 3, "x"))).toEqual([
    { runId: "x", offset: 2, last: 2 },
  ]);
});

test("other writers have runs of their own, and only changes count", () => {
  const other = (offset: number) => change(offset, 1, b, { lane: "other" });
  const read = (offset: number) => ({ ...bareRecord("snapshot", offset), runId: a });
  expect(earlier(...changes(0, 1, a), other, ...changes(1, 2, a), ...changes(2, 3, b), read)).toEqual([]);
});
