import { describe, expect, test } from "vitest";
import { BatchWalk, largestBatch } from "./batch-walk";
import { at, batchOf, failureOf, valueAt, written } from "./testing/batches";
import { encodeBatch, frameBatch, signBatch } from "./testing/encode-batch";

const walked = (set: Buffer, from = 0) => [...new BatchWalk(set, at, from)];
const offsets = (set: Buffer, from = 0) => walked(set, from).map((batch) => batch.baseOffset);
/** A copy with some bytes of it replaced, its checksum made right again. */
function altered(batch: Buffer, position: number, ...bytes: number[]): Buffer {
  const copy = Buffer.from(batch);
  copy.set(bytes, position);
  return signBatch(copy);
}

describe("walking the batches of a record set", () => {
  test("gives every batch with what its header tells", () => {
    const transactional = encodeBatch(
      written(42, {
        attributes: 0x10,
        producerId: 2n ** 62n + 1n,
        producerEpoch: 5,
        baseSequence: 99,
        records: [valueAt(0, "c")],
      }),
    );
    const walk = new BatchWalk(Buffer.concat([batchOf(40, "a", "b"), transactional]), at, 40);
    const [first, second] = [...walk];
    expect(first).toEqual({
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
      bytes: batchOf(40, "a", "b").length,
      body: batchOf(40, "a", "b").subarray(61),
    });
    expect(second).toMatchObject({
      baseOffset: 42,
      transactional: true,
      producerId: 2n ** 62n + 1n,
      producerEpoch: 5,
      baseSequence: 99,
    });
    expect(walk).toMatchObject({ nextOffset: 43, cut: null });
  });

  test("an empty record set has no batch and no cut", () => {
    const walk = new BatchWalk(Buffer.alloc(0), at, 12);
    expect([...walk]).toEqual([]);
    expect(walk).toMatchObject({ cut: null, nextOffset: 12 });
  });

  test("a batch that ends before the offset asked for is passed over, one that holds it is given", () => {
    const set = Buffer.concat([batchOf(0, "a", "b"), batchOf(2, "c", "d"), batchOf(4, "e")]);
    expect(offsets(set, 2)).toEqual([2, 4]);
    expect(offsets(set, 3)).toEqual([2, 4]);
    expect(offsets(set, 5)).toEqual([]);
  });

  test("offsets that compaction removed are passed over", () => {
    const empty = frameBatch(written(10, { lastOffsetDelta: 4, baseTimestamp: -1n }), 0, Buffer.alloc(0));
    const walk = new BatchWalk(Buffer.concat([batchOf(3, "a"), empty, batchOf(90, "b")]), at, 0);
    const batches = [...walk].map(({ baseOffset, lastOffset, count }) => [baseOffset, lastOffset, count]);
    expect(batches).toEqual([
      [3, 3, 1],
      [10, 14, 0],
      [90, 90, 1],
    ]);
    expect(walk.nextOffset).toBe(91);
  });

  test("with a delete horizon the base timestamp is that and still what deltas count from (KIP-534)", () => {
    const [batch] = walked(encodeBatch(written(0, { attributes: 0x40, records: [valueAt(0, "a")] })));
    expect(batch).toMatchObject({ deleteHorizon: 1_789_367_380_000, baseTimestamp: 1_789_367_380_000 });
  });
});

describe("a record set that was cut", () => {
  const whole = batchOf(5, "first");
  const next = batchOf(6, "the next one");

  test("within a batch, anywhere, is told as a cut with what is needed, and never as damage", () => {
    for (let have = 1; have < next.length; have++) {
      const walk = new BatchWalk(Buffer.concat([whole, next.subarray(0, have)]), at, 5);
      expect([...walk].map((batch) => batch.baseOffset)).toEqual([5]);
      expect(walk.cut).toEqual({ offset: 6, have, need: have < 12 ? null : next.length });
      expect(walk.nextOffset).toBe(6);
    }
  });

  test("before a batch is no cut", () => {
    const walk = new BatchWalk(whole, at, 5);
    expect([...walk].length).toBe(1);
    expect(walk.cut).toBeNull();
  });

  test("cannot be a broker's where the length is none that a batch has", () => {
    const short = Buffer.from(next.subarray(0, 20));
    short.writeInt32BE(48, 8);
    expect(failureOf(() => walked(short)).message).toContain(
      "a batch of 60 bytes is shorter than its header",
    );
    short.writeInt32BE(largestBatch, 8);
    expect(failureOf(() => walked(short)).message).toContain("larger than");
    short.writeInt32BE(-1, 8);
    expect(failureOf(() => walked(short)).message).toContain("shorter");
  });
});

describe("a batch that cannot be believed", () => {
  test("names topic, partition and offset, says what is wrong and what to do", () => {
    const set = Buffer.concat([batchOf(5, "first"), batchOf(6, "second")]);
    set.writeUInt8(set.readUInt8(set.length - 3) ^ 0x10, set.length - 3);
    const walk = new BatchWalk(set, at, 5);
    expect(walk.next()?.baseOffset).toBe(5);
    const error = failureOf(() => walk.next());
    expect(error.at).toEqual({ ...at, offset: 6 });
    expect(error.message).toMatch(
      /^topic shop\.public\.orders, partition 3, offset 6: damaged: the checksum of a batch of 74 bytes is [0-9a-f]{8} and should be [0-9a-f]{8}$/,
    );
    expect(error.failure).toMatchObject({
      kind: "invalid-answer",
      remedy: expect.stringContaining("kafka-dump-log.sh"),
    });
  });

  test("every flipped bit under the checksum is found", () => {
    const good = batchOf(5, "first");
    for (let bit = 17 * 8; bit < good.length * 8; bit++) {
      const bad = Buffer.from(good);
      bad.writeUInt8(bad.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      expect(failureOf(() => walked(bad, 5)).at).toEqual({ ...at, offset: 5 });
    }
  });

  test.each([0, 1])("message format %i is refused by its name", (magic) => {
    const old = batchOf(5, "first");
    old.writeInt8(magic, 16);
    const error = failureOf(() => walked(old.subarray(0, 40), 5));
    expect(error.failure.kind).toBe("not-supported");
    expect(error.message).toContain(`message format ${magic}, from before Kafka 0.11`);
  });

  test.each([0, 1])("message format %i cut before it can be told is a cut like any other", (magic) => {
    const old = batchOf(5, "first");
    old.writeInt8(magic, 16);
    old.writeInt32BE(26, 8);
    const walk = new BatchWalk(old.subarray(0, 16), at, 5);
    expect(walk.next()).toBeNull();
    expect(walk.cut).toEqual({ offset: 5, have: 16, need: null });
  });

  test("a format that is none is damage", () => {
    const set = batchOf(5, "first");
    set.writeInt8(3, 16);
    expect(failureOf(() => walked(set, 5)).message).toContain("no message format has the number 3");
  });

  test("offsets that fall or overlap are damage: they are not under the checksum", () => {
    const set = (second: number) => Buffer.concat([batchOf(5, "a", "b"), batchOf(second, "c")]);
    expect(offsets(set(7), 5)).toEqual([5, 7]);
    for (const second of [0, 4, 5, 6]) {
      expect(failureOf(() => walked(set(second), 5)).message).toContain(
        `a batch at ${second} follows one that ends at 6`,
      );
    }
  });

  test.each([
    ["below 0", -1n],
    ["beyond 2^53", 2n ** 53n - 1n],
    ["far beyond 2^53", 2n ** 63n - 1n],
  ])("an offset %s is damage", (_, baseOffset) => {
    const set = encodeBatch(written(0, { baseOffset, records: [valueAt(0, "a")] }));
    expect(failureOf(() => walked(set)).message).toContain("cannot have the offsets");
  });

  test("more records than offsets, fewer than none, or a last offset before the first is damage", () => {
    const set = batchOf(5, "a", "b");
    expect(failureOf(() => walked(altered(set, 57, 0, 0, 0, 3))).message).toContain("cannot hold 3 records");
    expect(failureOf(() => walked(altered(set, 57, 255, 255, 255, 255))).message).toContain(
      "hold -1 records",
    );
    expect(failureOf(() => walked(altered(set, 23, 255, 255, 255, 255))).message).toContain(
      "the offsets 5 to 4",
    );
  });
});
