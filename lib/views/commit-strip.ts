import type { CommitLine } from "./commit-lines";

/** A commit on the strip. */
export interface StripTick {
  /** From 0 to 100, the strip's width. */
  x: number;
  line: CommitLine;
}

/** A long time without a commit, drawn shorter than it was. */
export interface StripGap {
  from: number;
  to: number;
  ms: number;
  /** From the newest commit until now, not between two. */
  open: boolean;
}

export interface Strip {
  ticks: StripTick[];
  gaps: StripGap[];
}

/** A gap is this many times the usual interval at least … */
const gapTimes = 8;
/** … and this part of all the time shown. */
const gapPart = 0.2;
/** The part of the strip that a gap gets, and all gaps together at most. */
const gapWidth = 14;
const gapsWidth = 56;

/**
 * Commits on a line from the oldest to `until`, true to time but for long gaps, which would press all the others
 * together: these are drawn short. `lines`: oldest first.
 */
export function commitStrip(lines: readonly CommitLine[], until: number): Strip {
  const times = lines.map((l) => Date.parse(l.at));
  const ends = [...times, Math.max(until, times.at(-1) ?? until)];
  const lengths = ends.slice(1).map((end, i) => Math.max(0, end - (ends[i] ?? end)));
  const long = longOnes(lengths);
  const share = long.length === 0 ? 0 : Math.min(gapWidth, gapsWidth / long.length);
  const isLong = new Set(long);
  const rest = lengths.reduce((sum, ms, i) => (isLong.has(i) ? sum : sum + ms), 0);
  const perMs = rest === 0 ? 0 : (100 - share * long.length) / rest;
  const gaps: StripGap[] = [];
  let x = rest === 0 && long.length === 0 ? 50 : 0;
  const ticks = lines.map((line, i) => {
    const tick = { x: rounded(x), line };
    const ms = lengths[i] ?? 0;
    const next = x + (isLong.has(i) ? share : ms * perMs);
    if (isLong.has(i)) gaps.push({ from: tick.x, to: rounded(next), ms, open: i === lines.length - 1 });
    x = next;
    return tick;
  });
  return { ticks, gaps };
}

/** Places of the intervals that are drawn short. With few commits none is: there is nothing to press together. */
function longOnes(lengths: readonly number[]): number[] {
  if (lengths.length < 4) return [];
  const usual = [...lengths].sort((a, b) => a - b)[Math.floor(lengths.length / 2)] ?? 0;
  const all = lengths.reduce((sum, ms) => sum + ms, 0);
  const places = lengths.map((_, i) => i);
  return places.filter((i) => (lengths[i] ?? 0) > Math.max(usual * gapTimes, all * gapPart));
}

function rounded(x: number): number {
  return Math.round(x * 100) / 100;
}

/** Ticks that are named on the strip, as far as their names have room (in percent of its width). Newest first. */
export function withRoom(ticks: readonly StripTick[], room: number): StripTick[] {
  const named: StripTick[] = [];
  for (const tick of [...ticks].reverse())
    if (!named.some((n) => Math.abs(n.x - tick.x) < room)) named.push(tick);
  return named;
}
