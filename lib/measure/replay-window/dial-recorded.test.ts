import { describe, expect, test } from "vitest";
import { pollsWithin, watched } from "@/bench/dial-polls";
import { acknowledged, hourMs, leadMs, recording } from "@/bench/dial-recording";
import { recorded, simulated } from "@/bench/dial-simulation";
import { dialOf } from "./dial";
import { statisticsOf } from "./statistics";

const within = (value: number | null, truth: number) => Math.abs((value ?? 0) / truth - 1);

describe.each([1, 2])("the dial on a recorded bursty hour (%d)", (seed) => {
  const produced = recording(seed);
  const hour = recorded(produced, acknowledged(produced, seed));

  test.each([60_000, 5_000])(
    "at %d ms in force it holds what was seen, at others what a simulation gives",
    (inForceMs) => {
      const { points } = watched(hour, inForceMs, true);
      const { worst, mean } = statisticsOf(pollsWithin(points));
      const { points: dial, whyNone } = dialOf(points, inForceMs, { from: leadMs });
      expect(whyNone).toBeNull();
      for (const point of dial) {
        if (point.inForce) {
          expect(point.worst).toBeGreaterThanOrEqual(worst ?? Number.POSITIVE_INFINITY);
          // Polls that come as often as the flushes meet them at one phase for minutes: their mean is that of the phase.
          if (inForceMs === 60_000) expect(within(point.expected, mean ?? 0)).toBeLessThan(0.05);
        }
        const truth = simulated(hour, point.intervalMs);
        expect(within(point.worst, truth.worst)).toBeLessThan(0.05);
        expect(within(point.expected, truth.mean)).toBeLessThan(0.05);
      }
    },
  );

  test("without points between the polls its worst case of short intervals is far too low: they are needed", () => {
    const { points } = watched(hour, 60_000, false);
    const dial = dialOf(points, 60_000, { from: leadMs }).points;
    expect(
      within(dial.find((p) => p.intervalMs === 1_000)?.worst ?? null, simulated(hour, 1_000).worst),
    ).toBeGreaterThan(0.3);
    const quickest = simulated(hour, 60_000);
    expect(within(dial.find((p) => p.intervalMs === 60_000)?.worst ?? null, quickest.worst)).toBeLessThan(
      0.05,
    );
    expect(produced.at(-1)).toBeLessThan(leadMs + hourMs);
  });
});
