import { describe, expect, test } from "vitest";
import { AbortedTransactions } from "./aborted";
import { BatchWalk } from "./batch-walk";
import { readMarker } from "./marker";
import { readRecords } from "./record-cursor";
import { at, failureOf, marker, valueAt, written } from "./testing/batches";
import { encodeBatch } from "./testing/encode-batch";

/** A batch of a producer, in a transaction unless told not to be. */
const data = (baseOffset: number, producerId: bigint, count = 1, transactional = true) =>
  encodeBatch(
    written(baseOffset, {
      attributes: transactional ? 0x10 : 0,
      producerId,
      producerEpoch: 0,
      baseSequence: 0,
      records: Array.from({ length: count }, (_, i) => valueAt(i, "x")),
    }),
  );

/** Offsets of the data batches of one Fetch answer that a reader gets that waits for commits. */
function committed(
  set: Buffer[],
  listed: { producerId: bigint; firstOffset: number }[] | null,
  from = 0,
): number[] {
  const aborted = new AbortedTransactions(listed, at);
  return [...new BatchWalk(Buffer.concat(set), at, from)]
    .filter((batch) => !aborted.isAborted(batch) && !batch.control)
    .map(({ baseOffset }) => baseOffset);
}

describe("markers", () => {
  test("tell how a transaction ended, and whose it was", () => {
    const set = Buffer.concat([marker(3, "commit", 7n), marker(4, "abort", 8n)]);
    expect([...new BatchWalk(set, at, 0)].map((batch) => readMarker(batch, at))).toEqual([
      { type: "commit", producerId: 7n, producerEpoch: 0, offset: 3, timestamp: 1_789_367_380_000 },
      { type: "abort", producerId: 8n, producerEpoch: 0, offset: 4, timestamp: 1_789_367_380_000 },
    ]);
  });

  test("may be of a kind that only brokers look at, removed by compaction, or out of form", () => {
    const read = (...records: ReturnType<typeof valueAt>[]) => {
      const set = encodeBatch(written(3, { attributes: 0x30, producerId: 7n, records }));
      const [batch] = new BatchWalk(set, at, 0);
      if (batch === undefined) throw new Error("no batch");
      return readMarker(batch, at);
    };
    expect(read(valueAt(0, "", { key: Buffer.from([0, 0, 0, 2]) }))?.type).toBe("other");
    expect(read()).toBeNull();
    expect(failureOf(() => read(valueAt(0, "", { key: Buffer.from([0]) }))).message).toContain("has no type");
  });
});

describe("the batches of aborted transactions", () => {
  test("KAF-02: offsets are more than the records, and the records more than the committed ones", () => {
    const a = 1n;
    const b = 2n;
    const c = 3n;
    const log = [
      data(0, a),
      data(1, a),
      data(2, a),
      marker(3, "commit", a),
      data(4, b),
      data(5, b),
      marker(6, "abort", b),
      data(7, c),
      marker(8, "commit", c),
    ];
    const batches = [...new BatchWalk(Buffer.concat(log), at, 0)];
    const records = (some: typeof batches) => some.flatMap((batch) => readRecords(batch, at)).length;
    expect(batches.map(({ lastOffset }) => lastOffset).at(-1)).toBe(8); // an offset difference of 9
    expect(records(batches.filter(({ control }) => !control))).toBe(6);
    expect(records(batches.filter(({ control }) => control))).toBe(3);
    expect(committed(log, [{ producerId: b, firstOffset: 4 }])).toEqual([0, 1, 2, 7]);
  });

  test("are those of the producer from the first offset listed to its next abort marker", () => {
    const log = [
      data(0, 1n),
      marker(1, "commit", 1n),
      data(2, 1n),
      data(3, 2n),
      data(4, 1n),
      marker(5, "abort", 1n),
      data(6, 1n),
      marker(7, "commit", 2n),
      marker(8, "commit", 1n),
    ];
    expect(committed(log, [{ producerId: 1n, firstOffset: 2 }])).toEqual([0, 3, 6]);
  });

  test("may be many of one producer, listed in any order", () => {
    const log = [
      data(0, 1n),
      marker(1, "abort", 1n),
      data(2, 1n),
      marker(3, "commit", 1n),
      data(4, 1n),
      marker(5, "abort", 1n),
    ];
    const listed = [
      { producerId: 1n, firstOffset: 4 },
      { producerId: 1n, firstOffset: 0 },
    ];
    expect(committed(log, listed)).toEqual([2]);
  });

  test("begin within a batch that spans the first offset", () => {
    expect(committed([data(0, 1n, 5), marker(5, "abort", 1n)], [{ producerId: 1n, firstOffset: 3 }])).toEqual(
      [],
    );
  });

  test("are told in each of several answers by its own list, which names those begun before it", () => {
    const listed = [{ producerId: 1n, firstOffset: 0 }];
    const log = [data(0, 1n), data(1, 2n), data(2, 1n), marker(3, "abort", 1n), data(4, 1n)];
    expect(committed(log.slice(0, 2), listed)).toEqual([1]);
    expect(committed(log.slice(2, 4), listed, 2)).toEqual([]);
    expect(committed(log.slice(4), [], 4)).toEqual([4]);
  });

  test("do not include batches outside transactions, nor any when none is listed", () => {
    const log = [data(0, 1n, 1, false), data(1, 1n), marker(2, "abort", 1n)];
    expect(committed(log, [{ producerId: 1n, firstOffset: 0 }])).toEqual([0]);
    expect(committed(log, [])).toEqual([0, 1]);
    expect(committed(log, null)).toEqual([0, 1]);
  });

  test("end at the marker though compaction emptied other batches of the producer", () => {
    const emptied = encodeBatch(written(2, { attributes: 0x10, producerId: 1n, lastOffsetDelta: 3 }));
    const log = [data(0, 1n), emptied, marker(6, "abort", 1n), data(7, 1n)];
    expect(committed(log, [{ producerId: 1n, firstOffset: 0 }])).toEqual([7]);
  });
});
