import fc from "fast-check";
import { expect, test } from "vitest";
import { momentOf } from "./duplicates-time";

const now = Date.UTC(2026, 10, 30, 11, 0, 0);

test.each([
  ["2026-11-30T10:00:00.250Z", "2026-11-30T10:00:00.250Z"],
  ["2026-11-30T10:00Z", "2026-11-30T10:00:00.000Z"],
  ["2026-11-30T10:00", "2026-11-30T10:00:00.000Z"],
  ["2026-11-30 10:00:30", "2026-11-30T10:00:30.000Z"],
  ["2026-11-30T10:00:00+01:00", "2026-11-30T09:00:00.000Z"],
  ["2026-11-30T10:00:00-0530", "2026-11-30T15:30:00.000Z"],
  ["2026-11-30", "2026-11-30T00:00:00.000Z"],
  ["-2h", "2026-11-30T09:00:00.000Z"],
  ["-90s", "2026-11-30T10:58:30.000Z"],
  ["-30m", "2026-11-30T10:30:00.000Z"],
  ["-7d", "2026-11-23T11:00:00.000Z"],
  ["now", "2026-11-30T11:00:00.000Z"],
])("%s is %s, whatever the zone of the machine", (text, right) => {
  expect(new Date(momentOf(text, now) ?? Number.NaN).toISOString()).toBe(right);
});

test.each([
  "",
  "yesterday",
  "2h",
  "-2w",
  "-2",
  "2026-02-30",
  "2026-13-01",
  "2026-11-30T25:00",
  "1795957619144",
  "-999999999d",
])("%j is no time", (text) => {
  expect(momentOf(text, now)).toBeNull();
});

test("every moment that a date can write is read as it was meant", () => {
  fc.assert(
    fc.property(fc.date({ min: new Date(0), max: new Date("2099-12-31"), noInvalidDate: true }), (date) => {
      expect(momentOf(date.toISOString(), now)).toBe(date.getTime());
    }),
  );
});
