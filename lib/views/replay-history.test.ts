import { describe, expect, test } from "vitest";
import { mergeRollups, rollUp } from "@/lib/measure/replay-window/roll-up";
import type { FlushInterval } from "@/lib/observed/replay-window";
import type { Restart, WindowPoint, WindowRollup } from "@/lib/observed/window-series";
import { type ReplayHistoryFacts, replayHistoryView } from "./replay-history";
import { replayHistoryViewSchema } from "./replay-window-schema";

const now = new Date("2026-11-29T14:40:12.000Z");
const minuteMs = 60_000;
const minute: FlushInterval = { ms: 60_000, commits: 34, of: "connector", confidence: "sure", why: null };

/** Polls each 5 s until now: 100 records a second, flushed each minute. `known`: whether a poll knows, by its age in seconds. */
function polls(seconds: number, known: (ageSeconds: number) => boolean = () => true): WindowPoint[] {
  return Array.from({ length: seconds / 5 }, (_, i) => {
    const age = seconds - i * 5;
    const at = now.getTime() - age * 1_000;
    const committedAt = Math.floor(at / minuteMs) * minuteMs;
    const events = known(age) ? (at - committedAt) / 10 : null;
    const produced = known(age) ? i * 500 : null;
    const by = events === null ? null : "position";
    return { at, between: false, produced, events, low: events, high: null, by, committedAt };
  });
}

function minutesOf(points: readonly WindowPoint[]): WindowRollup[] {
  const minutes: WindowRollup[] = [];
  const first = Math.floor((points[0]?.at ?? 0) / minuteMs) * minuteMs;
  for (let at = first; at + minuteMs <= now.getTime(); at += minuteMs) {
    const near = points.filter((p) => p.at >= at - 360_000 && p.at < at + minuteMs);
    if (near.some((p) => p.at >= at)) minutes.push(rollUp(near, at, at + minuteMs, 1));
  }
  return minutes;
}

function hoursOf(minutes: readonly WindowRollup[]): WindowRollup[] {
  const hours = new Map<number, WindowRollup[]>();
  for (const m of minutes) {
    const hour = Math.floor(m.at / 3_600_000) * 3_600_000;
    hours.set(hour, [...(hours.get(hour) ?? []), m]);
  }
  const ended = [...hours].filter(([hour]) => hour + 3_600_000 <= now.getTime());
  return ended.map(([hour, some]) => mergeRollups(some, hour));
}

function facts(over: Partial<ReplayHistoryFacts> = {}): ReplayHistoryFacts {
  return {
    cluster: "eu",
    connector: "orders-cdc",
    range: "1h",
    now,
    points: polls(3_900),
    minutes: [],
    hours: [],
    commits: [],
    restarts: [],
    flushInterval: minute,
    ...over,
  };
}

const plain = (text: string | null) => text?.replaceAll("\u00a0", " ");

describe("the history of a replay window", () => {
  test("an hour of raw points: statistics, saw-tooth, the dial and its sentence", () => {
    const view = replayHistoryView(facts());
    expect(replayHistoryViewSchema.parse(view)).toEqual(view);
    expect(view).toMatchObject({
      range: "1h",
      from: "2026-11-29T13:40:12.000Z",
      to: "2026-11-29T14:40:12.000Z",
      since: "2026-11-29T13:40:12.000Z",
      whyNone: null,
    });
    expect(view.statistics[0]).toMatchObject({
      range: "1h",
      polls: 720,
      known: 720,
      worst: 5_700,
      median: 2_700,
    });
    expect(view.sawTooth).toHaveLength(300);
    expect(Math.max(...view.sawTooth.map((p) => p.most ?? 0))).toBe(5_700);
    expect(view.dial).toMatchObject({ inForceMs: 60_000, whyNone: null });
    expect(plain(view.dial.basis)).toBe("the 720 polls of the last hour");
    expect(plain(view.dial.sentence)).toBe(
      "5 s instead of 60 s: worst case 500 instead of 6,000 events; 720 offset writes an hour instead of 60. It never reaches 0.",
    );
    expect(view.dial.points.find((p) => p.intervalMs === 300_000)?.worst).toBe(30_000);
  });

  test("a day of minutes, and of the raw points that are not rolled up yet", () => {
    const points = polls(4 * 3_600);
    const minutes = minutesOf(points).slice(0, -3);
    const view = replayHistoryView(
      facts({ range: "24h", points: points.slice(-720), minutes, sourcePartitions: 3 }),
    );
    expect(replayHistoryViewSchema.parse(view)).toEqual(view);
    expect(view.since).toBe("2026-11-29T10:40:00.000Z");
    const day = view.statistics[1];
    expect(day).toMatchObject({ range: "24h", polls: points.length, known: points.length, worst: 5_700 });
    expect((day?.median ?? 0) / 2_700).toBeGreaterThanOrEqual(1);
    expect((day?.median ?? 0) / 2_700).toBeLessThanOrEqual(1.05);
    expect(view.sawTooth.length).toBeGreaterThan(45);
    expect(view.sawTooth.length).toBeLessThan(60);
    expect(view.dial.points.find((p) => p.inForce)).toMatchObject({ worst: 6_000, writesPerHour: 180 });
    expect(plain(view.dial.basis)).toBe("the 2,880 polls of the last 24 hours");
  });

  test("all ranges agree where the raw points are all there is", () => {
    const heights = [40, 12, 41, 40, 3];
    const points = polls(305).map((p, i) => {
      const events = heights[i % heights.length] ?? 0;
      return { ...p, events, low: events };
    });
    const minutes = minutesOf(points);
    expect(minutes.length).toBeGreaterThan(3);
    const [hour, day, week] = replayHistoryView(facts({ points, minutes })).statistics;
    expect(hour).toMatchObject({ polls: 61, median: 40, p95: 41, worst: 41 });
    expect(day).toEqual({ ...hour, range: "24h" });
    expect(week).toEqual({ ...hour, range: "7d" });
    // Where there is more, it counts.
    const older = replayHistoryView(facts({ points: points.slice(-20), minutes })).statistics;
    expect(older.map((s) => s.polls)).toEqual([20, 61, 61]);
  });

  test("a week of hours, and of what is newer", () => {
    const points = polls(9 * 3_600);
    const minutes = minutesOf(points);
    const view = replayHistoryView(
      facts({
        range: "7d",
        points: points.slice(-720),
        minutes: minutes.slice(-1_440),
        hours: hoursOf(minutes),
      }),
    );
    expect(replayHistoryViewSchema.parse(view)).toEqual(view);
    expect(view.statistics[2]).toMatchObject({
      range: "7d",
      polls: points.length,
      worst: 5_700,
      known: points.length,
    });
    expect(view.sawTooth).toHaveLength(10);
    expect(view.dial.points.find((p) => p.intervalMs === 5_000)?.worst).toBe(500);
  });

  test("what was not known is unknown, in each range", () => {
    const known = (age: number) => age < 1_200 || age > 1_800;
    const points = polls(3_900, known);
    const hour = replayHistoryView(facts({ points }));
    expect(hour.sawTooth.filter((p) => p.most === null).length).toBeGreaterThanOrEqual(48);
    expect(hour.statistics[0]).toMatchObject({ polls: 720, known: 599 });
    const day = replayHistoryView(facts({ range: "24h", points, minutes: minutesOf(points) }));
    expect(day.sawTooth.filter((p) => p.most === null).length).toBeGreaterThanOrEqual(1);
    const never = replayHistoryView(facts({ points: polls(3_600, () => false) }));
    expect(never.statistics[0]).toMatchObject({
      polls: 720,
      known: 0,
      median: null,
      worst: null,
      worstAt: null,
    });
    expect(never.sawTooth.every((p) => p.most === null)).toBe(true);
    expect(never.dial.whyNone).toMatch(/not known how many records/);
  });

  test("nothing was measured", () => {
    const view = replayHistoryView(facts({ points: [], range: "24h" }));
    expect(replayHistoryViewSchema.parse(view)).toEqual(view);
    expect(view).toMatchObject({ since: null, sawTooth: [], commits: [], commitsTotal: 0 });
    expect(plain(view.whyNone)).toBe("No replay window of this connector was measured in the last 24 hours.");
    expect(view.dial).toMatchObject({ points: [], sentence: null, basis: null });
  });

  test("the interval is not known", () => {
    const view = replayHistoryView(facts({ flushInterval: null }));
    expect(view.dial.inForceMs).toBeNull();
    expect(view.dial.sentence).toMatch(/^Which flush interval is in force is not known\./);
  });

  test("commits as ticks, one time once, and no more than fit", () => {
    const times = Array.from({ length: 1_200 }, (_, i) => new Date(now.getTime() - i * 3_000));
    const view = replayHistoryView(
      facts({ commits: [...times, ...times, new Date(now.getTime() - 7_200_000)] }),
    );
    expect(view.commitsTotal).toBe(1_200);
    expect(view.commits.length).toBeLessThanOrEqual(301);
    expect(view.commits.length).toBeGreaterThan(290);
    expect([...view.commits].sort()).toEqual(view.commits);
    const few = replayHistoryView(facts({ commits: times.slice(0, 20) }));
    expect(few.commits).toHaveLength(20);
  });

  test("restarts of the range", () => {
    const restart = (at: string): Restart => ({
      id: at,
      cluster: "eu",
      connector: "orders-cdc",
      at,
      noticedAt: at,
      runBefore: null,
      runAfter: null,
      shown: null,
      recomputed: 12,
      replayed: 12,
      state: "measured",
      why: null,
      partitions: [],
    });
    const restarts = [restart("2026-11-29T14:20:00.000Z"), restart("2026-11-29T12:00:00.000Z")];
    expect(replayHistoryView(facts({ restarts })).restarts).toEqual(restarts.slice(0, 1));
    expect(replayHistoryView(facts({ restarts, range: "24h" })).restarts).toEqual(restarts);
  });
});
