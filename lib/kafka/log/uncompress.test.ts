import { gzipSync } from "node:zlib";
import { compressFrameSync } from "lz4-napi";
import { compressSync } from "snappy";
import { describe, expect, test } from "vitest";
import { BatchWalk } from "./batch-walk";
import { readRecords } from "./record-cursor";
import { at, failureOf, valueAt, written } from "./testing/batches";
import { compressors } from "./testing/compressors";
import { encodeBatch, frameBatch } from "./testing/encode-batch";
import { uncompress } from "./uncompress";

function batchWith(attributes: number, compress: (records: Buffer) => Uint8Array) {
  const [batch] = new BatchWalk(
    encodeBatch(written(8, { attributes, records: [valueAt(0, "a"), valueAt(1, "b")] }), compress),
    at,
    8,
  );
  if (batch === undefined) throw new Error("no batch");
  return batch;
}

describe("uncompressing a batch", () => {
  test("KAF-01: the codec and the flags are read from the attributes, and all five codecs are decoded", () => {
    const attributes = ["0000", "0001", "0002", "0003", "0004", "0012", "0023"];
    const read = attributes.map((hex) => {
      const bits = Number.parseInt(hex, 16);
      const batch = batchWith(bits, compressors[bits & 7] ?? ((records) => records));
      expect(readRecords(batch, at).map(({ value }) => value?.toString())).toEqual(["a", "b"]);
      return [batch.codec, batch.transactional, batch.control];
    });
    expect(read).toEqual([
      ["none", false, false],
      ["gzip", false, false],
      ["snappy", false, false],
      ["lz4", false, false],
      ["zstd", false, false],
      ["snappy", true, false],
      ["lz4", false, true],
    ]);
  });

  test.each([5, 6, 7])("KAF-01: codec %i cannot be read and says so, the facts of its batch can", (codec) => {
    const batch = batchWith(codec, (records) => records);
    expect(batch).toMatchObject({ codec: `codec ${codec}`, count: 2, lastOffset: 9 });
    const error = failureOf(() => uncompress(batch, at));
    expect(error.failure.kind).toBe("not-supported");
    expect(error.message).toBe(
      `topic shop.public.orders, partition 3, offset 8: cannot read (codec ${codec})`,
    );
  });

  test.each([1, 2, 3, 4])("bytes that codec %i did not make are an error of that batch", (codec) => {
    const batch = batchWith(codec, () => Buffer.from("not compressed at all"));
    const error = failureOf(() => readRecords(batch, at));
    expect(error.at).toEqual({ ...at, offset: 8 });
    expect(error.message).toContain(
      `topic shop.public.orders, partition 3, offset 8: cannot read (${batch.codec}): `,
    );
  });

  test("a batch that is not compressed is not copied", () => {
    const batch = batchWith(0, (records) => records);
    expect(uncompress(batch, at)).toBe(batch.body);
  });

  test("what is small in the log and large out of it ends at the bound, for every codec", () => {
    const zeros = Buffer.alloc(3_000_000);
    const bombs: [number, Uint8Array][] = [
      [1, gzipSync(zeros)],
      [2, compressSync(zeros)],
      [3, compressFrameSync(zeros)],
      [4, zeroBlocks(23)],
    ];
    for (const [attributes, body] of bombs) {
      const [batch] = new BatchWalk(frameBatch(written(8, { attributes }), 1, body), at, 8);
      if (batch === undefined) throw new Error("no batch");
      const error = failureOf(() => uncompress(batch, at, 1_000_000));
      expect(error.failure.kind).toBe("too-large");
      expect(error.message).toContain(
        `cannot read (${batch.codec}): uncompressed it is larger than 1000000 bytes`,
      );
      expect(uncompress(batch, at).length).toBeGreaterThanOrEqual(3_000_000);
    }
  });
});

/** A Zstandard frame of so many blocks that repeat a zero 128 kB times. */
function zeroBlocks(count: number): Buffer {
  const block = (last: number) => [0x02 | last, 0x00, 0x10, 0x00];
  const blocks = [...Array(count - 1).fill(block(0)), block(1)].flat();
  return Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58, ...blocks]);
}
