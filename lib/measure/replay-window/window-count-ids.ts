/** Identities are kept as hashes of 53 bits: of a million, two collide once in eighteen thousand times. */
export type Added = "new" | "known" | "full";

const smallest = 1_024;

/** A set of identities whose memory is bounded: 16 bytes for each at most, and no object. */
export class IdSet {
  size = 0;
  #slots = new Float64Array(smallest);

  /** @param most how many it takes; further ones are `full` unless they are known. */
  constructor(readonly most: number) {}

  add(hash: number): Added {
    const value = hash === 0 ? 1 : hash;
    const at = this.#find(value);
    if (this.#slots[at] === value) return "known";
    if (this.size >= this.most) return "full";
    this.#slots[at] = value;
    this.size += 1;
    if (this.size * 2 > this.#slots.length) this.#grow();
    return "new";
  }

  /** The slot of a value, or the free one where it belongs. */
  #find(value: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let at = value % slots.length;
    while (slots[at] !== 0 && slots[at] !== value) at = (at + 1) & mask;
    return at;
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Float64Array(old.length * 2);
    for (const value of old) if (value !== 0) this.#slots[this.#find(value)] = value;
  }
}

/** A hash of 53 bits of a text (two rounds of 32-bit multiplications, as in MurmurHash3), from 0 to 2^53 - 1. */
export function hashOf(text: string): number {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x9e3779b1);
    b = Math.imul(b ^ unit, 0x5f356495);
  }
  a = Math.imul(a ^ (a >>> 16), 0x85ebca6b) ^ Math.imul(b ^ (b >>> 13), 0xc2b2ae35);
  b = Math.imul(b ^ (b >>> 16), 0x85ebca6b) ^ Math.imul(a ^ (a >>> 13), 0xc2b2ae35);
  return (b >>> 0) * 0x200000 + (a >>> 11);
}
