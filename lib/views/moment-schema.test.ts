import { expect, test } from "vitest";
import { duplicatesRequest } from "./duplicates-request";
import { measureRequestSchema } from "./measure-schema";

const asked = { cluster: "default", topic: "shop.public.orders", method: "scan" } as const;
const now = new Date("2026-11-30T14:00:00Z");
const takes = (from: string, to: string) => ({
  measurement: measureRequestSchema.safeParse({ ...asked, from, to }).success,
  replays: !("kind" in duplicatesRequest(new URLSearchParams({ from, to }), now)),
});

test.each([
  ["0000-01-01T00:00:00Z", "2026-01-01T00:00:00Z"],
  ["0001-01-01T00:00:00+14:00", "2026-01-01T00:00:00Z"],
  ["2026-01-01T00:00:00Z", "9999-12-31T23:59:59-14:00"],
])("what the database or a text cannot hold is refused: %s to %s", (from, to) => {
  expect(takes(from, to)).toEqual({ measurement: false, replays: false });
});

test.each([
  ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z"],
  ["2026-11-30T00:00:00+01:00", "2026-11-30T00:00:00Z"],
])("anything between is taken: %s to %s", (from, to) => {
  expect(takes(from, to)).toEqual({ measurement: true, replays: true });
});

test("a week before the first year is not asked of the database either", () => {
  const request = duplicatesRequest(new URLSearchParams({ to: "0001-01-02T00:00:00Z" }), now);
  expect(request).toMatchObject({ from: new Date("0001-01-01T00:00:00Z") });
});
