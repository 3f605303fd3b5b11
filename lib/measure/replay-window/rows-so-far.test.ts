import { expect, test } from "vitest";
import { rowsSoFar } from "./rows-so-far";

test("a whole log bounds what was produced; one that lost records does not", () => {
  expect(rowsSoFar([{ end: 40, earliest: 0, sinceRun: null }])).toEqual({ records: 40, bound: "at-most" });
  expect(rowsSoFar([{ end: 40, earliest: 30, sinceRun: null }])).toEqual({ records: 10, bound: "at-least" });
  expect(rowsSoFar([{ end: 40, earliest: 40, sinceRun: null }])).toEqual({ records: 0, bound: "at-least" });
  expect(rowsSoFar([{ end: 40, earliest: 0, sinceRun: null }], true)?.bound).toBe("at-least");
});

test("since the run began it is about so many, unless those were deleted", () => {
  expect(rowsSoFar([{ end: 40, earliest: 10, sinceRun: 20 }])).toEqual({ records: 20, bound: "about" });
  expect(rowsSoFar([{ end: 40, earliest: 20, sinceRun: 20 }])).toEqual({ records: 20, bound: "at-least" });
  expect(rowsSoFar([{ end: 40, earliest: null, sinceRun: null }])).toBeNull();
});
