import { crc32c } from "@node-rs/crc32";
import lz4 from "lz4-napi";
import type { OrderEvent } from "./events";

/** Of a batch of message format 2, up to its records. */
const HEAD = 61;
const LZ4 = 3;

/** Writes batches as a producer does, without an object for each number: ten million events take seconds. ASCII only. */
export class RecordWriter {
  readonly #records = Buffer.allocUnsafe(1 << 20);
  #at = 0;
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** @param headers as {@link headersOf} writes them */
  add({ key, value }: OrderEvent, timestampDelta: number, headers: Buffer): void {
    const [keySize, valueSize] = [sizeOf(key.length), sizeOf(value.length)];
    const [time, delta] = [sizeOf(timestampDelta), sizeOf(this.#count)];
    this.#varint(1 + time + delta + keySize + key.length + valueSize + value.length + headers.length);
    this.#records[this.#at++] = 0;
    this.#varint(timestampDelta);
    this.#varint(this.#count);
    this.#text(key);
    this.#text(value);
    this.#at += headers.copy(this.#records, this.#at);
    this.#count += 1;
  }

  /** The batch of what was added, in lz4; afterwards it is empty. Times in milliseconds since 1970. */
  take(baseTimestamp: number, maxTimestamp: number): Buffer {
    const body = lz4.compressFrameSync(this.#records.subarray(0, this.#at));
    const batch = Buffer.alloc(HEAD + body.length);
    batch.writeInt32BE(batch.length - 12, 8);
    batch.writeInt32BE(-1, 12);
    batch.writeInt8(2, 16);
    batch.writeInt16BE(LZ4, 21);
    batch.writeInt32BE(this.#count - 1, 23);
    batch.writeBigInt64BE(BigInt(baseTimestamp), 27);
    batch.writeBigInt64BE(BigInt(maxTimestamp), 35);
    // No producer's id, epoch and sequence.
    batch.fill(0xff, 43, 57);
    batch.writeInt32BE(this.#count, 57);
    body.copy(batch, HEAD);
    batch.writeUInt32BE(crc32c(batch.subarray(21)), 17);
    this.#at = 0;
    this.#count = 0;
    return batch;
  }

  #text(text: string): void {
    this.#varint(text.length);
    this.#at += this.#records.write(text, this.#at, "latin1");
  }

  #varint(value: number): void {
    this.#at = putVarint(this.#records, this.#at, value);
  }
}

/** The headers of each record of a run, as Debezium's connectors give them since 3.4. */
export function headersOf(runId: string): Buffer {
  const context = { connectorLogicalName: "shop", taskId: "0", connectorName: "postgresql", runId };
  const bytes = Buffer.alloc(512);
  let at = putVarint(bytes, 0, Object.keys(context).length);
  for (const [name, text] of Object.entries(context))
    for (const one of [`__debezium.context.${name}`, text]) {
      at = putVarint(bytes, at, one.length);
      at += bytes.write(one, at, "latin1");
    }
  return bytes.subarray(0, at);
}

/** A number from 0 on in zigzag, seven bits a byte. */
function putVarint(to: Buffer, start: number, value: number): number {
  let at = start;
  let rest = value * 2;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) to[at++] = (rest % 128) | 0x80;
  to[at++] = rest;
  return at;
}

function sizeOf(value: number): number {
  let size = 1;
  for (let rest = value * 2; rest > 0x7f; rest = Math.floor(rest / 128)) size += 1;
  return size;
}
