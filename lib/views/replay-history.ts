import { type Dial, dialOf, dialOfRollups } from "@/lib/measure/replay-window/dial";
import { percentileOf } from "@/lib/measure/replay-window/histogram";
import { producedCurve, type Span } from "@/lib/measure/replay-window/produced-curve";
import { byHour, mergeRollups, rollUp } from "@/lib/measure/replay-window/roll-up";
import { thinned, thinnedRollups } from "@/lib/measure/replay-window/saw-tooth";
import { statisticsOf, type WindowStatistics } from "@/lib/measure/replay-window/statistics";
import { unacknowledged } from "@/lib/measure/replay-window/unacknowledged";
import type { FlushInterval } from "@/lib/observed/replay-window";
import type { Restart, WindowPoint, WindowRollup } from "@/lib/observed/window-series";
import { dialSentence } from "./dial-words";
import { countOf } from "./format";
import type { ReplayHistoryView } from "./replay-window-schema";
import { type WindowRange, windowRanges } from "./window-range";

export const rangeMs: Readonly<Record<WindowRange, number>> = {
  "1h": 3_600_000,
  "24h": 86_400_000,
  "7d": 604_800_000,
};

/** More places than this a chart cannot show, nor ticks of commits. */
const places = 300;
const minuteMs = 60_000;
const hourMs = 3_600_000;

export interface ReplayHistoryFacts {
  cluster: string;
  connector: string;
  range: WindowRange;
  now: Date;
  /** Raw points of the last hour; with those of the five minutes before it, the dial's longest interval is known all the time. */
  points: readonly WindowPoint[];
  /** Of 24 hours. */
  minutes: readonly WindowRollup[];
  /** Of 7 days. */
  hours: readonly WindowRollup[];
  /** Of the range, in any order; several source partitions are flushed at one time. */
  commits: readonly Date[];
  restarts: readonly Restart[];
  flushInterval: FlushInterval | null;
  /** Source partitions that are written at each flush. */
  sourcePartitions?: number;
}

const iso = (ms: number) => new Date(ms).toISOString();
const spanOf = (range: WindowRange, now: Date): Span => ({
  from: now.getTime() - rangeMs[range],
  to: now.getTime(),
});
const endOf = (rollups: readonly WindowRollup[], unitMs: number) =>
  rollups.reduce((end, r) => Math.max(end, r.at + unitMs), Number.NEGATIVE_INFINITY);

/** Roll-ups over a time: the coarsest there are, and finer ones where those have not come yet. */
interface Covered {
  rollups: WindowRollup[];
  /** Length of most of them. */
  unitMs: number;
}

/** The raw points that are in no roll-up yet, as minutes. */
function openMinutes(points: readonly WindowPoint[], after: number, span: Span): WindowRollup[] {
  const found: WindowRollup[] = [];
  const first = points.find((p) => p.at >= Math.max(after, span.from));
  if (!first) return [];
  for (let at = Math.max(after, Math.floor(first.at / minuteMs) * minuteMs); at <= span.to; at += minuteMs) {
    const near = points.filter((p) => p.at >= at - 360_000 && p.at < at + minuteMs);
    if (near.some((p) => p.at >= at)) found.push(rollUp(near, at, at + minuteMs, 0));
  }
  return found;
}

function covered(facts: ReplayHistoryFacts, range: WindowRange): Covered {
  const span = spanOf(range, facts.now);
  // A minute or hour that the range cuts is left out, but for the newest.
  const hours = range === "7d" ? facts.hours.filter((r) => r.at >= span.from) : [];
  const afterHours = endOf(hours, hourMs);
  const minutes = facts.minutes.filter((r) => r.at >= Math.max(afterHours, span.from));
  const afterMinutes = Math.max(afterHours, endOf(minutes, minuteMs));
  const open = openMinutes(facts.points, afterMinutes, span);
  return { rollups: [...hours, ...minutes, ...open], unitMs: range === "7d" ? hourMs : minuteMs };
}

function rollupStatistics(rollups: readonly WindowRollup[]): WindowStatistics {
  const all = mergeRollups(rollups, 0);
  const none = all.known === 0;
  // A percentile is the bound of its bucket: between the least and the most it is nearer to what was seen.
  const percentile = (share: number) =>
    none ? null : Math.min(all.most, Math.max(all.least, percentileOf(all.histogram, share) ?? 0));
  return {
    known: all.known,
    polls: all.polls,
    median: percentile(0.5),
    p95: percentile(0.95),
    worst: none ? null : all.most,
    worstAt: none ? null : all.mostAt,
    mean: none ? null : all.sum / all.known,
  };
}

const inside = (points: readonly WindowPoint[], span: Span) =>
  points.filter((p) => p.at >= span.from && p.at <= span.to);

/** Whether the raw points are all that there is: no roll-up is of a minute or hour that ended before the first of them. */
function pointsAreAll(facts: ReplayHistoryFacts): boolean {
  const first = facts.points[0]?.at;
  if (first === undefined) return false;
  const earlier = (rollups: readonly WindowRollup[], unitMs: number) =>
    rollups.some(
      (r) => r.at + unitMs <= first || (r.at < first && r.polls > pollsWithin(facts, r.at, unitMs)),
    );
  return !earlier(facts.minutes, minuteMs) && !earlier(facts.hours, hourMs);
}

const pollsWithin = ({ points }: ReplayHistoryFacts, from: number, unitMs: number) =>
  statisticsOf(points.filter((p) => p.at >= from && p.at < from + unitMs)).polls;

function statistics(facts: ReplayHistoryFacts, range: WindowRange): ReplayHistoryView["statistics"][number] {
  const own =
    range === "1h" || pointsAreAll(facts)
      ? statisticsOf(inside(facts.points, spanOf(range, facts.now)))
      : rollupStatistics(covered(facts, range).rollups);
  return { ...own, range, worstAt: own.worstAt === null ? null : iso(own.worstAt) };
}

function sawTooth(facts: ReplayHistoryFacts, { rollups }: Covered): ReplayHistoryView["sawTooth"] {
  const span = spanOf(facts.range, facts.now);
  if (facts.range === "1h") return placed(thinned(facts.points, span, places));
  if (facts.range === "24h") return placed(thinnedRollups(rollups, minuteMs, span, places));
  // An hour of the week is one place; the newest hours are there in minutes, and drawn as the hours they are.
  const hourly = byHour(rollups);
  return placed(thinnedRollups(hourly, hourMs, span, Math.ceil((span.to - span.from) / hourMs)));
}

function placed(found: readonly { at: number; least: number | null; most: number | null }[]) {
  return found.map(({ at, least, most }) => ({ at: iso(Math.round(at)), least, most }));
}

/** The times of the commits, each once, and no more than a chart can show: the first of each of its places. */
function commitTicks(commits: readonly Date[], span: Span): { commits: string[]; commitsTotal: number } {
  const times = commits.map((c) => c.getTime()).filter((at) => at >= span.from && at <= span.to);
  const each = [...new Set(times)].sort((a, b) => a - b);
  const place = (at: number) => Math.floor(((at - span.from) / (span.to - span.from)) * places);
  const shown =
    each.length <= places ? each : each.filter((at, i) => i === 0 || place(at) !== place(each[i - 1] ?? 0));
  return { commits: shown.map(iso), commitsTotal: each.length };
}

const rangeWords: Readonly<Record<WindowRange, string>> = {
  "1h": "the last hour",
  "24h": "the last 24\u00a0hours",
  "7d": "the last 7\u00a0days",
};

function dial(facts: ReplayHistoryFacts, { rollups }: Covered): ReplayHistoryView["dial"] {
  const inForceMs = facts.flushInterval?.ms ?? null;
  const options = { partitions: facts.sourcePartitions ?? 1 };
  const span = spanOf(facts.range, facts.now);
  const polls =
    facts.range === "1h" ? statisticsOf(inside(facts.points, span)).polls : mergeRollups(rollups, 0).polls;
  const found: Dial =
    facts.range === "1h"
      ? dialOf(facts.points, inForceMs, { ...options, from: span.from })
      : dialOfRollups(rollups, inForceMs, unacknowledged(facts.points, producedCurve(facts.points)), options);
  return {
    points: found.points,
    inForceMs,
    sentence: dialSentence(found.points),
    whyNone: found.whyNone,
    basis: found.whyNone === null ? `the ${countOf(polls, "poll")} of ${rangeWords[facts.range]}` : null,
  };
}

function since(facts: ReplayHistoryFacts, { rollups }: Covered): number | null {
  const span = spanOf(facts.range, facts.now);
  const first = facts.range === "1h" ? inside(facts.points, span).map((p) => p.at) : rollups.map((r) => r.at);
  return first.length === 0 ? null : first.reduce((a, b) => Math.min(a, b));
}

/**
 * How the window was over a time. An hour is made of raw points, a day of minutes, a week of hours; what is not rolled up yet
 * comes from the finer ones. Percentiles of a day and a week are up to 5 % too high, unless the raw points are all there is.
 */
export function replayHistoryView(facts: ReplayHistoryFacts): ReplayHistoryView {
  const span = spanOf(facts.range, facts.now);
  const sorted = { ...facts, points: [...facts.points].sort((a, b) => a.at - b.at) };
  const cover = covered(sorted, facts.range);
  const began = since(sorted, cover);
  return {
    cluster: facts.cluster,
    connector: facts.connector,
    range: facts.range,
    from: iso(span.from),
    to: iso(span.to),
    since: began === null ? null : iso(began),
    whyNone:
      began === null
        ? `No replay window of this connector was measured in ${rangeWords[facts.range]}.`
        : null,
    statistics: windowRanges.map((range) => statistics(sorted, range)),
    sawTooth: sawTooth(sorted, cover),
    ...commitTicks(facts.commits, span),
    restarts: facts.restarts.filter((r) => Date.parse(r.at) >= span.from && Date.parse(r.at) <= span.to),
    dial: dial(sorted, cover),
  };
}
