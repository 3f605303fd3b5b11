import type { WindowPoint } from "@/lib/observed/window-series";
import { missedPolls, pollIntervalOf } from "./polls";
import { mostGrowth, type ProducedCurve, producedCurve, type Span } from "./produced-curve";

/**
 * Between two polls the curve is a straight line, and a burst that is shorter than the time between them is smeared over it. To
 * tell how much came within a second, the stretches with bursts are halved and halved again, by asking the brokers for the
 * offsets at times that have passed.
 */

/** Flush intervals for which the time between two polls matters; for longer ones polls every few seconds are dense enough. */
const lengths = [1_000, 2_000, 5_000, 10_000, 15_000, 30_000] as const;
/** So far the most growth may be off, as a part of it. */
const allowed = 0.05;
/** A stretch is not halved further than to this part of the interval: half of it is what the two ends of a window then miss. */
const finest = 0.1;
/** A stretch whose neighbours grow as fast as it does, within this part, is taken to be even. */
const even = 0.25;

/** A stretch from one point of the curve to the next. */
interface Cell extends Span {
  index: number;
  grown: number;
  /** Records a millisecond. */
  rate: number;
}

function cellsOf(curve: ProducedCurve, longestMs: number): Cell[] {
  return curve.at.slice(1).flatMap((to, index) => {
    const from = curve.at[index] ?? to;
    const grown = (curve.count[index + 1] ?? 0) - (curve.count[index] ?? 0);
    // Across a gap nothing is a line.
    return to - from > longestMs ? [] : [{ index, from, to, grown, rate: grown / (to - from) }];
  });
}

function isEven(cells: readonly Cell[], at: number): boolean {
  const own = cells[at];
  const neighbours = [cells[at - 1], cells[at + 1]].filter((n) => n !== undefined);
  if (own === undefined || neighbours.length === 0) return false;
  return neighbours.every((n) => Math.abs(n.rate - own.rate) <= even * own.rate);
}

/** The cell in which a time lies, searched on from `first`. */
function cellAt(cells: readonly Cell[], at: number, first: number): number {
  let i = first;
  while (i + 1 < cells.length && (cells[i]?.to ?? 0) < at) i += 1;
  return i;
}

interface Cut {
  cell: Cell;
  /** By how much the most growth may be larger than the lines say if all of the cell came at its edge, as a part of it. */
  doubt: number;
}

/**
 * The cells that a window of this length cuts with one of its ends, where all of both cells together would make it a worse one
 * than the worst known. Whole cells inside a window are counted right whatever their shape.
 */
function cutsOf(curve: ProducedCurve, cells: readonly Cell[], lengthMs: number, known: number): Cut[] {
  const cuts: Cut[] = [];
  let last = 0;
  for (let first = 0; first < cells.length; first++) {
    const begin = cells[first] as Cell;
    last = cellAt(cells, begin.to + lengthMs, Math.max(first, last));
    const end = cells[last] as Cell;
    // Over a gap between the two nothing can be said.
    if (end.index - begin.index !== last - first) continue;
    const doubt = (curve.count[end.index + 1] ?? 0) / known - (curve.count[begin.index] ?? 0) / known - 1;
    if (doubt <= allowed) continue;
    for (const [at, cell] of [
      [first, begin],
      [last, end],
    ] as const) {
      const coarse = cell.to - cell.from > finest * lengthMs && cell.grown > allowed * known;
      if (coarse && !isEven(cells, at)) cuts.push({ cell, doubt: Math.min(doubt, cell.grown / known) });
    }
  }
  return cuts;
}

/**
 * Stretches between two points that lie next to each other, those first that leave the most doubt about the worst growth over
 * 1 s to 30 s. Each is to be halved: one point (`between: true`) at its middle, asked of the brokers by time. Call it again with
 * the points got, at the next poll or at once; after half a dozen rounds a burst of 0.2 s is found, and nothing is left to ask.
 * A stream that is even from poll to poll is taken to be even between them, and costs nothing.
 *
 * @param points the newest, say of the last ten minutes: the worst among them is what others must exceed
 * @param most so many at once: each of them is one time to ask of every partition
 */
export function whereToRefine(points: readonly WindowPoint[], most = 8): Span[] {
  const curve = producedCurve(points);
  const cells = cellsOf(curve, missedPolls * pollIntervalOf(points));
  const found = new Map<number, Cut>();
  for (const lengthMs of lengths) {
    const known = mostGrowth(curve, lengthMs);
    if (known === null || known <= 0) continue;
    for (const cut of cutsOf(curve, cells, lengthMs, known))
      if (cut.doubt > (found.get(cut.cell.index)?.doubt ?? 0)) found.set(cut.cell.index, cut);
  }
  const byDoubt = [...found.values()].sort((a, b) => b.doubt - a.doubt);
  return byDoubt.slice(0, most).map(({ cell }) => ({ from: cell.from, to: cell.to }));
}
