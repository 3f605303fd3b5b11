import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { WindowPoint } from "@/lib/observed/window-series";
import { histogramBounds, histogramOf, mergeHistograms, percentileOf } from "./histogram";
import { statisticsOf } from "./statistics";

const began = 1_790_000_000_000;

function poll(i: number, events: number | null, between = false): WindowPoint {
  const by = events === null ? null : "position";
  return {
    at: began + i * 5_000,
    between,
    produced: null,
    events,
    low: null,
    high: null,
    by,
    committedAt: null,
  };
}

/** By the definition of nearest rank: the smallest value that so large a part of all does not exceed. */
function percentile(values: readonly number[], percent: number): number | undefined {
  const enough = (v: number) => 100 * values.filter((w) => w <= v).length >= percent * values.length;
  return [...values].sort((a, b) => a - b).find(enough);
}

describe("statistics over polls", () => {
  test("by nearest rank, as the definition has it", () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.nat(50_000)), { minLength: 1, maxLength: 120 }), (all) => {
        const found = statisticsOf(all.map((events, i) => poll(i, events)));
        const known = all.filter((v) => v !== null);
        expect(found.polls).toBe(all.length);
        expect(found.known).toBe(known.length);
        if (known.length === 0) return;
        expect(found.median).toBe(percentile(known, 50));
        expect(found.p95).toBe(percentile(known, 95));
        expect(found.worst).toBe(Math.max(...known));
        expect(found.mean).toBeCloseTo(known.reduce((a, b) => a + b, 0) / known.length, 6);
        expect(found.worstAt).toBe(began + all.lastIndexOf(Math.max(...known)) * 5_000);
      }),
    );
  });

  test("the 95th of twenty is the nineteenth", () => {
    const twenty = Array.from({ length: 20 }, (_, i) => poll(i, i + 1));
    expect(statisticsOf(twenty)).toMatchObject({ median: 10, p95: 19, worst: 20, mean: 10.5 });
  });

  test("what was asked for afterwards is no poll, and what is not known is not 0", () => {
    const points = [poll(0, 4), poll(1, null, true), poll(2, null), poll(3, 6)];
    expect(statisticsOf(points)).toEqual({
      known: 2,
      polls: 3,
      median: 4,
      p95: 6,
      worst: 6,
      worstAt: began + 15_000,
      mean: 5,
    });
    const unknown = { known: 0, polls: 1, median: null, p95: null, worst: null, worstAt: null, mean: null };
    expect(statisticsOf([poll(0, null)])).toEqual(unknown);
  });
});

describe("the histogram", () => {
  test("has buckets of at most 5 %, the small ones whole numbers, up to the largest", () => {
    expect(histogramBounds.slice(0, 25)).toEqual([...Array(20).keys(), 21, 23, 25, 27, 29]);
    expect(histogramBounds.at(-1)).toBe(Number.MAX_SAFE_INTEGER);
    for (let i = 1; i < histogramBounds.length; i++) {
      const [before = 0, bound = 0] = histogramBounds.slice(i - 1, i + 1);
      expect(bound / (before + 1)).toBeLessThanOrEqual(1.05);
    }
  });

  test("keeps what is not empty, and merges", () => {
    expect(histogramOf([0, 3, 3, 22, 23])).toEqual([0, 1, 3, 2, 21, 2]);
    expect(mergeHistograms([[0, 1, 3, 2], [], [3, 1, 21, 4]])).toEqual([0, 1, 3, 3, 21, 4]);
    expect(percentileOf([], 0.5)).toBeNull();
  });

  test("gives percentiles that are never below the true one and at most 5 % above", () => {
    const lists = fc.array(fc.array(fc.nat(3_000_000), { maxLength: 60 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(lists, fc.constantFrom(50, 95, 99), (parts, percent) => {
        const truth = percentile(parts.flat(), percent);
        const found = percentileOf(mergeHistograms(parts.map(histogramOf)), percent / 100);
        if (truth === undefined) {
          expect(found).toBeNull();
          return;
        }
        expect(found).toBeGreaterThanOrEqual(truth);
        expect(found).toBeLessThanOrEqual(truth * 1.05);
      }),
    );
  });
});
