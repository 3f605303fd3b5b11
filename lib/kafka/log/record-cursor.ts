import type { TopicPartition } from "./log-reader";
import type { LogRecord } from "./record";
import type { RecordBatch } from "./record-batch";
import { uncompress } from "./uncompress";
import { damaged } from "./unreadable";

/**
 * Walks the records of a batch without allocating anything for a record: key, value and headers are told by where they
 * begin and end in `bytes`. One cursor serves any number of batches:
 *
 *     cursor.open(batch);
 *     while (cursor.next()) look(cursor.bytes, cursor.valueStart, cursor.valueEnd);
 *
 * Whatever contradicts itself throws and is never read past: lengths beyond the record, a record not used up, offsets
 * that do not rise or are beyond the batch's, bytes after the last record (as DefaultRecord.readFrom, which does not
 * check offsets).
 */
export class RecordCursor {
  /** The uncompressed records of the batch. */
  bytes: Buffer = Buffer.alloc(0);
  offset = -1;
  /** Milliseconds since 1970, -1 for none. */
  timestamp = -1;
  /** -1 when the key is null. */
  keyStart = -1;
  keyEnd = -1;
  /** -1 when the value is null. */
  valueStart = -1;
  valueEnd = -1;
  headerCount = 0;
  /** Set by `findHeader`; -1 when its value is null. */
  headerStart = -1;
  headerEnd = -1;

  private position = 0;
  private left = 0;
  private baseOffset = 0;
  private lastDelta = 0;
  private delta = -1;
  private baseTimestamp = 0;
  private appendTime: number | null = null;
  private headersStart = 0;
  /** The headers made last, and where in `bytes` they lie: most records of a batch bear the same. */
  private known: { start: number; end: number; headers: LogRecord["headers"] } | null = null;

  constructor(private readonly at: TopicPartition) {}

  /** Uncompresses the batch and stands before its first record. @throws LogReadError */
  open(batch: RecordBatch): void {
    this.bytes = uncompress(batch, this.at);
    this.known = null;
    this.position = 0;
    this.left = batch.count;
    this.baseOffset = batch.baseOffset;
    this.offset = batch.baseOffset;
    this.lastDelta = batch.lastOffset - batch.baseOffset;
    this.delta = -1;
    this.baseTimestamp = batch.baseTimestamp;
    this.appendTime = batch.timestamps === "append" ? batch.maxTimestamp : null;
    if (this.left === 0 && this.bytes.length > 0)
      throw this.damage("bytes follow the last record of its batch");
  }

  /** Steps to the next record; false after the last. @throws LogReadError */
  next(): boolean {
    if (this.left === 0) return false;
    this.left--;
    this.offset = this.baseOffset + this.delta + 1; // at least: for what is thrown until it is known
    const length = this.varint();
    const start = this.position;
    const end = start + length;
    if (length < 0 || end > this.bytes.length) throw this.damage("its length is beyond its batch");
    this.position = start + 1; // its attributes: unused in format 2
    const timestampDelta = this.varlong();
    const delta = this.varint();
    if (delta <= this.delta || delta > this.lastDelta) {
      throw this.damage(
        `a record numbered ${delta} follows number ${this.delta} in a batch up to ${this.lastDelta}`,
      );
    }
    this.delta = delta;
    this.offset = this.baseOffset + delta;
    this.timestamp = this.appendTime ?? this.baseTimestamp + timestampDelta;

    const keyLength = this.varint();
    this.keyStart = keyLength < 0 ? -1 : this.position;
    if (keyLength > 0) this.position += keyLength;
    this.keyEnd = keyLength < 0 ? -1 : this.position;
    if (this.position > end) throw this.damage("its key is longer than the record");
    const valueLength = this.varint();
    this.valueStart = valueLength < 0 ? -1 : this.position;
    if (valueLength > 0) this.position += valueLength;
    this.valueEnd = valueLength < 0 ? -1 : this.position;
    if (this.position > end) throw this.damage("its value is longer than the record");

    this.skipHeaders(end);
    if (this.position !== end) throw this.damage("its parts do not fill its length");
    if (this.left === 0 && end !== this.bytes.length) {
      throw this.damage("bytes follow the last record of its batch");
    }
    return true;
  }

  /**
   * Looks for the last header of this name, which is the one that counts (Headers.lastHeader), and sets `headerStart`
   * and `headerEnd`.
   */
  findHeader(name: Uint8Array): boolean {
    const after = this.position;
    this.position = this.headersStart;
    let found = false;
    for (let i = 0; i < this.headerCount; i++) {
      const nameLength = this.varint();
      const nameStart = this.position;
      this.position += nameLength;
      const length = this.varint();
      const valueStart = this.position;
      if (length > 0) this.position += length;
      if (nameLength !== name.length || !this.matches(name, nameStart)) continue;
      found = true;
      this.headerStart = length < 0 ? -1 : valueStart;
      this.headerEnd = length < 0 ? -1 : this.position;
    }
    this.position = after;
    return found;
  }

  /** The record as an object; its buffers are views of `bytes`. Records of a batch that bear the same headers share their list. */
  record(): LogRecord {
    return {
      offset: this.offset,
      timestamp: this.timestamp,
      key: this.keyStart < 0 ? null : this.bytes.subarray(this.keyStart, this.keyEnd),
      value: this.valueStart < 0 ? null : this.bytes.subarray(this.valueStart, this.valueEnd),
      headers: this.headers(),
    };
  }

  private headers(): LogRecord["headers"] {
    const { bytes, known, headersStart: start, position: end } = this;
    if (known !== null && bytes.compare(bytes, known.start, known.end, start, end) === 0)
      return known.headers;
    const headers = this.madeHeaders();
    this.known = { start, end, headers };
    return headers;
  }

  private madeHeaders(): LogRecord["headers"] {
    const after = this.position;
    this.position = this.headersStart;
    const headers: LogRecord["headers"] = [];
    for (let i = 0; i < this.headerCount; i++) {
      const nameLength = this.varint();
      const name = this.bytes.toString("utf8", this.position, this.position + nameLength);
      this.position += nameLength;
      const length = this.varint();
      const value = length < 0 ? null : this.bytes.subarray(this.position, this.position + length);
      if (length > 0) this.position += length;
      headers.push({ name, value });
    }
    this.position = after;
    return headers;
  }

  private skipHeaders(end: number): void {
    const count = this.varint();
    // Each takes two bytes at least, so no count makes this run longer than the record is.
    if (count < 0 || count > Math.max(end - this.position, 0))
      throw this.damage(`it cannot have ${count} headers`);
    this.headerCount = count;
    this.headersStart = this.position;
    for (let i = 0; i < count; i++) {
      const nameLength = this.varint();
      if (nameLength < 0) throw this.damage("a header has no name");
      this.position += nameLength;
      const length = this.varint();
      if (length > 0) this.position += length;
      if (this.position > end) throw this.damage("its headers are longer than the record");
    }
  }

  private matches(name: Uint8Array, start: number): boolean {
    for (let i = 0; i < name.length; i++) if (this.bytes[start + i] !== name[i]) return false;
    return true;
  }

  /** A zig-zag number of 32 bits. What lies past the end reads as 0 and is found out by the position. */
  private varint(): number {
    const { bytes } = this;
    let byte = bytes[this.position++] ?? 0;
    let value = byte & 0x7f;
    for (let shift = 7; byte > 0x7f; shift += 7) {
      byte = bytes[this.position++] ?? 0;
      if (shift === 28 && byte > 0x0f) throw this.damage("a number is longer than 32 bits");
      value |= (byte & 0x7f) << shift;
    }
    return (value >>> 1) ^ -(value & 1);
  }

  /** A zig-zag number of 64 bits, rounded beyond 2^53. */
  private varlong(): number {
    const { bytes } = this;
    const start = this.position;
    let byte = bytes[this.position++] ?? 0;
    let value = byte & 0x7f;
    for (let scale = 0x80; byte > 0x7f; scale *= 0x80) {
      if (this.position - start === 7) return this.longVarlong(start);
      byte = bytes[this.position++] ?? 0;
      value += (byte & 0x7f) * scale;
    }
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  /** One of more than 49 bits: no clock makes one, so it may take its time. */
  private longVarlong(start: number): number {
    let value = 0n;
    let byte = 0x80;
    this.position = start;
    for (let shift = 0n; byte > 0x7f; shift += 7n) {
      byte = this.bytes[this.position++] ?? 0;
      if (shift === 63n && byte > 1) throw this.damage("a number is longer than 64 bits");
      value |= BigInt(byte & 0x7f) << shift;
    }
    return Number((value >> 1n) ^ -(value & 1n));
  }

  private damage(what: string) {
    return damaged(this.at, this.offset, what);
  }
}

/** All records of a batch, those of a control batch too. @throws LogReadError */
export function readRecords(batch: RecordBatch, at: TopicPartition): LogRecord[] {
  const cursor = new RecordCursor(at);
  cursor.open(batch);
  const records: LogRecord[] = [];
  while (cursor.next()) records.push(cursor.record());
  return records;
}
