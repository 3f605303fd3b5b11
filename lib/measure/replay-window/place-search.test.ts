import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Found, mostProbes, type Probed, placeSearch, type SearchRange } from "./place-search";

/** A partition of batches, each of `size` records; `covered` tells it of an offset, `run` its run. */
interface Partition {
  size: number;
  end: number;
  covered(offset: number): boolean | null;
  run(offset: number): string | null;
  /** How long after it was made a change is sent; times are offsets. */
  lag?: number;
}

function probe({ size, end, covered, run, lag = 1 }: Partition, offset: number): Probed | null {
  if (offset >= end) return null;
  const next = Math.min(end, (Math.floor(offset / size) + 1) * size);
  const told = Array.from({ length: next - offset }, (_, i) => covered(offset + i)).filter((c) => c !== null);
  const [begins = null, ends = null] = [told[0], told.at(-1)];
  return { first: offset, next, begins, ends, run: run(offset), at: offset, made: next - 1 - lag };
}

function found(partition: Partition, range: SearchRange): { found: Found; asked: number[] } {
  const search = placeSearch(range);
  const asked: number[] = [];
  let step = search.next();
  while (!step.done) {
    asked.push(step.value);
    step = search.next(probe(partition, step.value));
  }
  return { found: step.value, asked };
}

const oneRun = (place: number, end: number, size = 20): Partition => ({
  size,
  end,
  covered: (offset) => offset < place,
  run: () => "r1",
});
const range = (from: number, to: number, guess: number, more: Partial<SearchRange> = {}): SearchRange => ({
  from,
  to,
  guess,
  trusted: true,
  rises: true,
  ...more,
});

describe("the search for the first record that is not covered", () => {
  test.each([
    ["shortly before the guess", 50_000, 50_040],
    ["at the guess", 50_040, 50_040],
    ["at the very end", 100_000, 100_000],
    ["at the start of the range", 10_000, 10_040],
  ])("%s: what is read begins near it", (_, place, guess) => {
    const { found: at, asked } = found(oneRun(place, 100_000), range(10_000, 100_000, guess));
    expect(at).toMatchObject({ by: "one-run", certain: true });
    expect(at.start).toBeLessThanOrEqual(place);
    expect(place - at.start).toBeLessThan(300);
    expect(asked.length).toBe(at.probes);
    expect(at.probes).toBeLessThanOrEqual(mostProbes);
  });

  test.each([
    ["well before the guess", 47_000, 50_040, 4_000],
    ["behind it, by a clock that goes wrong", 80_000, 30_000, 50_200],
  ])("%s: more is read, and nothing missed", (_, place, guess, more) => {
    const { found: at } = found(oneRun(place, 100_000), range(10_000, 100_000, guess));
    expect(at).toMatchObject({ by: "one-run", certain: true });
    expect(place - at.start).toBeGreaterThanOrEqual(0);
    expect(place - at.start).toBeLessThan(more);
  });

  test("the usual case takes three batches", () => {
    expect(found(oneRun(50_000, 100_000), range(10_000, 100_000, 50_040)).found).toEqual({
      start: 49_920,
      by: "one-run",
      certain: true,
      probes: 3,
    });
  });

  test.each([
    ["two runs", (offset: number) => (offset < 60_000 ? "r1" : "r2")],
    ["no run ids", () => null],
  ])("with %s the range is read whole", (_, run) => {
    const partition = { ...oneRun(50_000, 100_000), run };
    expect(found(partition, range(10_000, 100_000, 50_040)).found).toEqual({
      start: 10_000,
      by: "distinct",
      certain: true,
      probes: 2,
    });
  });

  test("where several source partitions mix in the topic it is read whole, as one run's", () => {
    const { found: at } = found(oneRun(5_000, 9_000), range(1_000, 9_000, 5_000, { rises: false }));
    expect(at).toEqual({ start: 1_000, by: "one-run", certain: true, probes: 2 });
  });

  test("without a source time it goes back until it meets a covered record", () => {
    const { found: at } = found(oneRun(4_300, 9_000), range(5_000, 9_000, 5_000, { trusted: false }));
    expect(at).toMatchObject({ by: "one-run", certain: true });
    expect(at.start).toBeLessThanOrEqual(4_300);
    expect(at.start).toBeGreaterThan(3_500);
  });

  test("and says so when it meets none", () => {
    const { found: at } = found(oneRun(100, 900_000), range(800_000, 900_000, 800_000, { trusted: false }));
    expect(at.certain).toBe(false);
    expect(at.probes).toBe(mostProbes);
    const start = found(oneRun(0, 9_000), range(500, 9_000, 600, { trusted: false })).found;
    expect(start).toMatchObject({ start: 0, certain: true });
  });

  test("going back into another run, what lies there is told apart by identity", () => {
    const partition = { ...oneRun(4_300, 9_000), run: (offset: number) => (offset < 4_900 ? "r1" : "r2") };
    const { found: at } = found(partition, range(5_000, 9_000, 5_000, { trusted: false }));
    expect(at).toMatchObject({ by: "distinct", certain: true });
    expect(at.start).toBeLessThanOrEqual(4_300);
  });

  test("markers at the end are looked past", () => {
    const partition = { ...oneRun(500, 1_000), size: 10 };
    const search = placeSearch(range(0, 1_002, 600));
    expect(search.next().value).toBe(1_001);
    expect(search.next(null).value).toBe(1_000);
    expect(search.next(null).value).toBe(872);
    expect(search.next(probe(partition, 872)).value).toBe(0);
  });

  test("whatever the log holds: never behind the place, never more batches than allowed", () => {
    const anything = fc.record({
      end: fc.integer({ min: 2, max: 100_000 }),
      place: fc.double({ min: 0, max: 1, noNaN: true }),
      from: fc.double({ min: 0, max: 1, noNaN: true }),
      guess: fc.double({ min: 0, max: 1, noNaN: true }),
      size: fc.integer({ min: 1, max: 300 }),
      silent: fc.integer({ min: 1, max: 5 }),
      trusted: fc.boolean(),
    });
    fc.assert(
      fc.property(anything, ({ end, size, trusted, silent, ...at }) => {
        const place = Math.round(at.place * end);
        const from = Math.min(end - 1, Math.round(at.from * (trusted ? Math.min(place, end - 1) : end)));
        const guess = from + Math.round(at.guess * (end - from));
        const partition = oneRun(place, end, size);
        const covered = (offset: number) =>
          Math.floor(offset / size) % silent === 0 ? partition.covered(offset) : null;
        const { found: result } = found({ ...partition, covered }, range(from, end, guess, { trusted }));
        if (result.certain) expect(result.start).toBeLessThanOrEqual(place);
        expect(result.start).toBeLessThanOrEqual(end);
        expect(result.probes).toBeLessThanOrEqual(mostProbes);
      }),
      { numRuns: 2_000 },
    );
  });
});
