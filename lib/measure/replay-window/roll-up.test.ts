import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { dialIntervals, type WindowPoint, type WindowRollup } from "@/lib/observed/window-series";
import { dialOf, dialOfRollups } from "./dial";
import { histogramOf } from "./histogram";
import { mostGrowth, producedCurve } from "./produced-curve";
import { mergeRollups, rollUp } from "./roll-up";
import { statisticsOf } from "./statistics";

/** A whole minute. */
const began = 1_789_999_980_000;
const minuteMs = 60_000;

function pointsOf(
  steps: readonly { grown: number; events: number | null }[],
  refined = false,
): WindowPoint[] {
  let produced = 0;
  return steps.flatMap(({ grown, events }, i) => {
    const before = produced;
    produced += grown;
    const at = began + 700 + i * 5_000;
    const poll: WindowPoint = {
      at,
      between: false,
      produced,
      events,
      low: events,
      high: null,
      by: "position",
      committedAt: at - 3_000,
    };
    const middle = {
      ...poll,
      at: at - 2_500,
      between: true,
      produced: before + Math.floor(grown / 3),
      events: null,
      by: null,
    };
    return refined && i > 0 ? [middle, poll] : [poll];
  });
}

/** As the loop does it: each minute with the points of the six before it. */
function minutesOf(points: readonly WindowPoint[]): WindowRollup[] {
  const last = points.at(-1)?.at ?? began;
  const minutes: WindowRollup[] = [];
  for (let from = began; from <= last; from += minuteMs) {
    const near = points.filter((p) => p.at >= from - 6 * minuteMs && p.at < from + minuteMs);
    minutes.push(rollUp(near, from, from + minuteMs, 1));
  }
  return minutes;
}

const steps = fc.array(
  fc.record({
    grown: fc.oneof(fc.constant(0), fc.nat(3_000)),
    events: fc.option(fc.nat(9_000), { freq: 8 }),
  }),
  { minLength: 20, maxLength: 150 },
);

describe("roll-ups", () => {
  test("put together are what the raw points say, however they were parted", () => {
    fc.assert(
      fc.property(steps, fc.boolean(), (all, refined) => {
        const points = pointsOf(all, refined);
        const minutes = minutesOf(points);
        const half = Math.floor(minutes.length / 2);
        const merged = mergeRollups(
          [mergeRollups(minutes.slice(0, half), began), mergeRollups(minutes.slice(half), began)],
          began,
        );
        const { known, polls, worst, worstAt } = statisticsOf(points);
        const events = all.flatMap((s) => s.events ?? []);
        expect(merged).toMatchObject({ known, polls, most: worst ?? 0, commits: minutes.length });
        if (known > 0) expect(merged.mostAt).toBe(worstAt);
        expect(merged.sum).toBe(events.reduce((a, b) => a + b, 0));
        expect(merged.least).toBe(events.length === 0 ? 0 : Math.min(...events));
        expect(merged.histogram).toEqual(histogramOf(events));
        expect(merged.produced).toBe(all.slice(1).reduce((sum, s) => sum + s.grown, 0));
        expect(merged.producedMs).toBe((all.length - 1) * 5_000);
        const curve = producedCurve(points);
        const most = dialIntervals.map((ms) => mostGrowth(curve, ms));
        for (const [i, intervalMs] of dialIntervals.entries()) {
          const cell = merged.dial.find((c) => c.intervalMs === intervalMs);
          expect(cell?.most ?? null).toBe(most[i] == null ? null : Math.round(most[i]));
        }
      }),
      { numRuns: 60 },
    );
  });

  test("a minute without a known figure, and one without polls", () => {
    const none = rollUp(pointsOf([{ grown: 0, events: null }]), began, began + minuteMs, 0);
    expect(none).toMatchObject({ polls: 1, known: 0, sum: 0, histogram: [], produced: 0, producedMs: 0 });
    expect(rollUp([], began, began + minuteMs, 0)).toMatchObject({ polls: 0, known: 0, dial: [] });
    expect(mergeRollups([], began)).toMatchObject({ at: began, polls: 0, known: 0, least: 0, most: 0 });
  });

  test("over a time in which nobody looked nothing is known to have been produced", () => {
    const points = pointsOf(Array.from({ length: 60 }, () => ({ grown: 10, events: 5 })));
    const merged = mergeRollups(minutesOf(points.filter((_, i) => i < 20 || i >= 40)), began);
    expect(merged).toMatchObject({ polls: 40, produced: 380, producedMs: 190_000 });
  });
});

describe("the dial of roll-ups", () => {
  const none = { delayMs: 0, restMean: 0, restMost: 0 };

  test("is nearly that of the raw points", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(3_000), { minLength: 240, maxLength: 240 }), (grown) => {
        const points = pointsOf(grown.map((g) => ({ grown: g, events: 7 })));
        const raw = dialOf(points, 60_000);
        const rolled = dialOfRollups(minutesOf(points), 60_000, none);
        expect(rolled.whyNone).toBeNull();
        for (const [i, point] of raw.points.entries()) {
          const other = rolled.points[i];
          expect(other?.worst).toBe(point.worst);
          if (point.inForce) expect(other).toEqual(point);
          else expect((other?.expected ?? 0) / (point.expected ?? 1)).toBeCloseTo(1, 0);
        }
      }),
      { numRuns: 20 },
    );
  });

  test("says why there is none", () => {
    const minutes = (by: WindowPoint["by"], events: number | null, produced: number | null) =>
      minutesOf(
        pointsOf(Array.from({ length: 40 }, () => ({ grown: 10, events }))).map((p) => ({
          ...p,
          by,
          produced: produced === null ? null : p.produced,
        })),
      );
    expect(dialOfRollups([], null, none).whyNone).toMatch(/less than a minute/);
    expect(dialOfRollups(minutes("exactly-once", 0, 1), null, none).whyNone).toMatch(/one transaction/);
    expect(dialOfRollups(minutes("snapshot", 50_000, 1), null, none).whyNone).toMatch(/snapshot/);
    expect(dialOfRollups(minutes("position", 5, null), null, none).whyNone).toMatch(/not known how many/);
  });

  test("a snapshot's rows are no window of an interval", () => {
    const quiet = Array.from({ length: 60 }, () => ({ grown: 10, events: 5 }));
    const points = pointsOf([...quiet, ...quiet, ...quiet]).map((p, i) =>
      i >= 60 && i < 120 ? { ...p, by: "snapshot" as const, events: 100_000 } : p,
    );
    const { points: dial } = dialOfRollups(minutesOf(points), 5_000, none);
    expect(dial.find((p) => p.inForce)).toMatchObject({ expected: 5, worst: 10 });
    expect(mergeRollups(minutesOf(points), began).most).toBe(100_000);
  });
});
