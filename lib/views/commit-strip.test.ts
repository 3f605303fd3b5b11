import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CommitLine } from "./commit-lines";
import { commitStrip, withRoom } from "./commit-strip";

const began = Date.parse("2026-11-29T14:30:00.000Z");

function lines(seconds: readonly number[]): CommitLine[] {
  return seconds.map((second, i) => ({
    at: new Date(began + second * 1000).toISOString(),
    move: "forward",
    position: "0/1",
    snapshot: false,
    progress: null,
    warnings: [],
    afterMs: null,
    readFrom: { topic: "o", partition: 0, offset: i },
  }));
}

const until = (second: number) => began + second * 1000;
const xs = (seconds: readonly number[], end: number) =>
  commitStrip(lines(seconds), until(end)).ticks.map((t) => t.x);

describe("the strip of commits", () => {
  test("is true to time, from the oldest commit until now", () => {
    expect(xs([0, 10, 20, 50], 100)).toEqual([0, 10, 20, 50]);
    expect(commitStrip(lines([0, 10, 20, 50]), until(100)).gaps).toEqual([]);
  });

  test("one commit, and one at this very moment", () => {
    expect(xs([0], 30)).toEqual([0]);
    expect(xs([0], 0)).toEqual([50]);
    expect(xs([], 30)).toEqual([]);
  });

  test("a long gap is drawn short and says how long it was; the rest keeps its room", () => {
    const { ticks, gaps } = commitStrip(lines([0, 5, 10, 15, 20, 7_220, 7_225, 7_230]), until(7_234));
    expect(gaps).toEqual([{ from: expect.any(Number), to: expect.any(Number), ms: 7_200_000, open: false }]);
    const [gap] = gaps;
    expect((gap?.to ?? 0) - (gap?.from ?? 0)).toBeCloseTo(14, 1);
    const steps = ticks.slice(1, 5).map((t, i) => t.x - (ticks[i]?.x ?? 0));
    for (const step of steps) expect(step).toBeCloseTo((86 * 5) / 34, 1);
  });

  test("the time since the newest commit can be such a gap", () => {
    const { gaps } = commitStrip(lines([0, 5, 10, 15]), until(4_000));
    expect(gaps).toMatchObject([{ ms: 3_985_000, open: true, to: 100 }]);
  });

  test("one commit by a clock that was ahead does not make the newest one old", () => {
    const { ticks, gaps } = commitStrip(lines([0, 5, 86_400, 10, 15, 20]), until(25));
    expect(gaps).toMatchObject([{ ms: 86_395_000, open: false }]);
    const places = ticks.map((t) => t.x);
    expect([...places].sort((a, b) => a - b)).toEqual(places);
    expect(places.at(-1)).toBeLessThan(100);
  });

  test("ticks stay in order and inside, whatever the times", () => {
    const seconds = fc.array(fc.integer({ min: 0, max: 1_000_000 }), { maxLength: 60 });
    fc.assert(
      fc.property(seconds, fc.integer({ min: -100, max: 2_000_000 }), (list, end) => {
        const { ticks, gaps } = commitStrip(lines([...list].sort((a, b) => a - b)), until(end));
        const places = ticks.map((t) => t.x);
        expect([...places].sort((a, b) => a - b)).toEqual(places);
        for (const x of [...places, ...gaps.map((g) => g.to)]) {
          expect(x).toBeGreaterThanOrEqual(0);
          expect(x).toBeLessThanOrEqual(100.1);
        }
      }),
    );
  });

  test("a clock that went back draws no tick to the left of the one before", () => {
    const places = xs([0, 30, 20, 40], 50);
    expect([...places].sort((a, b) => a - b)).toEqual(places);
  });

  test("of ticks to be named the newest are, as far as there is room", () => {
    const { ticks } = commitStrip(lines([0, 10, 12, 50]), until(100));
    expect(withRoom(ticks, 11).map((t) => t.x)).toEqual([50, 12, 0]);
    expect(withRoom(ticks, 1).map((t) => t.x)).toEqual([50, 12, 10, 0]);
  });
});
