/** The first copy of a change. */
export interface FirstCopy {
  partition: number;
  offset: number;
}

const smallest = 1_024;
/** Slots in use for each 256: fuller tables are slow to search. */
const fullest = 176;

/**
 * Identities that were delivered, each with the place of its first copy. They are kept as hashes of 64 bits (of ten
 * million, two collide once in 350,000 times) in 20 bytes each, 29 to 57 with the free slots; no text and no object.
 */
export class SeenIdentities {
  size = 0;
  #high = new Uint32Array(smallest);
  #low = new Uint32Array(smallest);
  /** Offset of the first copy, -1 for a free slot. */
  #offsets = new Float64Array(smallest).fill(-1);
  #partitions = new Int32Array(smallest);
  #hashHigh = 0;
  #hashLow = 0;

  /** @param limit how many identities are kept at most */
  constructor(readonly limit: number) {}

  /** Whether it takes no further ones. */
  get full(): boolean {
    return this.size >= this.limit;
  }

  /** The first copy of an identity; null when none was added. */
  find(identity: string): FirstCopy | null {
    this.#hash(identity);
    const at = this.#slot();
    const offset = this.#offsets[at] as number;
    return offset < 0 ? null : { offset, partition: this.#partitions[at] as number };
  }

  /** Keeps the first copy of an identity, in whatever order they come. False when there is no room for it. */
  add(identity: string, { partition, offset }: FirstCopy): boolean {
    this.#hash(identity);
    const at = this.#slot();
    const known = this.#offsets[at] as number;
    if (known >= 0) {
      if (this.#partitions[at] === partition && offset < known) this.#offsets[at] = offset;
      return true;
    }
    if (this.full) return false;
    this.#put(at, this.#hashHigh, this.#hashLow, offset, partition);
    this.size += 1;
    if (this.size * 256 > this.#offsets.length * fullest) this.#grow();
    return true;
  }

  /** How many of these identities the other has not. */
  without(other: SeenIdentities): number {
    let missing = 0;
    for (let i = 0; i < this.#offsets.length; i++) {
      if ((this.#offsets[i] as number) < 0) continue;
      other.#hashHigh = this.#high[i] as number;
      other.#hashLow = this.#low[i] as number;
      if ((other.#offsets[other.#slot()] as number) < 0) missing += 1;
    }
    return missing;
  }

  /** Two lanes of 32 bits that feed each other (multiplications as in MurmurHash3). */
  #hash(text: string): void {
    let a = 0xdeadbeef;
    let b = 0x41c6ce57;
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      a = Math.imul(a ^ unit, 0x9e3779b1);
      b = Math.imul(b ^ unit ^ (a >>> 15), 0x5f356495);
    }
    a = Math.imul(a ^ (a >>> 16), 0x85ebca6b) ^ Math.imul(b ^ (b >>> 13), 0xc2b2ae35);
    b = Math.imul(b ^ (b >>> 16), 0x85ebca6b) ^ Math.imul(a ^ (a >>> 13), 0xc2b2ae35);
    this.#hashHigh = a >>> 0;
    this.#hashLow = b >>> 0;
  }

  /** The slot of the hash at hand, or the free one where it belongs. */
  #slot(): number {
    const mask = this.#offsets.length - 1;
    let at = this.#hashLow & mask;
    while (
      (this.#offsets[at] as number) >= 0 &&
      (this.#low[at] !== this.#hashLow || this.#high[at] !== this.#hashHigh)
    )
      at = (at + 1) & mask;
    return at;
  }

  #put(at: number, high: number, low: number, offset: number, partition: number): void {
    this.#high[at] = high;
    this.#low[at] = low;
    this.#offsets[at] = offset;
    this.#partitions[at] = partition;
  }

  #grow(): void {
    const [high, low, offsets, partitions] = [this.#high, this.#low, this.#offsets, this.#partitions];
    const length = offsets.length * 2;
    this.#high = new Uint32Array(length);
    this.#low = new Uint32Array(length);
    this.#offsets = new Float64Array(length).fill(-1);
    this.#partitions = new Int32Array(length);
    for (let i = 0; i < offsets.length; i++) {
      if ((offsets[i] as number) < 0) continue;
      this.#hashHigh = high[i] as number;
      this.#hashLow = low[i] as number;
      this.#put(this.#slot(), this.#hashHigh, this.#hashLow, offsets[i] as number, partitions[i] as number);
    }
  }
}
