/** What is known of one partition before any of it is read. */
export interface SearchRange {
  /** First offset at which something that is not covered can lie. */
  from: number;
  /** The end. */
  to: number;
  /** Where the first of it is expected: the place by time, which the true one seldom lies behind. */
  guess: number;
  /** That it lies from `from` on is certain; else the search may go back before it. */
  trusted: boolean;
  /** Positions rise along the partition while one run writes it: false where several source partitions mix in it. */
  rises: boolean;
}

/** What one batch told. */
export interface Probed {
  /** First offset looked at, and the one after the last. */
  first: number;
  next: number;
  /** Whether its first and its last change are covered; null when it holds none that can be told. */
  begins: boolean | null;
  ends: boolean | null;
  /** Run of the task that wrote it; null when it does not tell. */
  run: string | null;
  /** When its first change was sent and the source made its last one, in milliseconds since 1970. */
  at: number;
  made: number | null;
}

/** Where to read from. */
export interface Found {
  /** All before it is covered; where `certain` is false, something that is not may lie there too. */
  start: number;
  /**
   * `one-run`: one run of a task wrote all from there to the end. `distinct`: several did, or it is not told, so that it
   * holds changes and their copies.
   */
  by: "one-run" | "distinct";
  certain: boolean;
  /** Batches that were asked for. */
  probes: number;
}

/** Batches read at most for the search. */
export const mostProbes = 6;
/** Records that are read faster than looked for: about one fetch. */
const nearby = 128;
/** By how much a step back is longer than the one before. */
const growth = 8;

/**
 * Looks for the place of the first record that is not covered, one batch at a time: yields the offset to read a batch at,
 * takes what that told (null: it held nothing that a reader gets). First the last and the first batch, since positions
 * rise only within one run of a task; then back from the guess in growing steps, then by halves. At most
 * {@link mostProbes} batches; what is not found by then is read through.
 */
export function* placeSearch(range: SearchRange): Generator<number, Found, Probed | null> {
  const known = new Known(range);
  let last: Probed | null = null;
  // The last offsets can be markers of transactions.
  for (const back of [1, 2, 2 + nearby]) {
    if (last !== null || range.to - back < range.from) break;
    last = yield known.ask(range.to - back);
  }
  known.first(last, yield known.ask(range.from));
  while (known.goesBack) known.before(yield known.ask(known.back()));
  if (!known.oneRun || !range.rises) return known.found();
  known.within(last);
  while (known.goesOn) known.within(yield known.ask(known.next()));
  return known.found();
}

class Known {
  start: number;
  certain: boolean;
  oneRun = false;
  /** No more is looked for from here on. A guide only: what is read begins at `start`. */
  #high: number;
  /** The batch in which the place lies was met, or `start` is it. */
  #met = false;
  #probes = 0;
  #asked = 0;
  #step = nearby;
  #last: Probed | null = null;
  /** The run of which a covered record was met last: nothing of it lies before. */
  #closed: { run: string | null } | null = null;
  /** The lowest offset looked at. */
  #lowest: number;

  constructor(private readonly range: SearchRange) {
    this.start = range.from;
    this.certain = range.trusted || range.from === 0;
    this.#lowest = range.from;
    this.#high = range.guess > range.from ? Math.min(range.guess, range.to) : range.to;
  }

  ask(offset: number): number {
    this.#probes += 1;
    this.#asked = offset;
    return offset;
  }

  /** Takes the batches at the end and at the start. */
  first(last: Probed | null, first: Probed | null): void {
    this.#last = last;
    // An older record after a newer one: they are not of one run, whatever they say.
    const falls = first?.begins === false && last?.ends === true;
    this.oneRun = last !== null && last.run !== null && first?.run === last.run && !falls;
    if (!this.range.rises) return;
    if (first?.begins === true) this.#closed = { run: first.run };
    this.certain ||= this.#settles(first);
    this.#met = first?.begins === false;
    if (this.oneRun && this.#closed !== null) this.within(first);
  }

  /**
   * Whether all that is not covered lies behind a batch. It begins covered, so that nothing of its run lies before. What
   * earlier runs had sent before it was made before it was sent: if the last change was made later, the newest run is past
   * all that, and has sent again what of it is not covered.
   */
  #settles(probed: Probed | null): boolean {
    const made = this.#last?.made ?? null;
    return probed?.begins === true && made !== null && made > probed.at;
  }

  /** Without run ids a covered record has to do: what lies before it would have to be read whole. */
  get goesBack(): boolean {
    if (!this.range.rises || this.certain || this.#lowest === 0 || this.#probes >= mostProbes) return false;
    return this.#closed === null || this.#last?.run != null;
  }

  back(): number {
    const at = Math.max(0, this.#lowest - this.#step);
    this.#step *= growth;
    return at;
  }

  /** Takes a batch before the start, in search of one that {@link #settles} it. */
  before(probed: Probed | null): void {
    this.#lowest = this.#asked;
    this.certain = this.#asked === 0 || this.#settles(probed);
    if (probed === null || probed.begins === null) {
      if (this.certain && this.#closed === null) this.start = 0;
      return;
    }
    const { run, begins, ends, first, next } = probed;
    // What a run had sent before a covered record is covered.
    if (run !== null && run === this.#closed?.run) return;
    if (run === null || run !== this.#last?.run) this.oneRun = false;
    if (begins) this.#closed = { run };
    this.#high = Math.min(this.#high, this.start);
    this.start = begins && ends ? Math.min(next, this.start) : first;
    this.#met = !ends;
  }

  /** Takes a batch of the one run. */
  within(probed: Probed | null): void {
    if (this.#met) return;
    if (probed === null || probed.begins === null) {
      if (this.#asked > this.start) this.#high = Math.min(this.#high, this.#asked);
      return;
    }
    if (!probed.begins) {
      this.#high = Math.min(this.#high, probed.first);
      return;
    }
    this.start = Math.max(this.start, probed.ends ? probed.next : probed.first);
    this.#met = !probed.ends;
    // The guess was too low.
    if (this.#high <= this.start) this.#high = this.range.to;
  }

  get goesOn(): boolean {
    return !this.#met && this.#probes < mostProbes && this.#high - this.start > nearby;
  }

  next(): number {
    const back = this.#high - this.#step;
    this.#step *= growth;
    return back > this.start ? back : Math.floor((this.start + this.#high) / 2);
  }

  found(): Found {
    const by = this.oneRun ? "one-run" : "distinct";
    return { start: this.start, by, certain: this.certain, probes: this.#probes };
  }
}
