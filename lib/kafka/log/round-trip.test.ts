import fc from "fast-check";
import writeRecord from "kafkajs/src/protocol/recordBatch/record/v0/index.js";
import { RecordBatch as writeBatch } from "kafkajs/src/protocol/recordBatch/v0/index.js";
import Long from "kafkajs/src/utils/long.js";
import { describe, expect, test } from "vitest";
import { BatchWalk } from "./batch-walk";
import type { RecordBatch } from "./record-batch";
import { RecordCursor, readRecords } from "./record-cursor";
import { at } from "./testing/batches";
import { compressors, xerialSnappy } from "./testing/compressors";
import { encodeBatch, type WrittenBatch, type WrittenRecord } from "./testing/encode-batch";

/** Bytes as text, of which a comparison is quick. */
const told = (bytes: Uint8Array | null) => (bytes === null ? null : Buffer.from(bytes).toString("latin1"));

const int16 = fc.integer({ min: -1, max: 2 ** 15 - 1 });
const int31 = fc.integer({ min: -1, max: 2 ** 31 - 1 });
const nullable = fc.option(fc.uint8Array({ maxLength: 200 }));
/** Now and then more than a block of any codec holds. */
const value = fc.oneof(
  { weight: 20, arbitrary: nullable },
  { weight: 1, arbitrary: fc.nat(200_000).map((n) => new Uint8Array(n).fill(n % 256)) },
);
const header = fc.record({
  name: fc.oneof(fc.constantFrom("", "id", "id"), fc.string({ unit: "grapheme", maxLength: 20 })),
  value: nullable,
});
/** With the gaps that compaction leaves before it. */
const record = fc.record({
  gap: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(1_000_000) }),
  timestampDelta: fc.bigInt({ min: -(2n ** 52n), max: 2n ** 52n }),
  key: nullable,
  value,
  headers: fc.array(header, { maxLength: 4 }),
});
const batch = fc
  .record({
    leaderEpoch: int31,
    codec: fc.nat(4),
    flags: fc.nat(15),
    baseTimestamp: fc.bigInt({ min: -1n, max: 2n ** 52n }),
    maxTimestamp: fc.bigInt({ min: -1n, max: 2n ** 52n }),
    producerId: fc.bigInt({ min: -1n, max: 2n ** 63n - 1n }),
    producerEpoch: int16,
    baseSequence: int31,
    records: fc.array(record, { maxLength: 12 }),
    lost: fc.nat(100),
  })
  .map(({ codec, flags, records, lost, ...rest }) => {
    let delta = -1;
    const placed: WrittenRecord[] = records.map(({ gap, ...of }) => {
      delta += 1 + gap;
      return { ...of, offsetDelta: delta };
    });
    return {
      ...rest,
      attributes: codec | (flags << 3),
      lastOffsetDelta: Math.max(delta, 0) + lost,
      records: placed,
    };
  });
type Written = Omit<WrittenBatch, "baseOffset">;

/** What a reader must get, by the words of the description and not by our code. */
function expected(written: WrittenBatch) {
  return written.records.map((record) => ({
    offset: Number(written.baseOffset + BigInt(record.offsetDelta)),
    timestamp: Number(
      (written.attributes & 8) !== 0 ? written.maxTimestamp : written.baseTimestamp + record.timestampDelta,
    ),
    key: told(record.key),
    value: told(record.value),
    headers: record.headers.map(({ name, value }) => ({ name, value: told(value) })),
  }));
}

const read = (batch: RecordBatch) =>
  readRecords(batch, at).map((record) => ({
    ...record,
    key: told(record.key),
    value: told(record.value),
    headers: record.headers.map(({ name, value }) => ({ name, value: told(value) })),
  }));

function place(from: number, batches: readonly Written[], gaps: readonly number[]): WrittenBatch[] {
  let next = BigInt(from);
  return batches.map((batch, i) => {
    const baseOffset = next + BigInt(gaps[i] ?? 0);
    next = baseOffset + BigInt(batch.lastOffsetDelta) + 1n;
    return { ...batch, baseOffset };
  });
}

describe("batches that kafkajs writes", () => {
  const message = fc.record({
    key: nullable,
    value: nullable,
    timestamp: fc.nat(2 ** 31),
    headers: fc.dictionary(
      fc.string({ maxLength: 8 }),
      fc.oneof(
        fc.uint8Array({ maxLength: 20 }),
        fc.array(fc.uint8Array({ maxLength: 5 }), { minLength: 1, maxLength: 3 }),
      ),
      { maxKeys: 3, noNullPrototype: true },
    ),
  });

  test("read back as they were given to it, plain and gzip", async () => {
    const given = fc.record({
      messages: fc.array(message, { minLength: 1, maxLength: 20 }),
      compression: fc.constantFrom(0, 1),
      transactional: fc.boolean(),
      first: fc.nat(2 ** 31),
      producerId: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
    });
    await fc.assert(
      fc.asyncProperty(given, async ({ messages, compression, transactional, first, producerId }) => {
        const { buffer } = await writeBatch({
          compression,
          transactional,
          firstOffset: Long.fromValue(first),
          firstTimestamp: 1_789_367_380_000,
          maxTimestamp: 1_789_367_390_000,
          lastOffsetDelta: messages.length - 1,
          producerId: Long.fromValue(producerId.toString()),
          producerEpoch: 3,
          firstSequence: 4,
          records: messages.map(({ key, value, timestamp, headers }, offsetDelta) =>
            writeRecord({
              offsetDelta,
              timestampDelta: timestamp,
              key: key && Buffer.from(key),
              value: value && Buffer.from(value),
              headers: mapValues(headers, (one) =>
                Array.isArray(one) ? one.map((b) => Buffer.from(b)) : Buffer.from(one),
              ),
            }),
          ),
        });
        const [batch] = new BatchWalk(buffer, at, 0);
        if (batch === undefined) throw new Error("no batch");
        expect(batch).toMatchObject({
          baseOffset: first,
          lastOffset: first + messages.length - 1,
          codec: compression === 0 ? "none" : "gzip",
          transactional,
          producerId,
          producerEpoch: 3,
          baseSequence: 4,
          count: messages.length,
        });
        expect(read(batch)).toEqual(
          messages.map(({ key, value, timestamp, headers }, i) => ({
            offset: first + i,
            timestamp: 1_789_367_380_000 + timestamp,
            key: told(key),
            value: told(value),
            headers: Object.entries(headers).flatMap(([name, values]) =>
              (Array.isArray(values) ? values : [values]).map((one) => ({ name, value: told(one) })),
            ),
          })),
        );
      }),
      { seed: 13, numRuns: 200 },
    );
  });
});

function mapValues<A, B>(of: Record<string, A>, map: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(of).map(([name, value]) => [name, map(value)]));
}

describe("batches of every kind and codec", () => {
  test("read back as they were written, header and records", () => {
    const set = fc.record({
      from: fc.oneof(fc.nat(1000), fc.integer({ min: 0, max: 2 ** 52 })),
      batches: fc.array(batch, { maxLength: 4 }),
      gaps: fc.array(fc.nat(50), { minLength: 4, maxLength: 4 }),
      xerial: fc.boolean(),
      cut: fc.nat(10_000),
    });
    fc.assert(
      fc.property(set, ({ from, batches, gaps, xerial, cut }) => {
        const placed = place(from, batches, gaps);
        const encoded = placed.map((one) => {
          const codec = one.attributes & 7;
          return encodeBatch(one, codec === 2 && xerial ? xerialSnappy : compressors[codec]);
        });
        const walk = new BatchWalk(Buffer.concat(encoded), at, from);
        const found = [...walk];
        expect(found.map(({ body, ...header }) => header)).toEqual(
          placed.map((one, i) => ({
            baseOffset: Number(one.baseOffset),
            lastOffset: Number(one.baseOffset) + one.lastOffsetDelta,
            leaderEpoch: one.leaderEpoch,
            codec: ["none", "gzip", "snappy", "lz4", "zstd"][one.attributes & 7],
            timestamps: (one.attributes & 0x08) === 0 ? "create" : "append",
            transactional: (one.attributes & 0x10) !== 0,
            control: (one.attributes & 0x20) !== 0,
            producerId: one.producerId < 0n ? null : one.producerId,
            producerEpoch: one.producerEpoch,
            baseSequence: one.baseSequence,
            count: one.records.length,
            baseTimestamp: Number(one.baseTimestamp),
            maxTimestamp: Number(one.maxTimestamp),
            deleteHorizon: (one.attributes & 0x40) === 0 ? null : Number(one.baseTimestamp),
            bytes: encoded[i]?.length,
          })),
        );
        expect(walk.cut).toBeNull();
        expect(found.map(read)).toEqual(placed.map(expected));

        // Cut anywhere: the whole batches before the cut, and what it takes to get the next.
        const whole = Buffer.concat(encoded);
        const short = new BatchWalk(whole.subarray(0, cut), at, from);
        const before = [...short].length;
        expect(short.nextOffset).toBe(before === 0 ? from : (found[before - 1]?.lastOffset ?? 0) + 1);
        const length = encoded.slice(0, before).reduce((sum, one) => sum + one.length, 0);
        const have = Math.min(cut, whole.length) - length;
        const need = have < 12 ? null : encoded[before]?.length;
        expect(short.cut).toEqual(have === 0 ? null : { offset: short.nextOffset, have, need });
      }),
      { seed: 11, numRuns: 300 },
    );
  });

  test("give the same by the cursor's positions, a header by its name the last one", () => {
    fc.assert(
      fc.property(batch, (one) => {
        const placed = { ...one, baseOffset: 5n };
        const [only] = new BatchWalk(encodeBatch(placed, compressors[one.attributes & 7]), at, 0);
        const cursor = new RecordCursor(at);
        if (only === undefined) throw new Error("no batch");
        cursor.open(only);
        for (const wanted of expected(placed)) {
          expect(cursor.next()).toBe(true);
          const slice = (start: number, end: number) =>
            told(start < 0 ? null : cursor.bytes.subarray(start, end));
          expect(slice(cursor.keyStart, cursor.keyEnd)).toEqual(wanted.key);
          expect(slice(cursor.valueStart, cursor.valueEnd)).toEqual(wanted.value);
          expect([cursor.offset, cursor.timestamp]).toEqual([wanted.offset, wanted.timestamp]);
          for (const name of ["id", "", "another"]) {
            const last = wanted.headers.findLast((header) => header.name === name);
            expect(cursor.findHeader(Buffer.from(name))).toBe(last !== undefined);
            if (last) expect(slice(cursor.headerStart, cursor.headerEnd)).toEqual(last.value);
          }
        }
        expect(cursor.next()).toBe(false);
      }),
      { seed: 12, numRuns: 300 },
    );
  });
});
