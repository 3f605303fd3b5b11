import { expect, test } from "vitest";
import { stateMark, whenLate } from "./run-state";

test("a state seen long ago is never green, and a bad one stays bad", () => {
  expect(whenLate(stateMark("RUNNING"), true)).toEqual({ state: "RUNNING", outcome: "unknown", past: true });
  expect(whenLate(stateMark("FAILED"), true)).toEqual({ state: "FAILED", outcome: "critical", past: true });
  expect(whenLate(stateMark("RUNNING"), false)).toEqual({ state: "RUNNING", outcome: "ok", past: false });
  expect(whenLate(null, true)).toBeNull();
});

test("CON-06 a state that no rule knows is shown as it came", () => {
  expect(stateMark("HIBERNATING")).toEqual({ state: "HIBERNATING", outcome: "unknown", past: false });
  expect(stateMark("constructor").outcome).toBe("unknown");
});
