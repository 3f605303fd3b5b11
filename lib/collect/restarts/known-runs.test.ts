import { describe, expect, test } from "vitest";
import { KnownRuns } from "./known-runs";

/** A run id of version 7 that began at this millisecond. */
const run = (at: number) =>
  `${`000000000000${at.toString(16)}`.slice(-12).replace(/^(.{8})/, "$1-")}-7abc-8def-0123456789ab`;

describe("runs of a connector's tasks", () => {
  test("one that began later than all that are known is new, once", () => {
    const runs = new KnownRuns();
    runs.add(run(100));
    expect(runs.take(new Map([["orders/0", run(100)]]))).toEqual([]);
    expect(runs.take(new Map([["orders/0", run(200)]]))).toEqual([run(200)]);
    expect(runs.take(new Map([["lines/0", run(200)]]))).toEqual([]);
  });

  test("one of a partition that was quiet is not new, though it was not seen before", () => {
    const runs = new KnownRuns();
    runs.add(run(100));
    expect(runs.take(new Map([["quiet/0", run(50)]]))).toEqual([]);
    expect(runs.has(run(50))).toBe(true);
  });

  test("one by a worker whose clock is behind is new where another wrote before", () => {
    const runs = new KnownRuns();
    runs.add(run(100));
    runs.take(new Map([["orders/0", run(100)]]));
    expect(runs.take(new Map([["orders/0", run(90)]]))).toEqual([run(90)]);
  });

  test("several at once come in the order of their starts; records without an id tell nothing", () => {
    const runs = new KnownRuns();
    runs.add(run(100));
    const seen = new Map([
      ["a/0", run(300)],
      ["b/0", run(200)],
      ["c/0", null],
    ]);
    expect(runs.take(seen)).toEqual([run(200), run(300)]);
  });
});
