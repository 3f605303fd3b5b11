/** Writes numbers and texts one after the other, for a state that is kept and read by {@link StateReader}. */
export class StateWriter {
  #bytes = Buffer.alloc(1024);
  #at = 0;

  /** A whole number from 0 to 2^53 - 1, small ones in one byte. */
  whole(value: number): void {
    this.#room(8);
    let left = value;
    for (; left >= 0x80; left = Math.floor(left / 0x80)) this.#bytes[this.#at++] = (left % 0x80) | 0x80;
    this.#bytes[this.#at++] = left;
  }

  /** 32 bits. */
  word(value: number): void {
    this.#room(4);
    this.#at = this.#bytes.writeUInt32LE(value, this.#at);
  }

  text(text: string): void {
    const length = Buffer.byteLength(text);
    this.whole(length);
    this.#room(length);
    this.#at += this.#bytes.write(text, this.#at);
  }

  /** What was written. */
  end(): Buffer {
    return this.#bytes.subarray(0, this.#at);
  }

  #room(wanted: number): void {
    if (this.#at + wanted <= this.#bytes.length) return;
    const larger = Buffer.alloc(Math.max(this.#bytes.length * 2, this.#at + wanted));
    this.#bytes.copy(larger);
    this.#bytes = larger;
  }
}

/** A stored state that cannot be read: of another version, or damaged. What it was of is to be read anew. */
export class StateUnreadable extends Error {
  override readonly name = "StateUnreadable";
}

/** Reads what {@link StateWriter} wrote, in the same order. Each throws StateUnreadable past the end. */
export class StateReader {
  #at = 0;

  constructor(private readonly bytes: Buffer) {}

  whole(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 0x80) {
      const byte = this.bytes[this.#at++];
      if (byte === undefined || scale > 2 ** 49) throw new StateUnreadable("a number is cut off");
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  }

  word(): number {
    if (this.#at + 4 > this.bytes.length) throw new StateUnreadable("a word is cut off");
    const value = this.bytes.readUInt32LE(this.#at);
    this.#at += 4;
    return value;
  }

  text(): string {
    const length = this.whole();
    if (this.#at + length > this.bytes.length) throw new StateUnreadable("a text is cut off");
    this.#at += length;
    return this.bytes.toString("utf8", this.#at - length, this.#at);
  }

  /** @throws StateUnreadable when something is left */
  end(): void {
    if (this.#at !== this.bytes.length) throw new StateUnreadable("something is left over");
  }
}
