import fc from "fast-check";
import { expect, test } from "vitest";
import type { ReplayGroup } from "@/lib/views/replay-groups";
import { axisFrom, barName, timelineBars } from "./replay-timeline-shape";

function group(at: number, count: number): ReplayGroup {
  const iso = new Date(at).toISOString();
  return {
    id: `t/0/${at}`,
    at: iso,
    until: iso,
    cause: "crash",
    causeName: "crash",
    causeWhy: "",
    count,
    bound: "exact",
    restartWindow: null,
    replays: [],
  };
}

test("bars hold every change of the time, and no other", () => {
  const one = fc.record({
    at: fc.integer({ min: 0, max: 2_000_000 }),
    count: fc.integer({ min: 1, max: 9_000 }),
  });
  fc.assert(
    fc.property(fc.array(one, { maxLength: 400 }), (all) => {
      const [from, to] = [500_000, 1_500_000];
      const bars = timelineBars(
        all.map((g) => group(g.at, g.count)),
        from,
        to,
      );
      const within = all.filter((g) => g.at >= from && g.at <= to);
      expect(bars.reduce((sum, b) => sum + b.count, 0)).toBe(within.reduce((sum, g) => sum + g.count, 0));
      expect(bars.length).toBeLessThanOrEqual(161);
      expect(bars.map((b) => b.at)).toEqual(bars.map((b) => b.at).sort((a, b) => a - b));
    }),
    { numRuns: 50 },
  );
});

test("a bar's name: the largest cause, and how many more; a cause that is not known is not a name", () => {
  const day = 86_400_000;
  const [bar] = timelineBars([group(1_000, 5), group(1_001, 1_200)], 0, day);
  expect(bar && barName(bar)).toBe("1,205 · crash and 1 more");
  const [unknown] = timelineBars([{ ...group(1_000, 5), cause: "unknown" }], 0, day);
  expect(unknown && barName(unknown)).toBe("5");
});

test("a topic that is minutes old has an axis of minutes; else it is the chosen time", () => {
  const [from, to] = [0, 604_800_000];
  expect(axisFrom(from, to, to - 720_000)).toBe(to - 960_000);
  expect(axisFrom(from, to, to - 86_400_000)).toBe(from);
  expect(axisFrom(from, to, from - 1)).toBe(from);
});
