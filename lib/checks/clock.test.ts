import { expect, test } from "vitest";
import { clock } from "./clock";

test("a time of the day of now has no date, any other one has", () => {
  const now = new Date("2026-09-14T06:30:00.000Z");
  expect(clock("2026-09-14T00:00:00.999Z", now)).toBe("00:00:00 UTC");
  expect(clock("2026-09-13T23:59:59.999Z", now)).toBe("2026-09-13 23:59:59 UTC");
  expect(clock("2025-09-14T06:10:00.000Z", now)).toBe("2025-09-14 06:10:00 UTC");
});
