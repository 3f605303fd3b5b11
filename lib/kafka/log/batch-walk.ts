import { crc32c } from "@node-rs/crc32";
import type { TopicPartition } from "./log-reader";
import type { Codec, RecordBatch } from "./record-batch";
import { damaged, unreadable } from "./unreadable";

// Where the fields of a batch begin (DefaultRecordBatch.java); the length counts what follows it.
const LENGTH = 8;
const LEADER_EPOCH = 12;
const MAGIC = 16;
const CRC = 17;
const ATTRIBUTES = 21;
const LAST_OFFSET_DELTA = 23;
const BASE_TIMESTAMP = 27;
const MAX_TIMESTAMP = 35;
const PRODUCER_ID = 43;
const PRODUCER_EPOCH = 51;
const BASE_SEQUENCE = 53;
const COUNT = 57;
const RECORDS = 61;
const BEFORE_LENGTH_COUNTS = 12;

/** No batch is believed to be larger: far above any max.message.bytes in use, and a bound for what a reader asks for. */
export const largestBatch = 256 * 1024 * 1024;

const codecs: readonly Codec[] = ["none", "gzip", "snappy", "lz4", "zstd", "codec 5", "codec 6", "codec 7"];

/** A batch that a broker cut at the bytes asked for. */
export interface CutBatch {
  /** Where the reader stands: a fetch from here meets the batch again. */
  offset: number;
  /** Bytes of it that came. */
  have: number;
  /** Bytes that it takes whole; null when that did not come. At most `largestBatch`. */
  need: number | null;
}

/**
 * Walks the batches of a Fetch answer's record set. Brokers cut a record set at the bytes asked for, within a batch:
 * `cut` tells of that once the walk is over, and the reader asks for more if it met nothing else. A cut that cannot be
 * a broker's (a length that no batch has) throws.
 *
 * Nothing of a batch is believed before its CRC-32C is right. The base offset and the leader's epoch are not under it
 * (the broker writes them), so offsets must at least rise.
 */
export class BatchWalk implements Iterable<RecordBatch> {
  /** Set when the record set ended within a batch. */
  cut: CutBatch | null = null;
  /** Where to fetch next: after the last batch met, `from` before any. */
  nextOffset: number;
  private position = 0;
  /** The first offset that the batch after this one may have. */
  private floor = 0;

  constructor(
    private readonly recordSet: Buffer,
    private readonly at: TopicPartition,
    from: number,
  ) {
    this.nextOffset = from;
  }

  *[Symbol.iterator](): Generator<RecordBatch, void> {
    for (let batch = this.next(); batch !== null; batch = this.next()) yield batch;
  }

  /** The next whole batch that reaches the offset where the walk stands; null at the end. @throws LogReadError */
  next(): RecordBatch | null {
    for (;;) {
      const start = this.position;
      const size = this.sizeAt(start);
      if (size === null) return null;
      const batch = this.batchAt(start, size);
      if (batch.baseOffset < this.floor) {
        throw this.damage(`a batch at ${batch.baseOffset} follows one that ends at ${this.floor - 1}`);
      }
      this.floor = batch.lastOffset + 1;
      this.position = start + size;
      if (this.floor <= this.nextOffset) continue; // an answer may begin before the offset asked for
      this.nextOffset = this.floor;
      return batch;
    }
  }

  /** Bytes of the batch that begins here; null when it is not whole. */
  private sizeAt(start: number): number | null {
    const { recordSet } = this;
    const have = recordSet.length - start;
    if (have === 0) return null;
    if (have > MAGIC) this.checkFormat(recordSet.readInt8(start + MAGIC));
    const need = have < BEFORE_LENGTH_COUNTS ? null : this.toldSize(start, have > MAGIC);
    if (need !== null && need <= have) return need;
    this.cut = { offset: this.nextOffset, have, need };
    return null;
  }

  /** The size that the batch itself tells; null when it is none, and a message of an older format may be so short. */
  private toldSize(start: number, formatKnown: boolean): number | null {
    const size = BEFORE_LENGTH_COUNTS + this.recordSet.readInt32BE(start + LENGTH);
    if (size > largestBatch) throw this.damage(`a batch of ${size} bytes is larger than Kafka's get`);
    if (size >= RECORDS) return size;
    if (formatKnown) throw this.damage(`a batch of ${size} bytes is shorter than its header`);
    return null;
  }

  private checkFormat(magic: number): void {
    if (magic === 2) return;
    if (magic === 0 || magic === 1) {
      throw unreadable(
        this.at,
        this.nextOffset,
        "not-supported",
        `its records are in message format ${magic}, from before Kafka 0.11, which Tidemark does not read`,
        "Records written since log.message.format.version was raised can be read.",
      );
    }
    throw this.damage(`no message format has the number ${magic}`);
  }

  private batchAt(start: number, size: number): RecordBatch {
    const { recordSet } = this;
    const told = recordSet.readUInt32BE(start + CRC);
    const counted = crc32c(recordSet.subarray(start + ATTRIBUTES, start + size));
    if (told !== counted) {
      throw this.damage(
        `the checksum of a batch of ${size} bytes is ${hex(counted)} and should be ${hex(told)}`,
      );
    }
    const baseOffset = int64(recordSet, start);
    const lastOffset = baseOffset + recordSet.readInt32BE(start + LAST_OFFSET_DELTA);
    if (baseOffset < 0 || lastOffset < baseOffset || lastOffset >= Number.MAX_SAFE_INTEGER) {
      throw this.damage(`a batch cannot have the offsets ${baseOffset} to ${lastOffset}`);
    }
    const count = recordSet.readInt32BE(start + COUNT);
    if (count < 0 || count > lastOffset - baseOffset + 1) {
      throw this.damage(`a batch of the offsets ${baseOffset} to ${lastOffset} cannot hold ${count} records`);
    }
    const attributes = recordSet.readInt16BE(start + ATTRIBUTES);
    const baseTimestamp = int64(recordSet, start + BASE_TIMESTAMP);
    return {
      baseOffset,
      lastOffset,
      leaderEpoch: recordSet.readInt32BE(start + LEADER_EPOCH),
      codec: codecs[attributes & 0x07] ?? "none",
      timestamps: (attributes & 0x08) === 0 ? "create" : "append",
      transactional: (attributes & 0x10) !== 0,
      control: (attributes & 0x20) !== 0,
      producerId: producerId(recordSet, start + PRODUCER_ID),
      producerEpoch: recordSet.readInt16BE(start + PRODUCER_EPOCH),
      baseSequence: recordSet.readInt32BE(start + BASE_SEQUENCE),
      count,
      baseTimestamp,
      maxTimestamp: int64(recordSet, start + MAX_TIMESTAMP),
      deleteHorizon: (attributes & 0x40) === 0 ? null : baseTimestamp,
      bytes: size,
      body: recordSet.subarray(start + RECORDS, start + size),
    };
  }

  private damage(what: string) {
    return damaged(this.at, this.nextOffset, what);
  }
}

/** Without BigInt; rounded beyond 2^53, where no offset and no clock is. */
function int64(bytes: Buffer, start: number): number {
  return bytes.readInt32BE(start) * 0x1_0000_0000 + bytes.readUInt32BE(start + 4);
}

/** Of a batch by a producer that has one (RecordBatch.hasProducerId: above -1). */
function producerId(bytes: Buffer, start: number): bigint | null {
  return bytes.readInt32BE(start) < 0 ? null : bytes.readBigInt64BE(start);
}

function hex(crc: number): string {
  return crc.toString(16).padStart(8, "0");
}
