/** A value of a BSON document: texts and bytes are read, the rest is walked over. */
export type BsonValue = { text: string } | { bytes: Uint8Array } | { type: number };

export type BsonReading =
  | { value: BsonValue | null; problem?: undefined }
  | { value?: undefined; problem: string };

class Unreadable extends Error {}

/** Bytes of the types that have a fixed length, by type (bsonspec.org). */
const fixedLengths: Readonly<Record<number, number>> = {
  1: 8, // double
  6: 0, // undefined
  7: 12, // ObjectId
  8: 1, // boolean
  9: 8, // date
  10: 0, // null
  16: 4, // int32
  17: 8, // timestamp
  18: 8, // int64
  19: 16, // decimal128
  127: 0, // maximum key
  255: 0, // minimum key
};

class Document {
  #at = 4;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** The value of one field; null when the document has no such field. */
  field(name: string): BsonValue | null {
    const length = this.#bytes.length;
    if (length < 5 || this.#view.getInt32(0, true) !== length || this.#bytes[length - 1] !== 0)
      throw new Unreadable("its length does not fit");
    while (this.#at < length - 1) {
      const type = this.#view.getUint8(this.#take(1));
      const found = this.#name() === name;
      const value = this.#value(type);
      if (found) return value;
    }
    return null;
  }

  #take(length: number): number {
    const from = this.#at;
    if (length < 0 || length > this.#bytes.length - from) throw new Unreadable("it ends too early");
    this.#at += length;
    return from;
  }

  #slice(length: number): Uint8Array {
    const from = this.#take(length);
    return this.#bytes.slice(from, from + length);
  }

  #name(): string {
    const end = this.#bytes.indexOf(0, this.#at);
    if (end < 0) throw new Unreadable("it ends too early");
    const name = this.#slice(end - this.#at);
    this.#take(1);
    return new TextDecoder().decode(name);
  }

  #length = () => this.#view.getInt32(this.#take(4), true);

  #value(type: number): BsonValue {
    if (type === 2) {
      const text = this.#slice(this.#length());
      return { text: new TextDecoder().decode(text.subarray(0, -1)) };
    }
    if (type === 5) {
      const length = this.#length();
      this.#take(1); // subtype
      return { bytes: this.#slice(length) };
    }
    if (type === 3 || type === 4) this.#take(this.#length() - 4);
    else {
      const length = fixedLengths[type];
      if (length === undefined) throw new Unreadable(`it holds a value of type ${type}`);
      this.#take(length);
    }
    return { type };
  }
}

/** One field of a BSON document, or why the bytes are none ("its length does not fit"). Never throws. */
export function bsonField(bytes: Uint8Array, name: string): BsonReading {
  try {
    return { value: new Document(bytes).field(name) };
  } catch (error) {
    if (error instanceof Unreadable) return { problem: error.message };
    throw error;
  }
}
