import { describe, expect, test } from "vitest";
import { BatchWalk, largestBatch } from "./batch-walk";
import { LogReadError } from "./log-reader";
import { readRecords } from "./record-cursor";
import {
  encodeBatch,
  frameBatch,
  signBatch,
  type WrittenBatch,
  type WrittenRecord,
} from "./testing/encode-batch";

const at = { topic: "shop.public.orders", partition: 3 };

const written = (baseOffset: number, ...values: (string | null)[]): WrittenBatch => ({
  baseOffset: BigInt(baseOffset),
  leaderEpoch: 7,
  attributes: 0,
  lastOffsetDelta: values.length - 1,
  baseTimestamp: 1_789_367_380_000n,
  maxTimestamp: 1_789_367_380_500n,
  producerId: -1n,
  producerEpoch: -1,
  baseSequence: -1,
  records: values.map(
    (value, i): WrittenRecord => ({
      offsetDelta: i,
      timestampDelta: BigInt(i * 10),
      key: null,
      value: value === null ? null : Buffer.from(value),
      headers: [],
    }),
  ),
});

const batch = (baseOffset: number, ...values: string[]) => encodeBatch(written(baseOffset, ...values));

function failure(look: () => unknown): LogReadError {
  try {
    look();
  } catch (error) {
    if (error instanceof LogReadError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

describe("walking the batches of a record set", () => {
  test("gives every batch with what its header tells", () => {
    const set = Buffer.concat([
      batch(40, "a", "b"),
      encodeBatch({
        ...written(42, "c"),
        attributes: 0x10,
        producerId: 2n ** 62n + 1n,
        producerEpoch: 5,
        baseSequence: 99,
      }),
    ]);
    const walk = new BatchWalk(set, at, 40);
    const batches = [...walk];
    expect(batches[0]).toEqual({
      baseOffset: 40,
      lastOffset: 41,
      leaderEpoch: 7,
      codec: "none",
      timestamps: "create",
      transactional: false,
      control: false,
      producerId: null,
      producerEpoch: -1,
      baseSequence: -1,
      count: 2,
      baseTimestamp: 1_789_367_380_000,
      maxTimestamp: 1_789_367_380_500,
      deleteHorizon: null,
      bytes: batch(40, "a", "b").length,
      body: batch(40, "a", "b").subarray(61),
    });
    expect(batches[1]).toMatchObject({
      baseOffset: 42,
      transactional: true,
      producerId: 2n ** 62n + 1n,
      producerEpoch: 5,
      baseSequence: 99,
    });
    expect(walk.nextOffset).toBe(43);
    expect(walk.cut).toBeNull();
  });

  test("gives records of each", () => {
    const [first] = new BatchWalk(batch(40, "a", "b"), at, 40);
    if (first === undefined) throw new Error("no batch");
    expect(readRecords(first, at)).toEqual([
      { offset: 40, timestamp: 1_789_367_380_000, key: null, value: Buffer.from("a"), headers: [] },
      { offset: 41, timestamp: 1_789_367_380_010, key: null, value: Buffer.from("b"), headers: [] },
    ]);
  });

  test("an empty record set has no batch and no cut", () => {
    const walk = new BatchWalk(Buffer.alloc(0), at, 12);
    expect([...walk]).toEqual([]);
    expect(walk).toMatchObject({ cut: null, nextOffset: 12 });
  });
});
