import { crc32c } from "@node-rs/crc32";

/** A record for `encodeBatch`, told by what is written and not by what is read. */
export interface WrittenRecord {
  offsetDelta: number;
  timestampDelta: bigint;
  key: Uint8Array | null;
  value: Uint8Array | null;
  headers: readonly { name: string; value: Uint8Array | null }[];
}

export interface WrittenBatch {
  baseOffset: bigint;
  leaderEpoch: number;
  /** All 16 bits, the codec in the lowest three. */
  attributes: number;
  lastOffsetDelta: number;
  baseTimestamp: bigint;
  maxTimestamp: bigint;
  producerId: bigint;
  producerEpoch: number;
  baseSequence: number;
  records: readonly WrittenRecord[];
}

/**
 * Writes a batch of message format 2 after the description in Kafka's documentation, number by number with BigInt, so
 * that it shares no arithmetic with what it tests. `compress` belongs to the codec in `attributes`.
 */
export function encodeBatch(
  batch: WrittenBatch,
  compress: (records: Buffer) => Uint8Array = (r) => r,
): Buffer {
  const records = Buffer.concat(batch.records.map(encodeRecord));
  return frameBatch(batch, batch.records.length, compress(records));
}

/** The batch around any bytes for records, its checksum right. */
export function frameBatch(batch: Omit<WrittenBatch, "records">, count: number, body: Uint8Array): Buffer {
  const checked = Buffer.concat([
    big(BigInt(batch.attributes), 2),
    big(BigInt(batch.lastOffsetDelta), 4),
    big(batch.baseTimestamp, 8),
    big(batch.maxTimestamp, 8),
    big(batch.producerId, 8),
    big(BigInt(batch.producerEpoch), 2),
    big(BigInt(batch.baseSequence), 4),
    big(BigInt(count), 4),
    body,
  ]);
  const counted = Buffer.concat([
    big(BigInt(batch.leaderEpoch), 4),
    Buffer.from([2]),
    big(BigInt(crc32c(checked)), 4),
    checked,
  ]);
  return Buffer.concat([big(batch.baseOffset, 8), big(BigInt(counted.length), 4), counted]);
}

/** Puts the right checksum on a batch whose bytes were changed. */
export function signBatch(batch: Buffer): Buffer {
  batch.writeUInt32BE(crc32c(batch.subarray(21)), 17);
  return batch;
}

export function encodeRecord(record: WrittenRecord): Buffer {
  const body = Buffer.concat([
    Buffer.from([0]),
    zigzag(record.timestampDelta),
    zigzag(BigInt(record.offsetDelta)),
    nullable(record.key),
    nullable(record.value),
    zigzag(BigInt(record.headers.length)),
    ...record.headers.flatMap(({ name, value }) => [nullable(Buffer.from(name)), nullable(value)]),
  ]);
  return Buffer.concat([zigzag(BigInt(body.length)), body]);
}

/** A signed number as Kafka's varint or varlong. */
export function zigzag(value: bigint): Buffer {
  let rest = BigInt.asUintN(64, value < 0n ? -value * 2n - 1n : value * 2n);
  const bytes: number[] = [];
  for (; rest > 0x7fn; rest /= 128n) bytes.push(Number(rest % 128n) + 128);
  return Buffer.from([...bytes, Number(rest)]);
}

function nullable(bytes: Uint8Array | null): Buffer {
  return bytes === null ? zigzag(-1n) : Buffer.concat([zigzag(BigInt(bytes.length)), bytes]);
}

function big(value: bigint, size: number): Buffer {
  const hex = BigInt.asUintN(size * 8, value).toString(16);
  return Buffer.from(hex.padStart(size * 2, "0"), "hex");
}
