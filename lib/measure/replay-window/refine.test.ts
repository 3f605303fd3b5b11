import { describe, expect, test } from "vitest";
import type { WindowPoint } from "@/lib/observed/window-series";
import { dialOf } from "./dial";
import { whereToRefine } from "./refine";

const began = 1_790_000_000_000;

/** Ten minutes of polls of what `producedBy` gives at a second. */
function polls(producedBy: (second: number) => number): WindowPoint[] {
  return Array.from({ length: 121 }, (_, i) => pointAt(i * 5, producedBy, false));
}

function pointAt(second: number, producedBy: (second: number) => number, between: boolean): WindowPoint {
  return {
    at: began + second * 1_000,
    between,
    produced: Math.round(producedBy(second)),
    events: null,
    low: null,
    high: null,
    by: null,
    committedAt: null,
  };
}

/** Halves what is to be refined until nothing is. How many times were asked for, in how many rounds. */
function refined(points: WindowPoint[], producedBy: (second: number) => number, most?: number) {
  const all = [...points];
  for (let rounds = 0; rounds < 400; rounds++) {
    const stretches = whereToRefine(all, most);
    if (stretches.length === 0) return { points: all, asked: all.length - points.length, rounds };
    for (const { from, to } of stretches)
      all.push(pointAt((from + to) / 2_000 - began / 1_000, producedBy, true));
  }
  throw new Error("It never ends.");
}

const worstOf = (points: readonly WindowPoint[], intervalMs: number) =>
  dialOf(points, null).points.find((p) => p.intervalMs === intervalMs)?.worst;

/** So many a second, and a burst of `size` that begins at `from` and takes `length` seconds. */
const burst =
  (rate: number, size: number, from: number, length: number) =>
  (second: number): number =>
    rate * second + size * Math.min(1, Math.max(0, (second - from) / length));

describe("where to refine", () => {
  test("nowhere in an even stream, nor where nothing comes", () => {
    expect(whereToRefine(polls((s) => s * 200))).toEqual([]);
    expect(whereToRefine(polls(() => 5_000))).toEqual([]);
    expect(whereToRefine([])).toEqual([]);
  });

  test("first in the stretch with the burst", () => {
    const points = polls(burst(2, 3_000, 301.4, 0.2));
    expect(whereToRefine(points)[0]).toEqual({ from: began + 300_000, to: began + 305_000 });
  });

  test.each([
    [0.2, 301.4],
    [0.2, 304.95],
    [1, 302.3],
    [3, 301.1],
    [7, 303.7],
    [25, 301.9],
    [60, 204.4],
  ])("finds a burst of %d s at any place, in a few rounds", (length, from) => {
    const producedBy = burst(3, 6_000, from, length);
    const { points, asked, rounds } = refined(polls(producedBy), producedBy);
    expect(rounds).toBeLessThanOrEqual(10);
    expect(asked).toBeLessThanOrEqual(40);
    for (const seconds of [1, 2, 5, 10, 15, 30, 60]) {
      const truth = 6_000 * Math.min(1, seconds / length) + 3 * seconds;
      expect(Math.abs((worstOf(points, seconds * 1_000) ?? 0) / truth - 1)).toBeLessThan(0.05);
    }
  });

  test("asks for no more at once than it may", () => {
    const producedBy = (s: number) => s * 2 + Math.floor(s / 7) * 900;
    expect(whereToRefine(polls(producedBy)).length).toBeLessThanOrEqual(8);
    expect(whereToRefine(polls(producedBy), 3)).toHaveLength(3);
    expect(refined(polls(producedBy), producedBy, 3).rounds).toBeGreaterThan(1);
  });

  test("asks nothing about a time in which nobody looked", () => {
    const points = polls(burst(2, 9_000, 310, 20)).filter(
      (p) => p.at < began + 305_000 || p.at > began + 335_000,
    );
    for (const { from, to } of whereToRefine(points)) expect(to - from).toBeLessThanOrEqual(5_000);
  });
});
