// The broker's side of the wire, written apart from the client's, so that one can tell the other's mistakes.

/** Reads a request; `flexible` where its version has compact lengths and tagged fields. */
export class RequestReader {
  #at = 0;
  flexible = false;
  constructor(readonly bytes: Buffer) {}
  i8(): number {
    return this.bytes.readInt8(this.#step(1));
  }
  i16(): number {
    return this.bytes.readInt16BE(this.#step(2));
  }
  i32(): number {
    return this.bytes.readInt32BE(this.#step(4));
  }
  i64(): bigint {
    return this.bytes.readBigInt64BE(this.#step(8));
  }
  uuid(): string {
    const from = this.#step(16);
    return this.bytes.toString("hex", from, from + 16);
  }
  text(): string {
    const length = this.flexible ? this.#unsigned() - 1 : this.i16();
    if (length < 0) return "";
    const from = this.#step(length);
    return this.bytes.toString("utf8", from, from + length);
  }
  /** Null when the list itself is. */
  list<T>(item: () => T): T[] | null {
    const length = this.flexible ? this.#unsigned() - 1 : this.i32();
    return length < 0 ? null : Array.from({ length }, item);
  }
  tags(): void {
    if (this.flexible && this.i8() !== 0) throw new Error("the fake broker knows no tagged fields");
  }
  /** A request must be used up: anything left is a mistake in its form. */
  end(): void {
    if (this.#at !== this.bytes.length) throw new Error(`${this.bytes.length - this.#at} bytes too many`);
  }
  #unsigned(): number {
    const byte = this.bytes.readUInt8(this.#step(1));
    return byte < 0x80 ? byte : byte - 0x80 + 0x80 * this.#unsigned();
  }
  #step(bytes: number): number {
    const from = this.#at;
    this.#at += bytes;
    return from;
  }
}

export function i8(value: number): Buffer {
  return Buffer.from([value & 0xff]);
}
export function i16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}
export function i32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}
export function i64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(value);
  return bytes;
}

function unsigned(value: number): Buffer {
  return value < 0x80
    ? Buffer.from([value])
    : Buffer.concat([Buffer.from([0x80 + (value % 0x80)]), unsigned(Math.floor(value / 0x80))]);
}

/** What differs between the plain and the flexible form. */
export interface Form {
  text(value: string): Buffer;
  bytes(value: Buffer): Buffer;
  list(items: readonly Buffer[]): Buffer;
  /** In a flexible answer one tagged field that no client knows: it must be passed over. */
  tags(): Buffer;
}

export const plain: Form = {
  text: (value) => Buffer.concat([i16(Buffer.byteLength(value)), Buffer.from(value)]),
  bytes: (value) => Buffer.concat([i32(value.length), value]),
  list: (items) => Buffer.concat([i32(items.length), ...items]),
  tags: () => Buffer.alloc(0),
};

export const flexible: Form = {
  text: (value) => Buffer.concat([unsigned(Buffer.byteLength(value) + 1), Buffer.from(value)]),
  bytes: (value) => Buffer.concat([unsigned(value.length + 1), value]),
  list: (items) => Buffer.concat([unsigned(items.length + 1), ...items]),
  tags: () => Buffer.concat([unsigned(1), unsigned(200), unsigned(3), Buffer.from("new")]),
};
