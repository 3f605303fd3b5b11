import type { GtidNumber } from "./gtid-copies";
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
  /** Changes of which it is not certain whether they are copies. */
  unsure: number;
}

/**
 * How often each identity came, for a share of all identities: those whose hash begins with enough zeros. Every copy of a
 * change is in it or none is. When more than `limit` are in it, the share is halved and those that are no
 * longer drawn are let go; those that stay were counted since the first record. So what it holds depends only on what was
 * added, not on the order, and samples of parts can be put together at the smaller share.
 */
export class IdentitySample {
  level = 0;
  readonly #copies = new HashTable();
  /** Places of changes that are counted under another hash. */
  readonly #places = new HashTable();
  /** Changes of which it is not certain whether they are copies. */
  readonly #unsure = new HashTable();

  /** @param limit most identities, 1 at least */
  constructor(readonly limit: number) {}

  isDrawn(high: number): boolean {
    return isDrawn(high, this.level);
  }

  /** Whether it had come before: not, where it is not drawn. */
  add(high: number, low: number): boolean {
    if (!isDrawn(high, this.level)) return false;
    if (this.#copies.increment(high, low) > 1) return true;
    this.#bound();
    return false;
  }

  /**
   * A change that has a place and a number, of which each can tell that it came before. Both begin with the same bits, as do
   * all of its row, kind and transaction, whose first one is `first`: they are drawn together.
   * @param number low half of the hash of its number, of which GtidCopies tells how far it holds. Nothing where it is not drawn
   */
  addNumbered(
    high: number,
    { place, number, first }: { place: number; number: number; first: number },
    { isLow, isDoubtful }: Pick<GtidNumber, "isLow" | "isDoubtful">,
  ): void {
    if (!isDrawn(high, this.level)) return;
    const known = this.knows(high, place);
    const numbered = this.#copies.get(high, number) > 0;
    // The first of them came before any other.
    this.#copies.increment(high, numbered || !known ? number : first);
    if (known) return;
    this.#places.set(high, place, 1);
    if (numbered ? isLow : isDoubtful) this.#unsure.increment(high, place);
    this.#bound();
  }

  /** Whether it came, or what stands at this place did; not, where it is not drawn. */
  knows(high: number, low: number): boolean {
    return this.#copies.get(high, low) > 0 || this.#places.get(high, low) > 0;
  }

  forEach(look: (high: number, low: number, copies: number) => void): void {
    this.#copies.forEach(look);
  }

  /** At a level not below its own. */
  counts(level: number): IdentityCounts {
    const found = { identities: 0, repeated: 0, records: 0, extra: 0, extraSquares: 0, unsure: 0 };
    this.#copies.forEach((high, _low, copies) => {
      if (!isDrawn(high, level)) return;
      found.identities++;
      found.records += copies;
      if (copies === 1) return;
      found.repeated++;
      found.extra += copies - 1;
      found.extraSquares += (copies - 1) ** 2;
    });
    this.#unsure.forEach((high, _low, times) => {
      if (isDrawn(high, level)) found.unsure += times;
    });
    return found;
  }

  get #tables(): readonly HashTable[] {
    return [this.#copies, this.#places, this.#unsure];
  }

  #bound(): void {
    while (this.#copies.size + this.#places.size > this.limit && this.level < 32) {
      this.level++;
      for (const table of this.#tables)
        table.keep((high, _low, value) => (isDrawn(high, this.level) ? value : 0));
    }
  }

  write(to: StateWriter): void {
    to.whole(this.level);
    for (const table of this.#tables) {
      to.whole(table.size);
      table.forEach((high, low, value) => {
        to.word(high);
        to.word(low);
        to.whole(value);
      });
    }
  }

  /** Takes what was written in place of what it has. A smaller limit than it was written with halves the share. */
  read(from: StateReader): void {
    this.level = from.whole();
    for (const table of this.#tables)
      for (let left = from.whole(); left > 0; left--) table.set(from.word(), from.word(), from.whole());
    this.#bound();
  }
}
