import { standsAt } from "./json-bytes";

/** What is made of bytes that come again and again, such as the name of a binlog: made once, for the newest `most`. */
export class KnownBytes<T> {
  readonly #known: { bytes: Buffer; value: T }[] = [];

  constructor(
    readonly most: number,
    readonly make: (bytes: Buffer) => T,
  ) {}

  get(bytes: Buffer, from: number, to: number): T {
    const known = this.#known;
    for (let i = 0; i < known.length; i++) {
      const entry = known[i] as { bytes: Buffer; value: T };
      if (entry.bytes.length !== to - from || !standsAt(bytes, from, entry.bytes)) continue;
      if (i > 0) {
        known.splice(i, 1);
        known.unshift(entry);
      }
      return entry.value;
    }
    const kept = Buffer.from(bytes.subarray(from, to));
    const value = this.make(kept);
    known.unshift({ bytes: kept, value });
    if (known.length > this.most) known.pop();
    return value;
  }
}
