import { describe, expect, test } from "vitest";
import { sparklinePath } from "./sparkline-path";

describe("sparklinePath", () => {
  test("runs from left to right, 0 at the foot and the highest at the head", () => {
    expect(sparklinePath([0, 10, 5])).toBe("M0 19L28 1L56 10");
  });

  test("breaks where a value is not known, and is never drawn as 0 there", () => {
    expect(sparklinePath([4, null, 4])).toBe("M0 1M56 1");
  });

  test("only zeros lie at the foot; nothing known draws nothing", () => {
    expect(sparklinePath([0, 0])).toBe("M0 19L56 19");
    expect(sparklinePath([null, null])).toBe("");
    expect(sparklinePath([])).toBe("");
  });
});
