import { describe, expect, test } from "vitest";
import { BatchWalk } from "./batch-walk";
import { chance } from "./codecs/testing/samples";
import { LogReadError } from "./log-reader";
import type { LogRecord } from "./record";
import type { RecordBatch } from "./record-batch";
import { readRecords } from "./record-cursor";
import { at, written } from "./testing/batches";
import { compressors, xerialSnappy } from "./testing/compressors";
import { frameBatch, signBatch } from "./testing/encode-batch";
import { eventRecords } from "./testing/event-records";
import { readSlowly } from "./testing/read-slowly";
import zstdRecords from "./testing/zstd-records.json" with { type: "json" };
import { uncompress } from "./uncompress";

const COUNT = 10;
const BASE = 1000;

/** The same records by every codec. Each batch begins at BASE. */
const sound: Buffer[] = [
  ...compressors.map((compress, codec) => batchOf(codec, compress(eventRecords(COUNT)))),
  batchOf(2, xerialSnappy(eventRecords(COUNT), 1000)),
  ...zstdRecords.map(({ frame }) => batchOf(4, Buffer.from(frame, "base64"))),
  batchOf(0x18, eventRecords(COUNT)),
];

function batchOf(attributes: number, body: Uint8Array): Buffer {
  return frameBatch(written(BASE, { attributes, lastOffsetDelta: COUNT - 1 }), COUNT, body);
}

const told = (bytes: Uint8Array | null) => (bytes === null ? null : Buffer.from(bytes).toString("latin1"));
const record = ({ offset, timestamp, key, value, headers }: LogRecord) => ({
  offset: BigInt(offset),
  timestamp: timestamp,
  key: told(key),
  value: told(value),
  headers: headers.map(({ name, value: of }) => [Buffer.from(name), told(of)]),
});

type Outcome = "records" | "cut" | "nothing" | LogReadError;

/** Reads all of a record set; whatever is thrown must be ours and name the place. */
function read(set: Buffer, from = BASE): Outcome {
  try {
    const walk = new BatchWalk(set, at, from);
    let found = false;
    for (const batch of walk) {
      found = true;
      checkAgainstSlow(recordsOrError(batch), readSlowly(batch, uncompress(batch, at)));
    }
    return walk.cut ? "cut" : found ? "records" : "nothing";
  } catch (error) {
    if (!(error instanceof LogReadError)) throw error;
    if (error.at.topic !== at.topic || error.at.partition !== at.partition) throw error;
    const place = `topic ${at.topic}, partition ${at.partition}, offset ${error.at.offset}: `;
    if (!error.message.startsWith(place) || error.message.length > 400) throw error;
    if (!Number.isSafeInteger(error.at.offset) || error.at.offset < 0) throw error;
    return error;
  }
}

function recordsOrError(batch: RecordBatch): LogRecord[] | LogReadError {
  try {
    return readRecords(batch, at);
  } catch (error) {
    if (error instanceof LogReadError) return error;
    throw error;
  }
}

/** What was read must be what another reader makes of the same bytes. */
function checkAgainstSlow(fast: LogRecord[] | LogReadError, slow: ReturnType<typeof readSlowly>): void {
  if (fast instanceof LogReadError) {
    if (slow !== null) throw new Error(`sound records were refused: ${fast.message}`);
    throw fast;
  }
  if (slow === null) throw new Error("records were read that contradict themselves");
  if (fast.length !== slow.length) throw new Error("not all records were read");
  for (const [i, one] of fast.map(record).entries()) {
    const other = slow[i];
    const same =
      other !== undefined &&
      one.offset === other.offset &&
      one.timestamp === Number(other.timestamp) &&
      one.key === other.key &&
      one.value === other.value &&
      one.headers.length === other.headers.length;
    if (!same) throw new Error(`record ${one.offset} was read wrong`);
  }
}

/** Runs so many inputs, none of which may take long or leave memory behind; gives how often each outcome came. */
function run(count: number, seed: number, input: (next: () => number) => Buffer) {
  const next = chance(seed);
  const outcomes = { records: 0, cut: 0, nothing: 0, error: 0 };
  const before = process.memoryUsage();
  let slowest = 0;
  let largest = 0;
  for (let i = 0; i < count; i++) {
    const set = input(next);
    const started = performance.now();
    const outcome = read(set);
    slowest = Math.max(slowest, performance.now() - started);
    outcomes[outcome instanceof LogReadError ? "error" : outcome]++;
    if (i % 500 === 0) largest = Math.max(largest, process.memoryUsage().arrayBuffers);
  }
  // A stalled machine takes seconds for anything; a hang takes forever.
  expect(slowest).toBeLessThan(5000);
  expect(largest - before.arrayBuffers).toBeLessThan(200 * 1024 * 1024);
  return outcomes;
}

function pick<T>(from: readonly T[], next: () => number): T {
  const one = from[next() % from.length];
  if (one === undefined) throw new Error("nothing to pick from");
  return one;
}

/** Flips a bit, sets a byte to one that is often special, repeats, removes or swaps a piece: somewhere from `start` on. */
function damage(bytes: Buffer, start: number, next: () => number): Buffer {
  const position = start + (next() % (bytes.length - start));
  const length = 1 + (next() % 8);
  switch (next() % 6) {
    case 0:
    case 1:
      bytes.writeUInt8(bytes.readUInt8(position) ^ (1 << (next() % 8)), position);
      return bytes;
    case 2:
      bytes.writeUInt8(pick([0, 1, 2, 0x7f, 0x80, 0xfe, 0xff], next), position);
      return bytes;
    case 3:
      return Buffer.concat([bytes.subarray(0, position), bytes.subarray(position + length)]);
    case 4: {
      const piece = bytes.subarray(position, position + length);
      return Buffer.concat([bytes.subarray(0, position), piece, bytes.subarray(position)]);
    }
    default:
      for (let i = 0; i < length && position + i < bytes.length; i++) bytes[position + i] = next() & 0xff;
      return bytes;
  }
}

describe("100,000 damaged record sets end in records that are right or an error that names the place", () => {
  test("all the sound ones read the same", () => {
    const [first, ...others] = sound.slice(0, -1).map((set) => {
      const [batch] = new BatchWalk(set, at, BASE);
      return batch && readRecords(batch, at).map((one) => JSON.stringify(record(one), (_, v) => String(v)));
    });
    expect(first?.length).toBe(COUNT);
    for (const other of others) expect(other).toEqual(first);
    expect(sound.map((set) => read(set))).toEqual(sound.map(() => "records"));
  });

  test("20,000 of random bytes", () => {
    const result = run(20_000, 1, (next) => {
      const set = Buffer.from(Array.from({ length: next() % 300 }, () => next() & 0xff));
      // Half of them get past the format and the length.
      if (set.length > 17 && next() % 2 === 0) {
        set[16] = 2;
        set.writeInt32BE(Math.min(set.length - 12, 49 + (next() % 200)), 8);
      }
      return set;
    });
    expect(result.records).toBe(0);
    expect(result.error).toBeGreaterThan(15_000);
  });

  test("15,000 cut batches: told as cut, whatever came before is read", () => {
    const result = run(15_000, 2, (next) => {
      const whole = pick(sound, next);
      return whole.subarray(0, 1 + (next() % (whole.length - 1)));
    });
    expect(result).toMatchObject({ records: 0, nothing: 0, error: 0, cut: 15_000 });
  });

  test("20,000 with bits flipped under the checksum: every one is found", () => {
    const result = run(20_000, 3, (next) => {
      const bad = Buffer.from(pick(sound, next));
      // An odd number of flips never undoes itself.
      for (let flips = 1 + 2 * (next() % 2); flips > 0; flips--) {
        const position = 21 + (next() % (bad.length - 21));
        bad.writeUInt8(bad.readUInt8(position) ^ (1 << (next() % 8)), position);
      }
      return bad;
    });
    expect(result).toMatchObject({ records: 0, nothing: 0, cut: 0, error: 20_000 });
  });

  test("45,000 damaged in header or records, with a checksum that is right again", () => {
    const result = run(45_000, 4, (next) => {
      let bad: Buffer = Buffer.from(pick(sound, next));
      const inHeader = next() % 8 === 0;
      for (let times = 1 + (next() % 3); times > 0; times--) {
        if (inHeader) bad.writeUInt8(next() & 0xff, pick([0, 1, 5, 7, 21, 22, 23, 25, 26, 57, 59, 60], next));
        else bad = damage(bad, 61, next);
      }
      bad.writeInt32BE(bad.length - 12, 8);
      return signBatch(bad);
    });
    // Damage within a value leaves records that are sound; most else does not.
    expect(result.error).toBeGreaterThan(10_000);
    expect(result.records).toBeGreaterThan(5000);
    expect(result).toMatchObject({ cut: 0 });
  });
});
