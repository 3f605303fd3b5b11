import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { dialIntervals, type WindowPoint } from "@/lib/observed/window-series";
import { type DialPoint, dialOf } from "./dial";

const began = 1_790_000_000_000;

/** A poll that covers all that was produced until its commit. */
function poll(second: number, produced: number | null, more: Partial<WindowPoint> = {}): WindowPoint {
  return {
    at: began + second * 1_000,
    between: false,
    produced,
    events: null,
    low: null,
    high: null,
    by: null,
    committedAt: null,
    ...more,
  };
}

const between = (second: number, produced: number) => poll(second, produced, { between: true });
const at = (points: readonly DialPoint[], intervalMs: number) =>
  points.find((p) => p.intervalMs === intervalMs);

/** Produced at a second, by the points around it: null in a gap of more than three polls. */
function producedAt(points: readonly WindowPoint[], second: number): number | null {
  const known = points.filter((p) => p.produced !== null);
  const ms = began + second * 1_000;
  const after = known.find((p) => p.at >= ms);
  const before = known.findLast((p) => p.at <= ms);
  if (!after || !before) return null;
  if (after.at === before.at) return after.produced;
  if (after.at - before.at > 15_000) return null;
  const part = (ms - before.at) / (after.at - before.at);
  return (before.produced ?? 0) + part * ((after.produced ?? 0) - (before.produced ?? 0));
}

/** Worst and mean growth by trying every second, and for the mean every age of a quarter of a second. */
function bruteForce(points: readonly WindowPoint[], length: number, seconds: number) {
  let worst: number | null = null;
  for (let t = 0; t <= seconds; t++) {
    const [now, then] = [producedAt(points, t), producedAt(points, t - length)];
    if (now !== null && then !== null) worst = Math.max(worst ?? 0, now - then);
  }
  const ages: number[] = [];
  for (let age = 0.25; age < length; age += 0.5) {
    const grown: number[] = [];
    for (let t = 0.125; t < seconds; t += 0.25) {
      const [now, then] = [producedAt(points, t), producedAt(points, t - age)];
      if (now !== null && then !== null) grown.push(now - then);
    }
    ages.push(grown.reduce((a, b) => a + b, 0) / grown.length);
  }
  return { worst, mean: ages.reduce((a, b) => a + b, 0) / ages.length };
}

/** Polls each 5 s; some missing or unknown, some refined at whole seconds. */
const series = fc
  .array(
    fc.record({
      grown: fc.oneof(fc.constant(0), fc.nat(40), fc.nat(5_000)),
      kind: fc.constantFrom("known", "known", "known", "known", "unknown", "missed"),
      refined: fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 2 }),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
    { minLength: 28, maxLength: 40 },
  )
  .map((steps) => {
    const points = [poll(0, 0)];
    let produced = 0;
    steps.forEach(({ grown, kind, refined, share }, i) => {
      const inner = [...new Set(refined)].sort((a, b) => a - b);
      let part = 0;
      for (const second of inner) {
        part += (grown - part) * share * 0.9;
        if (kind === "known") points.push(between(i * 5 + second, produced + Math.floor(part)));
      }
      produced += grown;
      const second = (i + 1) * 5;
      const last = i === steps.length - 1;
      if (kind === "known" || last) points.push(poll(second, produced));
      else if (kind === "unknown") points.push(poll(second, null));
    });
    return { points, seconds: steps.length * 5 };
  });

describe("the dial", () => {
  test("is what trying every moment and every phase gives, gaps and bursts among them", () => {
    fc.assert(
      fc.property(series, fc.constantFrom(1, 2, 5, 10, 15, 30), ({ points, seconds }, length) => {
        const { points: dial, whyNone } = dialOf(points, null);
        expect(whyNone).toBeNull();
        const found = at(dial, length * 1_000);
        const shorter = dial.filter((p) => p.intervalMs <= length * 1_000).map((p) => p.intervalMs / 1_000);
        // Every point lies at a whole second: so does every moment at which the growth is most.
        const worst = Math.max(...shorter.map((s) => bruteForceWorst(points, s, seconds)));
        expect(Math.abs((found?.worst ?? -1) - worst)).toBeLessThanOrEqual(0.5);
        if (found?.expected == null) return;
        const { mean } = bruteForce(points, length, seconds);
        expect(found.expected).toBeGreaterThan(mean * 0.98 - 1);
        expect(found.expected).toBeLessThan(mean * 1.02 + 1);
      }),
      { numRuns: 30 },
    );
  });

  test("an even stream: half an interval is expected, a whole one is the worst", () => {
    const points = Array.from({ length: 721 }, (_, i) => poll(i * 5, i * 500));
    const { points: dial } = dialOf(points, null);
    expect(dial.map((p) => p.intervalMs)).toEqual([...dialIntervals]);
    for (const { intervalMs, expected, worst, writesPerHour } of dial) {
      expect(expected).toBeCloseTo(intervalMs / 20, 3);
      expect(worst).toBe(intervalMs / 10);
      expect(writesPerHour).toBe(3_600_000 / intervalMs);
    }
  });

  test("a burst is taken whole by every interval that is longer than it, once it was looked into", () => {
    const quiet = Array.from({ length: 121 }, (_, i) => poll(i * 5, i * 5 <= 300 ? 0 : 3_000));
    expect(at(dialOf(quiet, null).points, 1_000)?.worst).toBe(600);
    const seen = [...quiet, between(301.9, 0), between(302.2, 3_000)];
    expect(at(dialOf(seen, null).points, 1_000)?.worst).toBe(3_000);
    expect(at(dialOf(seen, null).points, 300_000)?.worst).toBe(3_000);
  });

  test("what was not acknowledged at a flush is time, and a burst does not count twice for it", () => {
    // 100 a second; each commit covers all but the last 20 events.
    const points = Array.from({ length: 241 }, (_, i) => {
      const committedAt = began + Math.floor(i / 4) * 20_000 + 100;
      const after = Math.max(0, i * 500 - (Math.floor(i / 4) * 2_000 + 10));
      return poll(i * 5, i * 500, { by: "position", events: after + 20, low: after, committedAt });
    });
    const { points: dial } = dialOf(points, null);
    expect(at(dial, 1_000)?.expected).toBeCloseTo(70, 0);
    expect(at(dial, 1_000)?.worst).toBe(120);
    expect(at(dial, 60_000)?.worst).toBe(6_020);
  });

  test("a last transaction that stays uncovered while nothing comes is added", () => {
    const points = Array.from({ length: 61 }, (_, i) =>
      poll(i * 5, 40, { by: "position", events: 7, low: 0, committedAt: began }),
    );
    expect(
      at(
        dialOf(
          points.map((p) => ({ ...p, committedAt: began + 5_000 })),
          null,
        ).points,
        1_000,
      ),
    ).toMatchObject({
      expected: 7,
      worst: 7,
    });
  });

  test("at the interval in force it is what was seen, and never below the largest window", () => {
    const points = Array.from({ length: 121 }, (_, i) =>
      poll(i * 5, i * 50, {
        by: "position",
        events: i === 70 ? 9_000 : (i % 5) * 50,
        low: (i % 5) * 50,
        committedAt: began,
      }),
    );
    const { points: dial } = dialOf(points, 25_000, { partitions: 3 });
    const inForce = dial.find((p) => p.inForce);
    const mean = points.reduce((sum, p) => sum + (p.events ?? 0), 0) / points.length;
    expect(inForce).toEqual({
      intervalMs: 25_000,
      expected: mean,
      worst: 9_000,
      writesPerHour: 432,
      inForce: true,
    });
    expect(dial.map((p) => p.intervalMs)).toContain(15_000);
    expect(at(dial, 30_000)?.worst).toBeGreaterThanOrEqual(9_000);
  });

  test("says nothing of an interval that is longer than half of what was watched", () => {
    const points = Array.from({ length: 25 }, (_, i) => poll(i * 5, i * 50));
    const { points: dial } = dialOf(points, null);
    expect(at(dial, 60_000)?.expected).not.toBeNull();
    expect(at(dial, 300_000)).toMatchObject({ expected: null, worst: null });
  });

  test("moments before the time asked for are only where its windows begin", () => {
    const points = Array.from({ length: 181 }, (_, i) =>
      poll(i * 5, i < 60 ? i * 1_000 : 60_000 + (i - 60) * 5),
    );
    const { points: dial } = dialOf(points, null, { from: began + 310_000 });
    expect(at(dial, 5_000)?.worst).toBe(5);
    expect(at(dial, 300_000)?.worst).toBeGreaterThan(50_000);
    expect(at(dial, 300_000)?.expected).not.toBeNull();
  });
});

function bruteForceWorst(points: readonly WindowPoint[], length: number, seconds: number): number {
  let worst = 0;
  for (let t = 0; t <= seconds; t++) {
    const [now, then] = [producedAt(points, t), producedAt(points, t - length)];
    if (now !== null && then !== null) worst = Math.max(worst, now - then);
  }
  return worst;
}

describe("where there is no dial", () => {
  const minutes = (kind: Partial<WindowPoint>, count = 61) =>
    Array.from({ length: count }, (_, i) => poll(i * 5, i * 10, kind));

  test("too little, or nothing counted", () => {
    expect(dialOf([], null).whyNone).toMatch(/less than a minute/);
    expect(dialOf(minutes({}, 12), null).whyNone).toMatch(/less than a minute/);
    expect(dialOf(minutes({ produced: null }), null)).toEqual({
      points: [],
      whyNone: "It is not known how many records were produced: the ends of its topics could not be read.",
    });
  });

  test("exactly-once, and a snapshot", () => {
    expect(dialOf(minutes({ by: "exactly-once", events: 0 }), null).whyNone).toMatch(/in one transaction/);
    expect(dialOf(minutes({ by: "snapshot", events: 50_000 }), null).whyNone).toMatch(/begins again/);
  });

  test("a snapshot among other polls is left out, with all that it produced", () => {
    const points = [
      ...minutes({ by: "position", events: 5, committedAt: began }),
      ...Array.from({ length: 20 }, (_, i) =>
        poll(305 + i * 5, 600 + i * 100_000, { by: "snapshot", events: 2_000_000 }),
      ),
      ...Array.from({ length: 20 }, (_, i) =>
        poll(405 + i * 5, 2_000_600 + i * 10, { by: "position", events: 5 }),
      ),
    ];
    const { points: dial } = dialOf(points, 5_000);
    expect(at(dial, 5_000)).toMatchObject({ expected: 5, worst: 10 });
    expect(at(dial, 60_000)?.worst).toBe(120);
  });
});
