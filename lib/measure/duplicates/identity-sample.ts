import { HashTable } from "./hash-table";
import type { StateReader, StateWriter } from "./state-bytes";

/** A hash is drawn at a level when so many of its first bits are 0: each level halves the share. */
export const isDrawn = (high: number, level: number) => Math.clz32(high) >= level;

/** The part of all that a level draws. */
export const shareOf = (level: number) => 2 ** -level;

/** What a sample says of the identities that a level draws. */
export interface IdentityCounts {
  identities: number;
  /** Those that came more than once. */
  repeated: number;
  records: number;
  /** Copies beyond the first, and the sum of their squares. */
  extra: number;
  extraSquares: number;
}

/**
 * How often each identity came, for a share of all identities: those whose hash begins with enough zeros. Every copy of a
 * change is in it or none is. When more than `limit` identities are in it, the share is halved and those that are no
 * longer drawn are let go; those that stay were counted since the first record. So what it holds depends only on what was
 * added, not on the order, and samples of parts can be put together at the smaller share.
 */
export class IdentitySample {
  level = 0;
  readonly #copies = new HashTable();

  /** @param limit most identities, 1 at least */
  constructor(readonly limit: number) {}

  get size(): number {
    return this.#copies.size;
  }

  add(high: number, low: number): void {
    if (Math.clz32(high) < this.level) return;
    if (this.#copies.increment(high, low) > 1) return;
    while (this.#copies.size > this.limit && this.level < 32) this.#halve();
  }

  /** How often an identity came; 0 for one that did not, or is not drawn. */
  copies(high: number, low: number): number {
    return this.#copies.get(high, low);
  }

  forEach(look: (high: number, low: number, copies: number) => void): void {
    this.#copies.forEach(look);
  }

  /** At a level not below its own. */
  counts(level: number): IdentityCounts {
    const found = { identities: 0, repeated: 0, records: 0, extra: 0, extraSquares: 0 };
    this.#copies.forEach((high, _low, copies) => {
      if (!isDrawn(high, level)) return;
      found.identities++;
      found.records += copies;
      if (copies === 1) return;
      found.repeated++;
      found.extra += copies - 1;
      found.extraSquares += (copies - 1) ** 2;
    });
    return found;
  }

  #halve(): void {
    this.level++;
    this.#copies.keep((high, _low, copies) => (isDrawn(high, this.level) ? copies : 0));
  }

  write(to: StateWriter): void {
    to.whole(this.level);
    to.whole(this.#copies.size);
    this.#copies.forEach((high, low, copies) => {
      to.word(high);
      to.word(low);
      to.whole(copies);
    });
  }

  /** Takes what was written in place of what it has. A smaller limit than it was written with halves the share. */
  read(from: StateReader): void {
    this.level = from.whole();
    for (let left = from.whole(); left > 0; left--) this.#copies.set(from.word(), from.word(), from.whole());
    while (this.#copies.size > this.limit && this.level < 32) this.#halve();
  }
}
