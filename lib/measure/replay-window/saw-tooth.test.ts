import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { WindowPoint } from "@/lib/observed/window-series";
import { thinned } from "./saw-tooth";

const hour = { from: 1_790_000_000_000, to: 1_790_003_600_000 };

function poll(second: number, events: number | null): WindowPoint {
  const by = events === null ? null : "position";
  return {
    at: hour.from + second * 1_000,
    between: false,
    produced: null,
    events,
    low: null,
    high: null,
    by,
    committedAt: null,
  };
}

const teeth = Array.from({ length: 720 }, (_, i) => poll(i * 5, (i % 12) * 100));
const secondOf = (at: number) => (at - hour.from) / 1_000;

describe("the saw-tooth", () => {
  test("is thinned to stretches that keep the least and the most", () => {
    const found = thinned(teeth, hour, 300);
    expect(found).toHaveLength(300);
    expect(Math.max(...found.map((p) => p.most ?? 0))).toBe(1_100);
    expect(Math.min(...found.map((p) => p.least ?? 1))).toBe(0);
    expect(thinned(teeth, hour, 10)).toEqual(
      Array.from({ length: 10 }, (_, i) => ({ at: hour.from + i * 360_000, least: 0, most: 1_100 })),
    );
  });

  test("loses no extreme of any series, and stays in order", () => {
    fc.assert(
      fc.property(
        fc.array(fc.option(fc.nat(5_000)), { maxLength: 720 }),
        fc.integer({ min: 1, max: 400 }),
        (all, n) => {
          const found = thinned(
            all.map((events, i) => poll(i * 5, events)),
            hour,
            n,
          );
          const known = all.filter((e) => e !== null);
          const seen = found.filter((p) => p.most !== null);
          expect(seen.reduce((a, p) => Math.max(a, p.most ?? 0), -1)).toBe(
            known.reduce((a, e) => Math.max(a, e), -1),
          );
          expect(seen.reduce((a, p) => Math.min(a, p.least ?? 0), 9_999)).toBe(
            known.reduce((a, e) => Math.min(a, e), 9_999),
          );
          expect(found.map((p) => p.at)).toEqual(found.map((p) => p.at).sort((a, b) => a - b));
          expect(found.length).toBeLessThanOrEqual(2 * n);
        },
      ),
    );
  });

  test("where no figure was known for more than three polls it is unknown, not 0", () => {
    const points = teeth.map((p, i) => (i >= 200 && i < 260 ? poll(i * 5, null) : p));
    const holes = thinned(points, hour, 300).filter((p) => p.most === null);
    expect(secondOf(holes[0]?.at ?? 0)).toBeGreaterThanOrEqual(995);
    expect(secondOf(holes.at(-1)?.at ?? 0)).toBeLessThan(1_300);
    expect(holes.length).toBeGreaterThanOrEqual(24);
    expect(holes.every((p) => p.least === null)).toBe(true);
    const away = thinned(
      teeth.filter((_, i) => i < 200 || i >= 260),
      hour,
      300,
    );
    expect(away.filter((p) => p.most === null).length).toBeGreaterThanOrEqual(24);
  });

  test("one poll that was missed is no unknown stretch", () => {
    const points = teeth
      .filter((_, i) => i !== 100)
      .map((p, i) => (i === 300 ? poll(secondOf(p.at), null) : p));
    expect(thinned(points, hour, 300).filter((p) => p.most === null)).toEqual([]);
  });

  test("before the first poll there is nothing, after the last it is unknown", () => {
    const points = teeth.filter((_, i) => i >= 100 && i < 600);
    const found = thinned(points, hour, 300);
    expect(secondOf(found[0]?.at ?? 0)).toBe(500);
    expect(found.at(-1)).toMatchObject({ least: null, most: null });
    expect(thinned([], hour, 300)).toEqual([]);
  });
});
