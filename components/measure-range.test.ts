import { expect, test } from "vitest";
import { timesOf, whyNotTimes } from "./measure-range";

const none = { from: "", to: "" };
const now = Date.parse("2026-11-29T14:36:46.000Z");

test("times from a choice", () => {
  expect(timesOf("all", none, now)).toEqual({ from: null, to: null });
  expect(timesOf("24h", none, now)).toEqual({ from: "2026-11-28T14:36:46.000Z", to: null });
  const local = { from: "2026-11-29T10:00", to: "2026-11-29T11:30" };
  const { from, to } = timesOf("between", local, now);
  expect(Date.parse(to ?? "") - Date.parse(from ?? "")).toBe(90 * 60_000);
  expect(new Date(from ?? "").getHours()).toBe(10);
});

test("two times that do not fit together are said", () => {
  expect(whyNotTimes("between", none)).toMatch(/^Give a time/);
  expect(whyNotTimes("between", { from: "2026-11-29T10:00", to: "2026-11-29T10:00" })).toMatch(/before/);
  expect(whyNotTimes("between", { from: "2026-11-29T10:00", to: "" })).toBeNull();
  expect(whyNotTimes("all", none)).toBeNull();
});
