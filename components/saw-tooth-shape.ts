import type { ReplayHistoryView } from "@/lib/views/replay-window-schema";

/** One place of the saw-tooth; times in milliseconds. Null where the window was not known: the line breaks there. */
export interface SawToothRow {
  at: number;
  most: number | null;
  /** Lowest and highest of the stretch that this place stands for; null where they are the same. */
  band: [number, number] | null;
}

export interface SawToothShape {
  rows: SawToothRow[];
  /** Stretches in which the window was not known, to be hatched. */
  unknown: { from: number; to: number /** Before there was any figure. */; before: boolean }[];
  /** The highest of all known places; null: none is known. */
  top: number | null;
}

/** Places this many times further apart than is usual have an unknown stretch between them. */
const gapTimes = 3;

function usualStep(times: readonly number[]): number {
  const steps = times.slice(1).map((at, i) => at - (times[i] ?? at));
  return steps.sort((a, b) => a - b)[Math.floor(steps.length / 2)] ?? Number.POSITIVE_INFINITY;
}

/** The saw-tooth as it is drawn: what is not known breaks the line and is hatched, never drawn as 0. */
export function sawToothShape(view: Pick<ReplayHistoryView, "sawTooth" | "from" | "to">): SawToothShape {
  const points = view.sawTooth.map((p) => ({ ...p, at: Date.parse(p.at) }));
  const [from, to] = [Date.parse(view.from), Date.parse(view.to)];
  const longest = usualStep(points.map((p) => p.at)) * gapTimes;
  const rows: SawToothRow[] = [];
  const unknown: SawToothShape["unknown"] = [];
  let known: number | null = null;
  const close = (at: number) => {
    const start = known ?? from;
    if (at > start) unknown.push({ from: start, to: at, before: known === null });
  };
  for (const { at, least, most } of points) {
    if (most === null) {
      rows.push({ at, most: null, band: null });
      continue;
    }
    const broken = rows.at(-1)?.most === null || known === null;
    if (broken || at - (known ?? at) > longest) close(at);
    if (!broken && at - (known ?? at) > longest) rows.push({ at: at - 1, most: null, band: null });
    rows.push({ at, most, band: least !== null && least < most ? [least, most] : null });
    known = at;
  }
  if (known === null || rows.at(-1)?.most === null || to - known > longest) close(to);
  const tops = rows.flatMap((r) => (r.most === null ? [] : [r.most]));
  return { rows, unknown, top: tops.length === 0 ? null : tops.reduce((a, b) => Math.max(a, b), 0) };
}

/** Less than this part of the range recorded, and only the time since the record began is drawn; 10 minutes at least. */
const leastPart = 0.25;
const leastMs = 10 * 60_000;

/** The part of the range that is worth drawing: a record of a minute would be a hair at the end of an hour. */
export function inSight(view: ReplayHistoryView): ReplayHistoryView {
  const [from, to, since] = [Date.parse(view.from), Date.parse(view.to), Date.parse(view.since ?? view.from)];
  const recorded = to - since;
  if (recorded >= (to - from) * leastPart) return view;
  const begin = new Date(Math.max(from, to - Math.max(leastMs, recorded * 1.25))).toISOString();
  const later = ({ at }: { at: string }) => at >= begin;
  return {
    ...view,
    from: begin,
    sawTooth: view.sawTooth.filter(later),
    commits: view.commits.filter((at) => at >= begin),
    restarts: view.restarts.filter(later),
  };
}

/** Ticks of an axis of counts: from 0 in three or four even steps to the first that is not below `top`. */
export function countTicks(top: number): number[] {
  const least = Math.max(1, top);
  const power = 10 ** Math.floor(Math.log10(least / 3));
  const step = [1, 2, 2.5, 5, 10].map((s) => s * power).find((s) => s * 4 >= least) ?? power * 10;
  const whole = Math.max(1, Math.ceil(step));
  return Array.from({ length: Math.ceil(least / whole) + 1 }, (_, i) => i * whole);
}

const scales: readonly [from: number, unit: number, name: string][] = [
  [1_000_000, 1e6, "M"],
  [10_000, 1e3, "k"],
];

/** A count on an axis: `9,000`, `25k`, `1.25M`. */
export function axisCount(value: number): string {
  const scale = scales.find(([from]) => value >= from);
  if (!scale) return value.toLocaleString("en-GB");
  return `${(value / scale[1]).toLocaleString("en-GB", { maximumFractionDigits: 2 })}${scale[2]}`;
}

const minute = 60_000;
const hour = 60 * minute;
const steps = [5, 10, 15, 20, 30, 60, 120, 180, 240, 360, 720, 1_440, 2_880, 10_080, 20_160, 40_320].map(
  (m) => m * minute,
);

/**
 * Round times from `from` to `to`, about `most` of them.
 * @param zoneMs what the reader's zone is ahead of UTC, so that a day begins at its own midnight
 */
export function timeTicks(from: number, to: number, most: number, zoneMs: number): number[] {
  const step = steps.find((s) => (to - from) / s <= most) ?? 24 * hour;
  const ticks: number[] = [];
  const first = Math.ceil((from + zoneMs) / step) * step - zoneMs;
  for (let at = first; at <= to; at += step) ticks.push(at);
  return ticks;
}
