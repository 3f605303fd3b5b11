/** Bytes that are not what their schema says. The message is a sentence without its full stop. */
export class AvroError extends Error {
  override readonly name = "AvroError";
}

/** Values that one record may have. Some take no byte, so that a few could ask for more memory and time than there is. */
const mostValues = 1_000_000;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Walks one value in Avro's binary encoding. What would reach beyond its end, or beyond all bounds, throws. */
export class AvroCursor {
  /** How deep the value being read lies in records, lists and maps. */
  depth = 0;
  #values = 0;
  readonly #view: DataView;

  constructor(
    readonly bytes: Uint8Array,
    /** Where the next byte lies. */
    public at: number,
  ) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** A variable-length zig-zag number of up to 64 bits: a bigint only where a number would not hold it. */
  long(): number | bigint {
    const low = this.#bits28();
    if (this.#last < 0x80) return unzigzag(low);
    const middle = this.#bits28();
    if (this.#last < 0x80 && middle < 2 ** 25) return unzigzag(low + middle * 2 ** 28);
    let high = 0;
    if (this.#last >= 0x80) {
      high = this.#byte() & 0x7f;
      if (this.#last >= 0x80) {
        const tenth = this.#byte();
        if (tenth > 1) throw new AvroError("a whole number is longer than 64 bits");
        high += tenth * 2 ** 7;
      }
    }
    const raw = (BigInt(high) << 56n) | (BigInt(middle) << 28n) | BigInt(low);
    const value = (raw >> 1n) ^ -(raw & 1n);
    return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
  }

  int(): number {
    const value = this.long();
    if (typeof value !== "number" || value < -(2 ** 31) || value >= 2 ** 31)
      throw new AvroError(`a whole number of 32 bits is ${value}`);
    return value;
  }

  /** A number from 0 up to, and not with, `below`. */
  index(below: number, of: string): number {
    const value = this.long();
    if (typeof value !== "number" || value < 0 || value >= below)
      throw new AvroError(`${of} has the number ${value} of ${below}`);
    return value;
  }

  boolean(): boolean {
    const byte = this.#byte();
    if (byte > 1) throw new AvroError(`a boolean is ${byte}`);
    return byte === 1;
  }

  float(): number {
    return this.#view.getFloat32(this.#take(4), true);
  }

  double(): number {
    return this.#view.getFloat64(this.#take(8), true);
  }

  text(): string {
    try {
      return utf8.decode(this.counted());
    } catch (error) {
      if (error instanceof TypeError) throw new AvroError("a text is not UTF-8");
      throw error;
    }
  }

  /** Bytes behind their length. */
  counted(): Uint8Array {
    const length = this.long();
    if (typeof length !== "number" || length < 0) throw new AvroError(`a length is ${length}`);
    return this.fixed(length);
  }

  fixed(length: number): Uint8Array {
    const start = this.#take(length);
    return this.bytes.subarray(start, start + length);
  }

  /** How many items come before the next count; 0: no more. Where the count is negative a size in bytes follows it. */
  block(): number {
    const count = this.long();
    if (typeof count !== "number") throw new AvroError(`a list of ${count} items`);
    if (count >= 0) return this.count(count);
    const size = this.long();
    if (typeof size !== "number" || size < 0 || size > this.left)
      throw new AvroError(`a block of ${size} bytes, where ${this.left} are left`);
    return this.count(-count);
  }

  /** Told how many values come next. */
  count(values: number): number {
    this.#values += values;
    if (this.#values > mostValues)
      throw new AvroError(`it has more than ${mostValues.toLocaleString("en-GB")} values`);
    return values;
  }

  get left(): number {
    return this.bytes.length - this.at;
  }

  #last = 0;

  /** Up to four bytes of seven bits each; `#last` tells whether more follow. */
  #bits28(): number {
    let value = 0;
    for (let shift = 0; shift < 28; shift += 7) {
      value |= (this.#byte() & 0x7f) << shift;
      if (this.#last < 0x80) break;
    }
    return value;
  }

  #byte(): number {
    this.#last = this.bytes[this.#take(1)] ?? 0;
    return this.#last;
  }

  #take(length: number): number {
    if (length > this.left) throw new AvroError(`it ends ${length - this.left} bytes too early`);
    const start = this.at;
    this.at += length;
    return start;
  }
}

function unzigzag(raw: number): number {
  return raw % 2 === 0 ? raw / 2 : -(raw + 1) / 2;
}
