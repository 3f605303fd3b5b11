import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { inferFlushInterval } from "./flush-interval";

/** Numbers in [0, 1) that are the same each time. */
function dice(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Committer {
  intervalMs: number;
  /** What a flush takes at most, and how long others make it wait. */
  flushMs?: number;
  waitMs?: number;
  /** Whether there is something new at a time. */
  news?: (at: number) => boolean;
  /** Clean stops: a last commit at once, then some time, then a new phase. */
  stops?: number;
  commits?: number;
  seed: number;
}

/** SourceTaskOffsetCommitter: a fixed delay after each commit has ended; nothing new, nothing written. */
function commitsOf({
  intervalMs,
  flushMs = 40,
  waitMs = 0,
  news = () => true,
  stops = 0,
  commits = 60,
  seed,
}: Committer) {
  const random = dice(seed);
  const times: number[] = [];
  let at = 1_790_000_000_000 + random() * intervalMs;
  let stopsLeft = stops;
  for (let i = 0; times.length < commits && i < 200_000; i++) {
    if (news(at)) times.push(Math.round(at));
    if (stopsLeft > 0 && times.length > 0 && random() < (2 * stops) / commits) {
      stopsLeft -= 1;
      const stopped = at + random() * intervalMs;
      times.push(Math.round(stopped));
      at = stopped + 2_000 + random() * 20_000 + intervalMs;
      continue;
    }
    at += intervalMs + (news(at) ? 3 + random() * flushMs : 0.3) + random() * waitMs;
  }
  return times.slice(-commits);
}

/** A time and those after it, by the gaps between them. */
function from(start: number, gaps: readonly number[]): number[] {
  const times = [start];
  for (const gap of gaps) times.push((times.at(-1) ?? start) + gap);
  return times;
}

const intervals = [
  250, 500, 1_000, 2_000, 3_000, 5_000, 7_000, 10_000, 15_000, 30_000, 45_000, 60_000, 120_000, 300_000,
];

describe("the flush interval", () => {
  test.each(intervals)("of %d ms is told from a busy connector, surely", (intervalMs) => {
    for (let seed = 1; seed <= 10; seed++) {
      const flushMs = Math.min(60, intervalMs / 30);
      const times = commitsOf({ intervalMs, flushMs, seed });
      expect(inferFlushInterval([times], [])).toEqual({
        ms: intervalMs,
        commits: 60,
        of: "connector",
        confidence: "sure",
        why: null,
      });
    }
  });

  test("of any round length, with idle stretches, stops and restarts", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...intervals.filter((ms) => ms >= 1_000)),
        fc.nat(),
        fc.integer({ min: 0, max: 6 }),
        fc.double({ min: 0, max: 0.6, noNaN: true }),
        (intervalMs, seed, stops, idle) => {
          const random = dice(seed + 1);
          // Nothing new at some ticks, and nothing at all in long stretches.
          const news = (at: number) => random() >= idle && Math.sin(at / (intervalMs * 40)) > -0.6;
          const times = commitsOf({ intervalMs, news, stops, seed });
          const { ms, confidence } = inferFlushInterval([times], []);
          expect(ms).toBe(intervalMs);
          expect(confidence).toMatch(/sure|likely/);
        },
      ),
      { numRuns: 300 },
    );
  });

  test("where one thread flushes for many tasks and each waits for the others", () => {
    const times = commitsOf({ intervalMs: 10_000, waitMs: 400, seed: 7 });
    expect(inferFlushInterval([times], [])).toMatchObject({ ms: 10_000, confidence: "sure" });
  });

  test("from several tasks, each with a phase of its own", () => {
    const lists = [1, 2, 3].map((seed) => commitsOf({ intervalMs: 60_000, commits: 12, seed }));
    expect(inferFlushInterval(lists, [])).toMatchObject({ ms: 60_000, commits: 36, confidence: "sure" });
  });

  test("from gaps of two, three and five intervals, where none was of one", () => {
    const times = from(
      1_790_000_000_000,
      [2, 3, 5, 2, 3, 2, 5, 3, 2, 3, 4, 2, 7, 3].map((n) => n * 5_000 + 12),
    );
    expect(inferFlushInterval([times], [])).toMatchObject({ ms: 5_000, confidence: "likely" });
  });

  test("of another connector of the cluster where its own commits are too few", () => {
    const cluster = [commitsOf({ intervalMs: 60_000, seed: 3 })];
    const expected = { ms: 60_000, commits: 60, of: "cluster", confidence: "likely", why: null };
    expect(inferFlushInterval([], cluster)).toEqual(expected);
    expect(inferFlushInterval([[1_790_000_000_000]], cluster)).toEqual(expected);
  });

  test("an idle connector that writes with each heartbeat is no slow worker: the cluster knows better", () => {
    const own = [commitsOf({ intervalMs: 60_000, seed: 4 })];
    const quick = commitsOf({ intervalMs: 5_000, seed: 5 });
    const late = (own[0]?.at(-1) ?? 0) - (quick.at(-1) ?? 0);
    const cluster = [quick.map((at) => at + late), ...own];
    expect(inferFlushInterval(own, [])).toMatchObject({ ms: 60_000, of: "connector" });
    expect(inferFlushInterval(own, cluster)).toMatchObject({
      ms: 5_000,
      of: "cluster",
      confidence: "likely",
    });
  });

  test("that was changed, as soon as a few commits show it, in both directions", () => {
    const before = commitsOf({ intervalMs: 5_000, commits: 54, seed: 6 });
    const after = from((before.at(-1) ?? 0) + 31_000, Array(6).fill(60_020));
    expect(inferFlushInterval([[...before, ...after]], [])).toMatchObject({ ms: 60_000 });
    const slow = commitsOf({ intervalMs: 60_000, commits: 50, seed: 6 });
    const quick = from((slow.at(-1) ?? 0) + 40_000, Array(9).fill(5_010));
    expect(inferFlushInterval([[...slow, ...quick]], [])).toMatchObject({ ms: 5_000 });
  });

  test("is not told from transactions, which write offsets when there is something to write", () => {
    for (let seed = 1; seed <= 30; seed++) {
      const random = dice(seed);
      const gaps = Array.from({ length: 59 }, () => Math.round(30 + 900 * random() ** 2));
      const times = from(1_790_000_000_000, gaps);
      const { ms, confidence, why } = inferFlushInterval([times], []);
      expect({ ms, confidence }).toEqual({ ms: null, confidence: "unsure" });
      expect(why).toBe("The 60 commits seen came at irregular times, not in multiples of one interval.");
    }
    const even = commitsOf({ intervalMs: 1_000, seed: 1 });
    expect(inferFlushInterval([even], [], { exactlyOnce: true })).toMatchObject({
      ms: null,
      confidence: "unsure",
      why: "Offsets are written with each transaction, not at an interval.",
    });
  });

  test("is not told from too few, and says so", () => {
    expect(inferFlushInterval([], []).why).toBe(
      "No commit of this connector has been seen: too few at even distances to tell an interval.",
    );
    expect(inferFlushInterval([[1, 60_001]], [])).toEqual({
      ms: null,
      commits: 2,
      of: "connector",
      confidence: null,
      why: "2 commits of this connector have been seen: too few at even distances to tell an interval.",
    });
  });
});
