import type { RecordBatch } from "../record-batch";

interface SlowRecord {
  offset: bigint;
  timestamp: bigint;
  key: string | null;
  value: string | null;
  headers: [string, string | null][];
}

/**
 * The records of a batch by another way than ours: a generator of bytes and BigInt, and null for whatever contradicts
 * itself. Bytes are told as Latin-1 text.
 */
export function readSlowly(batch: RecordBatch, body: Uint8Array): SlowRecord[] | null {
  try {
    const input = new Input(body);
    const records: SlowRecord[] = [];
    let before = -1n;
    for (let i = 0; i < batch.count; i++) {
      const record = new Input(input.take(input.int()));
      record.take(1n);
      const time = record.zigzag(10);
      const delta = record.int();
      if (delta <= before || delta > BigInt(batch.lastOffset - batch.baseOffset)) return null;
      before = delta;
      const key = record.nullable();
      const value = record.nullable();
      const headers: [string, string | null][] = [];
      const count = record.int();
      if (count < 0n || count > BigInt(record.left)) return null;
      for (let h = 0n; h < count; h++) {
        const name = record.nullable();
        if (name === null) return null;
        headers.push([name, record.nullable()]);
      }
      if (record.left > 0) return null;
      const base = BigInt(batch.baseTimestamp);
      const timestamp = batch.timestamps === "append" ? BigInt(batch.maxTimestamp) : base + time;
      records.push({ offset: BigInt(batch.baseOffset) + delta, timestamp, key, value, headers });
    }
    return input.left > 0 ? null : records;
  } catch (error) {
    if (error instanceof Contradiction) return null;
    throw error;
  }
}

class Contradiction extends Error {}

class Input {
  private at = 0;
  constructor(private readonly bytes: Uint8Array) {}

  get left(): number {
    return this.bytes.length - this.at;
  }

  take(count: bigint): Uint8Array {
    if (count < 0n || count > BigInt(this.left)) throw new Contradiction();
    this.at += Number(count);
    return this.bytes.slice(this.at - Number(count), this.at);
  }

  int(): bigint {
    const value = this.zigzag(5);
    if (BigInt.asIntN(32, value) !== value) throw new Contradiction();
    return value;
  }

  zigzag(longest: number): bigint {
    let raw = 0n;
    for (let i = 0; i < longest; i++) {
      const byte = BigInt(this.take(1n)[0] ?? 0);
      raw += (byte % 128n) * 128n ** BigInt(i);
      if (byte < 128n) {
        if (raw >= 2n ** 64n) throw new Contradiction();
        return raw % 2n === 0n ? raw / 2n : -(raw + 1n) / 2n;
      }
    }
    throw new Contradiction();
  }

  nullable(): string | null {
    const length = this.int();
    return length < 0n ? null : Buffer.from(this.take(length)).toString("latin1");
  }
}
