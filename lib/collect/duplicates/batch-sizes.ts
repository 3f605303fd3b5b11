/** Read beyond what is expected to do, as a share of it: batches differ, and one read more costs a round trip. */
const BEYOND = 1 / 8;

/** How large the batches of a partition are, by those that were seen. */
export class BatchSizes {
  #offsets = 0;
  #bytes = 0;
  #largest = 0;

  note({ baseOffset, lastOffset, bytes }: { baseOffset: number; lastOffset: number; bytes: number }): void {
    this.#offsets += lastOffset - baseOffset + 1;
    this.#bytes += bytes;
    this.#largest = Math.max(this.#largest, bytes);
  }

  /** Bytes that so many offsets take. */
  bytesOf(offsets: number): number {
    return Math.ceil(offsets * (this.#offsets === 0 ? 1_024 : this.#bytes / this.#offsets));
  }

  /** Bytes to ask for so many offsets: a batch begins before them, and one may be larger than most. */
  toAskFor(offsets: number): number {
    return this.bytesOf(offsets) * (1 + BEYOND) + 2 * this.#largest;
  }
}
