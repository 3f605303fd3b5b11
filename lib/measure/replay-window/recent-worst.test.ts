import fc from "fast-check";
import { expect, test } from "vitest";
import { RecentWorst } from "./recent-worst";

test("the worst of ten minutes is that of all the polls in them", () => {
  const polls = fc.array(fc.tuple(fc.integer({ min: 1, max: 200_000 }), fc.nat(50)), { maxLength: 60 });
  fc.assert(
    fc.property(polls, (steps) => {
      const recent = new RecentWorst();
      const all: { at: number; events: number }[] = [];
      let at = 0;
      for (const [gap, events] of steps) {
        at += gap;
        all.push({ at, events });
        recent.add(at, events);
        const within = all.filter((p) => p.at >= at - 600_000);
        expect(recent.worst(at)?.events).toBe(Math.max(...within.map((p) => p.events)));
      }
    }),
  );
});

test("is nothing where nothing was known", () => {
  const recent = new RecentWorst();
  expect(recent.worst(0)).toBeNull();
  recent.add(0, 5);
  expect(recent.worst(600_000)).toEqual({ at: 0, events: 5 });
  expect(recent.worst(600_001)).toBeNull();
});
