import { describe, expect, test } from "vitest";
import type { WindowPoint } from "@/lib/observed/window-series";
import { dialOf } from "./dial";
import { sinceInForce } from "./in-force-since";

const began = 1_790_000_000_000;

/** Polls each 5 s of 100 records a second; `committed`: second of the commit in force at a second. */
function polls(
  seconds: number,
  committed: (second: number) => number,
  rate = (_: number) => 100,
): WindowPoint[] {
  let produced = 0;
  const counts = Array.from(
    { length: seconds + 1 },
    (_, second) => (produced += second === 0 ? 0 : rate(second)),
  );
  return Array.from({ length: seconds / 5 + 1 }, (_, i) => {
    const second = i * 5;
    const commit = Math.max(0, committed(second));
    const events = (counts[second] ?? 0) - (counts[Math.floor(commit)] ?? 0);
    const at = began + second * 1_000;
    const committedAt = began + commit * 1_000;
    return {
      at,
      between: false,
      produced: counts[second] ?? 0,
      events,
      low: events,
      high: null,
      by: "position",
      committedAt,
    };
  });
}

const every = (interval: number) => (second: number) => Math.floor(second / interval) * interval;

describe("the time for which an interval has been in force", () => {
  test("is all of it where commits came as they should", () => {
    const points = polls(3_600, every(60));
    expect(sinceInForce(points, 60_000)).toEqual(points);
    const quick = polls(3_600, every(1));
    expect(sinceInForce(quick, 1_000)).toEqual(quick);
  });

  test("begins with the change, from long to short and from short to long", () => {
    const shorter = polls(3_600, (s) => (s < 1_800 ? every(60)(s) : every(10)(s)));
    expect(sinceInForce(shorter, 10_000)[0]?.at).toBe(began + 1_800_000);
    const longer = polls(3_600, (s) => (s < 1_800 ? every(10)(s) : every(60)(s)));
    expect(sinceInForce(longer, 60_000)[0]?.at).toBeGreaterThanOrEqual(began + 1_790_000);
    const { points: dial } = dialOf(shorter, 10_000);
    expect(dial.find((p) => p.inForce)).toMatchObject({ worst: 1_000, expected: 500 });
  });

  test("commits that failed for a while belong to it: their window was as large as that", () => {
    const points = polls(3_600, (s) => (s >= 1_000 && s < 1_400 ? 960 : every(60)(s)));
    expect(sinceInForce(points, 60_000)).toEqual(points);
    expect(dialOf(points, 60_000).points.find((p) => p.inForce)?.worst).toBeGreaterThan(40_000);
  });

  test("and so does a quiet time, in which nothing is written", () => {
    const points = polls(3_600, every(180), (s) => (s % 180 === 179 ? 5 : 0));
    expect(sinceInForce(points, 60_000)).toEqual(points);
  });
});
