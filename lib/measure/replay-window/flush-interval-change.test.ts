import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { inferFlushInterval } from "./flush-interval";

const began = 1_790_000_000_000;
/** Commits of a source partition that are kept. */
const kept = 60;
const changeAt = began + 3_600_000;

interface Connector {
  /** Something new is there so often, milliseconds; 0: always. */
  newsMs: number;
  /** Phase of its flushes, in [0, 1). */
  phase: number;
}

/** Workers restart at `changeAt` with another interval: a clean stop commits once more, and the first flush comes an interval after the start. */
function run({ newsMs, phase }: Connector, fromMs: number, toMs: number, restartMs: number, until: number) {
  const times: number[] = [];
  let news = began;
  const flush = (at: number) => {
    if (at < news) return;
    times.push(Math.round(at));
    news = newsMs === 0 ? at : at + newsMs;
  };
  let at = began + phase * fromMs;
  for (; at < changeAt; at += fromMs + 5 + 25 * Math.abs(Math.sin(at))) flush(at);
  flush(changeAt + 300);
  const started = changeAt + restartMs + 2_000 * phase;
  for (at = started + toMs; at <= until; at += toMs + 5 + 25 * Math.abs(Math.sin(at))) flush(at);
  return times.filter((t) => t <= until).slice(-kept);
}

const busy: Connector[] = [0.1, 0.45, 0.8].map((phase) => ({ newsMs: 0, phase }));
/** Writes with a heartbeat each minute, and hardly ever. */
const heartbeats: Connector = { newsMs: 60_000, phase: 0.3 };
const quiet: Connector = { newsMs: 600_000, phase: 0.6 };
const fleet = [...busy, heartbeats, quiet];

const minutes = (n: number) => changeAt + n * 60_000;
const infer = (connector: Connector, fromMs: number, toMs: number, restartMs: number, until: number) => {
  const lists = fleet.map((one) => run(one, fromMs, toMs, restartMs, until));
  return inferFlushInterval([run(connector, fromMs, toMs, restartMs, until)], lists);
};

describe("a worker's interval that was changed", () => {
  test("from 5 s to 60 s: busy and quiet connectors have the new one some commits later, and keep it", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...fleet),
        fc.integer({ min: 0, max: 40_000 }),
        fc.double({ min: 4.8, max: 90, noNaN: true }),
        (connector, restartMs, after) => {
          expect(infer(connector, 5_000, 60_000, restartMs, minutes(after)).ms).toBe(60_000);
        },
      ),
      { numRuns: 600 },
    );
  });

  test("from 60 s to 5 s: within half a minute", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...fleet),
        fc.integer({ min: 0, max: 40_000 }),
        fc.double({ min: 1.2, max: 90, noNaN: true }),
        (connector, restartMs, after) => {
          expect(infer(connector, 60_000, 5_000, restartMs, minutes(after)).ms).toBe(5_000);
        },
      ),
      { numRuns: 600 },
    );
  });

  test("commits before the change do not count", () => {
    const [one] = busy;
    if (!one) throw new Error("no connector");
    const alone = (until: number) => inferFlushInterval([run(one, 5_000, 60_000, 10_000, until)], []);
    expect(alone(minutes(-1))).toMatchObject({ ms: 5_000, commits: 60, confidence: "sure" });
    const found = alone(minutes(8.5));
    expect(found).toMatchObject({ ms: 60_000, of: "connector" });
    expect(found.commits).toBeLessThanOrEqual(10);
  });

  test("a quiet connector's own old commits do not outweigh newer ones of the cluster", () => {
    const own = [run({ newsMs: 0, phase: 0.2 }, 5_000, 60_000, 0, minutes(-1))];
    expect(inferFlushInterval(own, [])).toMatchObject({ ms: 5_000, confidence: "sure" });
    for (const after of [5, 12, 40]) {
      const cluster = [...own, ...busy.map((one) => run(one, 5_000, 60_000, 9_000, minutes(after)))];
      expect(inferFlushInterval(own, cluster)).toMatchObject({
        ms: 60_000,
        of: "cluster",
        confidence: "likely",
      });
    }
  });

  test("is not one where the busy connectors fall idle and heartbeats go on", () => {
    const lists = fleet.map((one) => run(one, 5_000, 5_000, 0, minutes(0)));
    const beats = run(heartbeats, 5_000, 5_000, 0, minutes(6));
    expect(inferFlushInterval([beats], [...lists, beats])).toMatchObject({ ms: 5_000, of: "cluster" });
  });

  test("there and back again", () => {
    const last = (times: readonly number[]) => times.at(-1) ?? 0;
    const slow = run(busy[0] ?? quiet, 5_000, 60_000, 9_000, minutes(6));
    const back = [...slow, ...Array.from({ length: 8 }, (_, i) => last(slow) + 12_000 + i * 5_015)];
    expect(inferFlushInterval([back], []).ms).toBe(5_000);
    const again = [...back, ...Array.from({ length: 6 }, (_, i) => last(back) + 66_000 + i * 60_020)];
    expect(inferFlushInterval([again.slice(-kept)], []).ms).toBe(60_000);
  });
});
