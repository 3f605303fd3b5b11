import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Carried } from "@/lib/measure/duplicates/carried";
import type { FoundWithout } from "./found-together";
import { notesTogether } from "./found-together";
import {
  afterStep,
  allFound,
  leftAsTheyAre,
  measuredRange,
  nextStep,
  noProgress,
  offsetsBehind,
  offsetsMeasured,
  type Progress,
  type Step,
} from "./stretches";

function found(from: number, to: number): FoundWithout {
  return {
    topic: "t",
    partition: 0,
    topicId: "1",
    from,
    to,
    falls: [],
    runs: [],
    notMeasurable: [],
    sure: "complete",
    spacing: null,
    uncommittedCopies: null,
    bytesRead: 1,
    reads: 1,
  };
}

function carried(at: number, isOpen = false): Carried {
  const open = isOpen ? { from: at - 1 } : null;
  return { version: 1, topicId: "1", at, writers: [{ writer: null, runs: [], open, search: null }] };
}

const took = (progress: Progress, step: Step, to = step.to, isOpen = false) =>
  afterStep(progress, step, { found: found(step.from, to), carried: carried(to, isOpen) });

describe("how far a partition is measured", () => {
  test("the first look goes backwards, each slice twice as long, and what is new comes first", () => {
    let progress = noProgress("1", 0, 100);
    const steps: unknown[] = [];
    let end = 1_000;
    for (;;) {
      const step = nextStep(progress, end);
      if (!step) break;
      steps.push([step.kind, step.from, step.to]);
      if (steps.length === 2) end = 1_010;
      progress = took(progress, step);
    }
    expect(steps).toEqual([
      ["back", 900, 1_000],
      ["back", 700, 900],
      ["new", 1_000, 1_010],
      ["back", 300, 700],
      ["back", 0, 300],
    ]);
    expect(progress.stretches).toHaveLength(1);
    expect(allFound(progress)).toMatchObject({ from: 0, to: 1_010, bytesRead: 5 });
  });

  test("what a budget left is filled with what the part before it left", () => {
    const begun = took(noProgress("1", 0, 100), { kind: "back", from: 900, to: 1_000, carried: null });
    const back = nextStep(begun, 1_000);
    const cut = took(begun, back as Step, 750);
    expect(nextStep(cut, 1_000)).toMatchObject({ kind: "fill", from: 750, to: 900, carried: { at: 750 } });
    expect(offsetsBehind(cut, 1_000)).toBe(850);
  });

  test("a replay that was cut in two is measured again from the cut on, as far as it takes", () => {
    const begun = took(noProgress("1", 0, 100), { kind: "back", from: 500, to: 900_000, carried: null });
    const older = took(begun, { kind: "back", from: 0, to: 500, carried: null }, 500, true);
    const again = nextStep(older, 900_000);
    expect(again).toMatchObject({ kind: "join", from: 500, to: 200_500, carried: { at: 500 } });
    const still = took(older, again as Step, 200_500, true);
    expect(nextStep(still, 900_000)).toMatchObject({ kind: "join", from: 200_500, to: 400_500 });
    const whole = took(still, nextStep(still, 900_000) as Step);
    expect(nextStep(whole, 900_000)).toBeNull();
    expect(measuredRange(whole)).toEqual({ from: 0, to: 900_000 });
    expect(whole.stretches[0]?.carried.at).toBe(900_000);
    expect(leftAsTheyAre(older).stretches).toHaveLength(1);
  });

  test("whatever a budget leaves and wherever slices end, all is measured, and nothing without end", () => {
    fc.assert(
      fc.property(
        fc.record({ bottom: fc.nat(300), length: fc.nat(3_000), slice: fc.integer({ min: 1, max: 500 }) }),
        fc.array(
          fc.record({
            share: fc.double({ min: 0.01, max: 1, noNaN: true }),
            grow: fc.nat(40),
            open: fc.boolean(),
          }),
          {
            minLength: 300,
            maxLength: 300,
          },
        ),
        ({ bottom, length, slice }, moves) => {
          let end = bottom + length;
          let progress = noProgress("1", bottom, slice);
          for (const [i, { share, grow, open }] of moves.entries()) {
            const step = nextStep(progress, end);
            if (!step) break;
            if ((step.carried?.at ?? step.from) !== step.from || step.to <= step.from)
              throw new Error(JSON.stringify(step));
            const to = i > 200 ? step.to : step.from + Math.ceil((step.to - step.from) * share);
            progress = took(progress, step, to, open && i < 200);
            end += i < 100 ? grow : 0;
            // An expectation each would take most of the time.
            const isWhole = progress.stretches.every(
              ({ from, to, carried: left, found: { from: first, to: last } }, n) =>
                left.at === to &&
                first === from &&
                last === to &&
                to <= (progress.stretches[n + 1]?.from ?? end),
            );
            if (!isWhole || offsetsMeasured(progress) + offsetsBehind(progress, end) !== end - bottom)
              throw new Error(JSON.stringify(progress));
          }
          expect(nextStep(progress, end)).toBeNull();
          if (end > bottom) expect(measuredRange(progress)).toEqual({ from: bottom, to: end });
        },
      ),
      { numRuns: 60 },
    );
  });

  test("notes of one kind are told once, with all their records where each tells how many", () => {
    const note = { slug: "flattened", reason: "r", remedy: null };
    expect(
      notesTogether([
        { ...note, count: 2 },
        { ...note, slug: "budget", count: null },
        { ...note, count: 3 },
      ]),
    ).toEqual([
      { ...note, count: 5 },
      { ...note, slug: "budget", count: null },
    ]);
    expect(
      notesTogether([
        { ...note, count: 2 },
        { ...note, count: null },
      ]),
    ).toMatchObject([{ count: null }]);
  });
});
