import type { BrokerVersions } from "./connection";

/** An answer that is not of the form its request asks for: it ends early, or a length in it is impossible. */
export class WireError extends Error {
  override name = "WireError";
}

/** The brokers are older than Kafka 0.11. */
export class TooOldError extends Error {
  override name = "TooOldError";
}

/** The brokers know the request only in versions that are newer than ours. */
export class TooNewError extends Error {
  override name = "TooNewError";
}

/** A request of the Kafka protocol, as `clients/src/main/resources/common/message` of Kafka describes it. */
export interface WireRequest<T> {
  apiKey: number;
  apiName: string;
  version: number;
  /** KIP-482: compact lengths, and tagged fields after each structure. */
  flexible: boolean;
  write(to: WireWriter): void;
  read(from: WireReader): T;
}

/**
 * The newest version that both sides know.
 * @throws TooOldError, TooNewError
 */
export function pickVersion(
  versions: BrokerVersions,
  apiKey: number,
  oldest: number,
  newest: number,
): number {
  const theirs = versions[apiKey] ?? { minVersion: 0, maxVersion: -1 };
  const version = Math.min(theirs.maxVersion, newest);
  if (version < oldest) throw new TooOldError(`request ${apiKey} in version ${oldest} is not supported`);
  if (version < theirs.minVersion)
    throw new TooNewError(`request ${apiKey} is not supported before version ${theirs.minVersion}`);
  return version;
}

/**
 * A call for kafkajs's connection. kafkajs writes and reads the plain headers only; those of a flexible version differ by
 * one byte, an empty list of tagged fields, which is sent and read here.
 */
export function wireCall<T>(of: WireRequest<T>): KafkaWireCall {
  return {
    request: {
      apiKey: of.apiKey,
      apiVersion: of.version,
      apiName: of.apiName,
      encode: async () => {
        const writer = new WireWriter(of.flexible);
        writer.tags();
        of.write(writer);
        const body = writer.bytes();
        // What kafkajs needs to see of an encoder.
        return { buf: body, buffer: body };
      },
    },
    response: {
      decode: async (data) => {
        const reader = new WireReader(Buffer.from(data.buffer, data.byteOffset, data.byteLength), of);
        reader.tags();
        return of.read(reader);
      },
      parse: async (decoded) => decoded,
    },
  };
}

/** Writes the body of a request, in the plain or the flexible form. */
export class WireWriter {
  private buffer = Buffer.allocUnsafe(256);
  private length = 0;

  constructor(private readonly flexible: boolean) {}

  bytes(): Buffer {
    return this.buffer.subarray(0, this.length);
  }

  int8(value: number): this {
    const at = this.room(1);
    this.buffer.writeInt8(value, at);
    return this;
  }

  int16(value: number): this {
    const at = this.room(2);
    this.buffer.writeInt16BE(value, at);
    return this;
  }

  int32(value: number): this {
    const at = this.room(4);
    this.buffer.writeInt32BE(value, at);
    return this;
  }

  int64(value: bigint | number): this {
    const at = this.room(8);
    this.buffer.writeBigInt64BE(BigInt(value), at);
    return this;
  }

  boolean(value: boolean): this {
    return this.int8(value ? 1 : 0);
  }

  string(value: string | null): this {
    const bytes = Buffer.byteLength(value ?? "");
    if (this.flexible) this.unsigned(value === null ? 0 : bytes + 1);
    else this.int16(value === null ? -1 : bytes);
    const at = this.room(bytes);
    if (value) this.buffer.write(value, at);
    return this;
  }

  /** 32 hexadecimal digits. */
  uuid(hex: string): this {
    const at = this.room(16);
    this.buffer.write(hex, at, "hex");
    return this;
  }

  array<T>(items: readonly T[] | null, each: (item: T) => void): this {
    if (this.flexible) this.unsigned(items === null ? 0 : items.length + 1);
    else this.int32(items === null ? -1 : items.length);
    for (const item of items ?? []) each(item);
    return this;
  }

  /** No tagged fields, where the version has a place for them. */
  tags(): this {
    return this.flexible ? this.unsigned(0) : this;
  }

  private unsigned(value: number): this {
    const more = value > 0x7f;
    const at = this.room(1);
    this.buffer.writeUInt8((value & 0x7f) | (more ? 0x80 : 0), at);
    return more ? this.unsigned(value >>> 7) : this;
  }

  /** Where so many bytes go. Before `this.buffer` is used: it may be another one afterwards. */
  private room(bytes: number): number {
    const at = this.length;
    this.length += bytes;
    if (this.length > this.buffer.length) {
      const larger = Buffer.allocUnsafe(this.length * 2);
      this.buffer.copy(larger);
      this.buffer = larger;
    }
    return at;
  }
}

/** Reads the body of an answer. Every read is within the answer, or throws. @throws WireError */
export class WireReader {
  private at = 0;

  constructor(
    private readonly data: Buffer,
    private readonly of: { apiName: string; flexible: boolean },
  ) {}

  int8(): number {
    return this.data.readInt8(this.step(1));
  }

  int16(): number {
    return this.data.readInt16BE(this.step(2));
  }

  int32(): number {
    return this.data.readInt32BE(this.step(4));
  }

  int64(): bigint {
    return this.data.readBigInt64BE(this.step(8));
  }

  /** A 64-bit number that must be a whole number below 2^53: offsets, and -1 for none. */
  offset(): number {
    const value = Number(this.int64());
    if (!Number.isSafeInteger(value)) throw this.fault(`it holds the offset ${value}`);
    return value;
  }

  boolean(): boolean {
    return this.int8() !== 0;
  }

  string(): string | null {
    const length = this.of.flexible ? this.unsigned() - 1 : this.int16();
    if (length < 0) return null;
    const from = this.step(length);
    return this.data.toString("utf8", from, from + length);
  }

  /** As 32 hexadecimal digits. */
  uuid(): string {
    const from = this.step(16);
    return this.data.toString("hex", from, from + 16);
  }

  /** A view, not a copy; empty when it is null. */
  view(): Buffer {
    const length = this.of.flexible ? this.unsigned() - 1 : this.int32();
    if (length <= 0) return this.data.subarray(this.at, this.at);
    const from = this.step(length);
    return this.data.subarray(from, from + length);
  }

  /** Empty when it is null. */
  array<T>(item: () => T): T[] {
    const length = this.of.flexible ? this.unsigned() - 1 : this.int32();
    // Each item has a byte at least: no length makes us reserve more than the answer has.
    if (length > this.data.length - this.at) throw this.fault(`it claims to list ${length} items`);
    const items: T[] = [];
    for (let i = 0; i < length; i++) items.push(item());
    return items;
  }

  /** Passes over tagged fields, where the version has them. */
  tags(): void {
    if (!this.of.flexible) return;
    for (let left = this.unsigned(); left > 0; left--) {
      this.unsigned();
      this.step(this.unsigned());
    }
  }

  private unsigned(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.data.readUInt8(this.step(1));
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw this.fault("it holds an impossible length");
  }

  private step(bytes: number): number {
    const from = this.at;
    if (bytes > this.data.length - from) throw this.fault("it ends early");
    this.at += bytes;
    return from;
  }

  private fault(what: string): WireError {
    return new WireError(`the answer to ${this.of.apiName} cannot be read: ${what}`);
  }
}
