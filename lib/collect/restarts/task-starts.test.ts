import { expect, test } from "vitest";
import { type SeenTask, TaskStarts } from "./task-starts";

const task = (some: Partial<SeenTask> = {}): SeenTask => ({
  id: 0,
  state: "RUNNING",
  workerId: "worker-1:8083",
  since: "2026-11-30T10:00:00.000Z",
  ...some,
});
const ends = (end: number) => new Map([["orders/0", end]]);

test("a start is told once, with the ends when the tasks before last ran", () => {
  const starts = new TaskStarts();
  expect(starts.take([task()], ends(10))).toBeNull();
  expect(starts.take([task()], ends(20))).toBeNull();
  expect(starts.take([task({ state: "UNASSIGNED", since: "10:01" })], ends(25))).toBeNull();
  expect(starts.take(null, ends(25))).toBeNull();
  expect(starts.take([task({ since: "10:02" })], ends(30))).toEqual(ends(20));
  expect(starts.take([task({ since: "10:02" })], ends(40))).toBeNull();
});

test("another worker is a start, though the state never changed", () => {
  const starts = new TaskStarts();
  starts.take([task()], ends(10));
  expect(starts.take([task({ workerId: "worker-2:8083" })], ends(20))).toEqual(ends(10));
});
