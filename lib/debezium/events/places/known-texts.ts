import { standsAt } from "../json-bytes";

/** Texts that come again and again, such as the name of a binlog: told by their bytes, made only once. */
export class KnownTexts<T> {
  readonly #known: { bytes: Buffer; value: T }[] = [];

  constructor(
    readonly most: number,
    readonly make: (text: string) => T,
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
    const value = this.make(bytes.toString("utf8", from, to));
    known.unshift({ bytes: Buffer.from(bytes.subarray(from, to)), value });
    if (known.length > this.most) known.pop();
    return value;
  }
}
