const smallest = 256;

/**
 * Numbers by 64-bit hashes, in typed arrays: open addressing, at most half full. A value is never 0, which marks a free
 * place. It grows by doubling; nothing is taken out but by {@link keep}.
 */
export class HashTable {
  size = 0;
  #high: Uint32Array;
  #low: Uint32Array;
  #values: Uint32Array;

  constructor(places = smallest) {
    this.#high = new Uint32Array(places);
    this.#low = new Uint32Array(places);
    this.#values = new Uint32Array(places);
  }

  /** The value of a hash; 0 when it is not there. */
  get(high: number, low: number): number {
    return this.#values[this.#placeOf(high, low)] as number;
  }

  /** Sets the value of a hash, not 0. */
  set(high: number, low: number, value: number): void {
    let place = this.#placeOf(high, low);
    if (this.#values[place] === 0) {
      if (2 * (this.size + 1) > this.#values.length) {
        this.#rebuild(this.#values.length * 2, null);
        place = this.#placeOf(high, low);
      }
      this.#high[place] = high;
      this.#low[place] = low;
      this.size++;
    }
    this.#values[place] = value;
  }

  /** Adds one, up to the largest number that fits, and returns what it is then. */
  increment(high: number, low: number): number {
    const place = this.#placeOf(high, low);
    const before = this.#values[place] as number;
    if (before === 0) {
      this.set(high, low, 1);
      return 1;
    }
    if (before < 0xffff_ffff) this.#values[place] = before + 1;
    return before + 1;
  }

  /** In no order that means anything. */
  forEach(look: (high: number, low: number, value: number) => void): void {
    for (let place = 0; place < this.#values.length; place++) {
      const value = this.#values[place] as number;
      if (value !== 0) look(this.#high[place] as number, this.#low[place] as number, value);
    }
  }

  /** Takes out what `wanted` makes 0, and gives the rest the value that it returns. */
  keep(wanted: (high: number, low: number, value: number) => number): void {
    this.#rebuild(this.#values.length, wanted);
  }

  #rebuild(places: number, wanted: ((high: number, low: number, value: number) => number) | null): void {
    const [high, low, values] = [this.#high, this.#low, this.#values];
    this.#high = new Uint32Array(places);
    this.#low = new Uint32Array(places);
    this.#values = new Uint32Array(places);
    this.size = 0;
    for (let old = 0; old < values.length; old++) {
      let value = values[old] as number;
      if (value === 0) continue;
      if (wanted) value = wanted(high[old] as number, low[old] as number, value);
      if (value === 0) continue;
      const place = this.#placeOf(high[old] as number, low[old] as number);
      this.#high[place] = high[old] as number;
      this.#low[place] = low[old] as number;
      this.#values[place] = value;
      this.size++;
    }
  }

  /** Where the hash is, or the free place where it would be. */
  #placeOf(high: number, low: number): number {
    const mask = this.#values.length - 1;
    // By the low half: a sample is drawn by the high one, whose first bits are the same in all of it.
    let place = low & mask;
    while (this.#values[place] !== 0 && (this.#low[place] !== low || this.#high[place] !== high))
      place = (place + 1) & mask;
    return place;
  }
}
