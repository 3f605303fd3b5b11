/** The next record that matters at or after `from` and before `to`; null: there is none. */
export type Probe<R> = (from: number, to: number) => Promise<R | null>;

/** About where the run of a record began: an offset, or null where nothing tells. */
export type Guess<R> = (record: R) => Promise<number | null>;

const noGuess = async () => null;

/**
 * Where to look next from `bottom` to before `top` for where something begins: at a guess first, then in growing steps away
 * from it towards the side that is left, and halfway where that is nearer.
 */
function placeBetween(bottom: number, top: number, guess: number | null): number {
  const middle = bottom + Math.floor((top - bottom) / 2);
  if (guess === null) return middle;
  if (guess < bottom) return Math.min(middle, bottom + 8 * (bottom - guess));
  if (guess >= top) return Math.max(middle, top - 1 - 8 * (guess - top));
  return guess;
}

/**
 * Finds where the run changes between two records, reading little: run ids rise along a partition, so where both ends of
 * a range have the same, all of it has. The first record of each further run, in order; what lies between two records of
 * one run is not looked at.
 * @param low a record, `high` the first that matters at or after `limit`
 * @param guess tells the sooner where each of them begins; it may be wrong
 */
export async function runSteps<R extends { offset: number; runId: string | null }>(
  low: R,
  high: R,
  probe: Probe<R>,
  limit = high.offset,
  guess: Guess<R> = noGuess,
): Promise<R[]> {
  let top = limit;
  while (low.runId !== high.runId && top > low.offset + 1) {
    const place = placeBetween(low.offset + 1, top, await guess(high));
    const there = await probe(place, top);
    if (there === null) top = place;
    else {
      const before = await runSteps(low, there, probe, place, guess);
      return [...before, ...(await runSteps(there, high, probe, top, guess))];
    }
  }
  return low.runId === high.runId ? [] : [high];
}

/**
 * The first record between two for which `holds`, which is false of `low`, true of `high`, and of all that lies between
 * false up to some record and true from it on.
 */
export async function firstWhere<R extends { offset: number }>(
  low: R,
  high: R,
  probe: Probe<R>,
  holds: (record: R) => boolean,
): Promise<R> {
  let [bottom, top, found] = [low.offset + 1, high.offset, high];
  while (bottom < top) {
    const middle = bottom + Math.floor((top - bottom) / 2);
    const there = await probe(middle, top);
    if (there !== null && !holds(there)) bottom = there.offset + 1;
    else {
      top = middle;
      found = there ?? found;
    }
  }
  return found;
}

/**
 * The same from the end: `high` is true, and how far back that goes is small beside the range. Looks back in doubling
 * steps first. Null where nothing before `high` down to `bottom` is false: then the first is found from `bottom` itself.
 */
export async function firstWhereBack<R extends { offset: number }>(
  bottom: number,
  high: R,
  probe: Probe<R>,
  holds: (record: R) => boolean,
): Promise<R> {
  let known = high;
  for (let step = 64; ; step *= 4) {
    const from = Math.max(bottom, high.offset - step);
    const there = await probe(from, known.offset);
    if (there !== null && !holds(there)) return firstWhere(there, known, probe, holds);
    known = there ?? known;
    if (from === bottom) return known;
  }
}
