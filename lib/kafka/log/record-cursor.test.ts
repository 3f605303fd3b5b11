import { describe, expect, test } from "vitest";
import { BatchWalk } from "./batch-walk";
import type { LogRecord } from "./record";
import { RecordCursor, readRecords } from "./record-cursor";
import { at, failureOf, valueAt, written } from "./testing/batches";
import { encodeBatch, frameBatch, type WrittenBatch, zigzag } from "./testing/encode-batch";

function only(set: Buffer) {
  const [batch] = new BatchWalk(set, at, 0);
  if (batch === undefined) throw new Error("no batch");
  return batch;
}
const records = (batch: WrittenBatch): LogRecord[] => readRecords(only(encodeBatch(batch)), at);

describe("the records of a batch", () => {
  test("come with key, value, headers and their own times", () => {
    const headers = [
      { name: "run", value: Buffer.from("1") },
      { name: "empty", value: Buffer.alloc(0) },
      { name: "run", value: null },
      { name: "größe", value: Buffer.from([0, 255]) },
    ];
    const batch = written(100, {
      records: [
        valueAt(0, "a", { key: Buffer.from("k"), headers }),
        valueAt(1, "", { timestampDelta: -1000n }),
        valueAt(2, "", { key: Buffer.alloc(0), value: null }),
      ],
    });
    expect(records(batch)).toEqual([
      { offset: 100, timestamp: 1_789_367_380_000, key: Buffer.from("k"), value: Buffer.from("a"), headers },
      { offset: 101, timestamp: 1_789_367_379_000, key: null, value: Buffer.alloc(0), headers: [] },
      { offset: 102, timestamp: 1_789_367_380_020, key: Buffer.alloc(0), value: null, headers: [] },
    ]);
  });

  test("keep their offsets where compaction left holes, and the batch may have none left", () => {
    const holed = written(100, {
      lastOffsetDelta: 9,
      records: [valueAt(2, "a"), valueAt(3, "b"), valueAt(7, "c")],
    });
    expect(records(holed).map(({ offset }) => offset)).toEqual([102, 103, 107]);
    for (const attributes of [0, 1, 2, 3, 4]) {
      expect(records(written(100, { attributes, lastOffsetDelta: 9, baseTimestamp: -1n }))).toEqual([]);
    }
  });

  test("have the time of the broker where the topic says so (message.timestamp.type=LogAppendTime)", () => {
    const batch = written(0, { attributes: 0x08, records: [valueAt(0, "a"), valueAt(1, "b")] });
    expect(records(batch).map(({ timestamp }) => timestamp)).toEqual([1_789_367_380_500, 1_789_367_380_500]);
  });

  test("count their times from the delete horizon where there is one (KIP-534)", () => {
    const deltas = [-100_000_000_000n, 5n];
    const batch = written(0, {
      attributes: 0x40,
      records: deltas.map((timestampDelta, i) => valueAt(i, "a", { timestampDelta })),
    });
    expect(records(batch).map(({ timestamp }) => timestamp)).toEqual([1_689_367_380_000, 1_789_367_380_005]);
  });

  test("may have no time, or one far from the batch's", () => {
    const batch = written(0, {
      baseTimestamp: -1n,
      records: [
        valueAt(0, "none", { timestampDelta: 0n }),
        valueAt(1, "far", { timestampDelta: 2n ** 52n }),
        valueAt(2, "farther", { timestampDelta: 2n ** 62n }),
        valueAt(3, "before", { timestampDelta: -(2n ** 63n) }),
      ],
    });
    expect(records(batch).map(({ timestamp }) => timestamp)).toEqual([-1, 2 ** 52 - 1, 2 ** 62, -(2 ** 63)]);
  });
});

describe("a cursor", () => {
  test("tells where the parts lie, over any number of batches", () => {
    const cursor = new RecordCursor(at);
    const found: unknown[] = [];
    for (const value of ["one", "two"]) {
      cursor.open(
        only(encodeBatch(written(7, { records: [valueAt(0, value), valueAt(1, "", { value: null })] }))),
      );
      while (cursor.next()) {
        const { offset, keyStart, valueStart, valueEnd } = cursor;
        found.push([
          offset,
          keyStart,
          valueStart < 0 ? null : cursor.bytes.toString("utf8", valueStart, valueEnd),
        ]);
      }
      expect(cursor.next()).toBe(false);
    }
    expect(found).toEqual([
      [7, -1, "one"],
      [8, -1, null],
      [7, -1, "two"],
      [8, -1, null],
    ]);
  });

  test("finds the last header of a name, and goes on from where it was", () => {
    const headers = ["a", "id", "b", "id", "idle", "i"].map((name, i) => ({ name, value: Buffer.from([i]) }));
    const cursor = new RecordCursor(at);
    const batch = written(0, {
      records: [valueAt(0, "x", { headers }), valueAt(1, "y", { headers: [{ name: "id", value: null }] })],
    });
    cursor.open(only(encodeBatch(batch)));
    expect(cursor.next()).toBe(true);
    expect(cursor.findHeader(Buffer.from("id"))).toBe(true);
    expect([...cursor.bytes.subarray(cursor.headerStart, cursor.headerEnd)]).toEqual([3]);
    expect(cursor.findHeader(Buffer.from("c"))).toBe(false);
    expect(cursor.findHeader(Buffer.alloc(0))).toBe(false);
    expect(cursor.next()).toBe(true);
    expect(cursor.findHeader(Buffer.from("id"))).toBe(true);
    expect(cursor.headerStart).toBe(-1);
    expect(cursor.next()).toBe(false);
  });
});

describe("records that contradict themselves, under a right checksum", () => {
  const number = (value: number) => zigzag(BigInt(value));
  /** A record of these parts, its length as told or as it is. */
  const record = (parts: Buffer[], length?: number) => {
    const body = Buffer.concat(parts);
    return Buffer.concat([number(length ?? body.length), body]);
  };
  const start = [Buffer.from([0]), number(0), number(0)];
  const sound = record([...start, number(-1), number(-1), number(0)]);
  const batch = (body: Buffer, count = 1, lastOffsetDelta = count - 1) =>
    only(frameBatch(written(50, { lastOffsetDelta }), count, body));

  test("are told from sound ones", () => {
    expect(readRecords(batch(sound), at).length).toBe(1);
  });

  test.each<[string, Buffer, string]>([
    ["nothing where a record should be", Buffer.alloc(0), "beyond its batch"],
    [
      "a length beyond the batch",
      record([...start, number(-1), number(-1), number(0)], 99),
      "beyond its batch",
    ],
    ["a length below 0", record([...start, number(-1), number(-1), number(0)], -5), "beyond its batch"],
    ["a length too short", record([...start, number(-1), number(-1), number(0)], 5), "do not fill"],
    [
      "a length too long",
      record([...start, number(-1), number(-1), number(0), Buffer.alloc(3)]),
      "do not fill",
    ],
    ["a key beyond the record", record([...start, number(9), number(-1), number(0)]), "key is longer"],
    [
      "a key of two gigabytes",
      record([...start, number(2 ** 31 - 1), number(-1), number(0)]),
      "key is longer",
    ],
    ["a value beyond the record", record([...start, number(-1), number(9), number(0)]), "value is longer"],
    ["headers below 0", record([...start, number(-1), number(-1), number(-1)]), "-1 headers"],
    [
      "two thousand million headers",
      record([...start, number(-1), number(-1), number(2e9)]),
      "2000000000 headers",
    ],
    ["a header without a name", record([...start, number(-1), number(-1), number(1), number(-1)]), "no name"],
    [
      "a header beyond the record",
      record([...start, number(-1), number(-1), number(1), number(1), Buffer.from("a"), number(9)]),
      "headers are longer",
    ],
    ["a number that does not end", record([...start, Buffer.alloc(20, 0xff)]), "longer than 32 bits"],
    ["a time that does not end", record([Buffer.from([0]), Buffer.alloc(20, 0xff)]), "longer than 64 bits"],
    [
      "an offset beyond the batch",
      record([Buffer.from([0]), number(0), number(1), number(-1)]),
      "numbered 1",
    ],
    [
      "an offset before the batch",
      record([Buffer.from([0]), number(0), number(-1), number(-1)]),
      "numbered -1",
    ],
    ["bytes after the last", Buffer.concat([sound, Buffer.from([0])]), "bytes follow"],
  ])("%s", (_, body, why) => {
    const error = failureOf(() => readRecords(batch(body), at));
    expect(error.message).toContain(why);
    expect(error.at).toEqual({ ...at, offset: 50 });
  });

  test("fewer than the batch says, or the same offset again", () => {
    const twice = Buffer.concat([sound, sound]);
    expect(failureOf(() => readRecords(batch(twice, 2), at)).at.offset).toBe(51);
    expect(failureOf(() => readRecords(batch(sound, 2), at)).at.offset).toBe(51);
    expect(failureOf(() => readRecords(batch(sound, 0, 0), at)).message).toContain("bytes follow");
  });
});
