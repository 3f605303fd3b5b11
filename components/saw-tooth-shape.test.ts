import { describe, expect, test } from "vitest";
import { axisCount, countTicks, sawToothShape, timeTicks } from "./saw-tooth-shape";

const base = Date.UTC(2026, 10, 29, 12);
const second = 1_000;
const iso = (s: number) => new Date(base + s * second).toISOString();

/** Places by second: a number, a pair of least and most, or null for not known. */
function shape(to: number, places: readonly [at: number, value: number | [number, number] | null][]) {
  const sawTooth = places.map(([at, value]) => {
    const [least, most] = value === null ? [null, null] : typeof value === "number" ? [value, value] : value;
    return { at: iso(at), least, most };
  });
  const { rows, unknown, top } = sawToothShape({ from: iso(0), to: iso(to), sawTooth });
  return {
    rows: rows.map((r) => [(r.at - base) / second, r.most, r.band] as const),
    unknown: unknown.map((u) => [(u.from - base) / second, (u.to - base) / second, u.before] as const),
    top,
  };
}

describe("the shape of the saw-tooth", () => {
  test("known all the time: one line, nothing hatched", () => {
    expect(
      shape(15, [
        [0, 0],
        [5, 10],
        [10, 20],
        [15, 0],
      ]),
    ).toEqual({
      rows: [
        [0, 0, null],
        [5, 10, null],
        [10, 20, null],
        [15, 0, null],
      ],
      unknown: [],
      top: 20,
    });
  });

  test("a place that is not known breaks the line, hatched from the last known to the next", () => {
    const { rows, unknown } = shape(20, [
      [0, 1],
      [5, null],
      [10, null],
      [15, 4],
      [20, 5],
    ]);
    expect(rows.map(([, most]) => most)).toEqual([1, null, null, 4, 5]);
    expect(unknown).toEqual([[0, 15, false]]);
  });

  test("missing places are a gap too, once they are more than three steps", () => {
    const gap = shape(40, [
      [0, 1],
      [5, 2],
      [10, 3],
      [30, 4],
      [35, 5],
      [40, 6],
    ]);
    expect(gap.unknown).toEqual([[10, 30, false]]);
    expect(gap.rows.map(([, most]) => most)).toEqual([1, 2, 3, null, 4, 5, 6]);
    expect(
      shape(25, [
        [0, 1],
        [5, 2],
        [10, 3],
        [20, 4],
        [25, 5],
      ]).unknown,
    ).toEqual([]);
  });

  test("before the first figure, and after the last one", () => {
    expect(
      shape(60, [
        [30, 1],
        [35, 2],
        [40, 3],
      ]).unknown,
    ).toEqual([
      [0, 30, true],
      [40, 60, false],
    ]);
    expect(
      shape(20, [
        [0, 1],
        [5, 2],
        [10, null],
      ]).unknown,
    ).toEqual([[5, 20, false]]);
  });

  test("nothing known is hatched whole and has no top", () => {
    expect(
      shape(10, [
        [0, null],
        [5, null],
      ]),
    ).toMatchObject({ unknown: [[0, 10, true]], top: null });
    expect(shape(10, [])).toMatchObject({ rows: [], unknown: [[0, 10, true]], top: null });
  });

  test("a stretch of several figures keeps its least and most", () => {
    expect(
      shape(5, [
        [0, [2, 9]],
        [5, 3],
      ]).rows,
    ).toEqual([
      [0, 9, [2, 9]],
      [5, 3, null],
    ]);
  });
});

describe("axes", () => {
  test("counts rise in even whole steps from 0 to at least the top", () => {
    for (const top of [0, 1, 3, 7, 15_255, 56_000, 114_000, 5_131_000, 9_999_999]) {
      const ticks = countTicks(top);
      const [first, second_ = 0] = ticks;
      expect(first).toBe(0);
      expect(ticks.length).toBeLessThanOrEqual(6);
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(top);
      ticks.forEach((tick, i) => {
        expect(tick).toBe(i * second_);
        expect(Number.isInteger(tick)).toBe(true);
      });
    }
    expect(countTicks(56_000)).toEqual([0, 20_000, 40_000, 60_000]);
  });

  test("counts are short from ten thousand on", () => {
    expect([0, 9_000, 25_000, 2_500, 1_250_000].map(axisCount)).toEqual([
      "0",
      "9,000",
      "25k",
      "2,500",
      "1.25M",
    ]);
  });

  test("times are round in the reader's own zone", () => {
    const india = 5.5 * 3_600_000;
    const ticks = timeTicks(base, base + 3_600_000, 4, india);
    expect(ticks.length).toBe(5);
    for (const tick of ticks) expect((tick + india) % 900_000).toBe(0);
    const days = timeTicks(base, base + 7 * 86_400_000, 8, india);
    for (const tick of days) expect((tick + india) % 86_400_000).toBe(0);
  });
});
