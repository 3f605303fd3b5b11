import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { KeyedHash } from "./keyed-hash";
import { limitsOf, type SampleLimits, Samples, standardLimits } from "./samples";
import { scanFigures } from "./scan-figures";
import { rateInterval, wilson } from "./wilson";

const MB = 1024 * 1024;

/** Numbers in [0, 1), the same for the same seed (mulberry32). */
function dice(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

function secretOf(seed: number): Buffer {
  const secret = Buffer.alloc(8);
  secret.writeUInt32LE(seed, 0);
  return secret;
}

/** A stream of changes by number, with replays of any length, some of them sent several times. */
function* changes(seed: number, length: number): Generator<number> {
  const random = dice(seed);
  const often = 10 ** (-2 - 2 * random());
  for (let next = 0; next < length; next++) {
    yield next;
    if (random() >= often) continue;
    const back = Math.min(next, Math.floor(2 ** (random() * 11)));
    const times = random() < 0.2 ? 3 : 1;
    for (let again = 0; again < times; again++) for (let i = next - back; i <= next; i++) yield i;
  }
}

const order = () => ({ order: "after" }) as const;

/** Adds changes by number, as a scan does by hash. */
function adder(samples: Samples, secret: Buffer): (change: number) => void {
  const hash = new KeyedHash(secret);
  const identity = { high: 0, low: 0, group: null };
  // Without a key, so that only the identities are looked at.
  const drawn = { offset: 0, op: "u", lane: "orders", type: "postgresql", runId: null } as const;
  const asked = { ...drawn, position: null, positionText: null, gtidPlace: null };
  const of = () => asked;
  return (change) => {
    hash.begin();
    hash.number(change);
    hash.end();
    identity.high = hash.high;
    identity.low = hash.low;
    samples.seen(change);
    samples.change(identity, null, of, order);
  };
}

test("in at least 90 of 100 runs the interval holds the true rate, and in nearly all it is near", () => {
  let held = 0;
  let widest = 0;
  for (let seed = 1; seed <= 100; seed++) {
    const secret = secretOf(seed);
    const samples = new Samples({ secret, identities: 2_000, keys: 1 });
    const add = adder(samples, secret);
    const seen = new Set<number>();
    let records = 0;
    for (const change of changes(seed, 30_000)) {
      add(change);
      seen.add(change);
      records++;
    }
    const truth = (records - seen.size) / records;
    const { interval, share, events } = samples.result();
    const [low, high] = interval ?? [1, 0];
    expect([events, share < 0.1]).toEqual([records, true]);
    if (low <= truth && truth <= high) held++;
    widest = Math.max(widest, high - low);
  }
  expect(held).toBeGreaterThanOrEqual(90);
  // An interval that holds everything would say nothing.
  expect(widest).toBeLessThan(0.12);
});

test("while all is drawn the figures are exact, and the interval is the rate", () => {
  const secret = secretOf(7);
  const samples = new Samples({ secret, identities: 100_000, keys: 1 });
  const add = adder(samples, secret);
  const all = [...changes(7, 30_000)];
  all.forEach(add);
  const duplicates = all.length - new Set(all).size;
  expect(duplicates).toBeGreaterThan(0);
  const rate = duplicates / all.length;
  expect(samples.result()).toMatchObject({
    ...{ records: all.length, events: all.length, duplicates, share: 1, sampled: new Set(all).size },
    interval: [expect.closeTo(rate, 12), expect.closeTo(rate, 12)],
    ...{ from: 0, to: 29_999 },
  });
});

const figuresOf = (samples: Samples) => ({ ...samples.result(), violations: [] });

test("stopped anywhere and gone on from its state it ends with the same figures", () => {
  const secret = secretOf(3);
  const limits: SampleLimits = { identities: 500, keys: 10 };
  const whole = new Samples({ secret, ...limits });
  const all = [...changes(3, 20_000)];
  all.forEach(adder(whole, secret));
  let stopped = new Samples({ secret, ...limits });
  all.forEach((change, i) => {
    if (i % 1_717 === 5) stopped = Samples.fromState(stopped.toState(), { secret, ...limits });
    adder(stopped, secret)(change);
  });
  expect(stopped.result()).toEqual(whole.result());
});

test("samples of parts say together what one sample of all says", () => {
  const secret = secretOf(4);
  const all = [...changes(4, 20_000)];
  const whole = new Samples({ secret, identities: 1_000, keys: 1 });
  all.forEach(adder(whole, secret));
  // By the change, as the key makes the partition. Limits so that the smallest share is that of the whole.
  const parts = [0, 1, 2].map((part) => {
    const samples = new Samples({ secret, identities: part === 0 ? 300 : 100_000, keys: 1 });
    const add = adder(samples, secret);
    for (const change of all) if (change % 3 === part) add(change);
    return samples;
  });
  const levels = parts.map((p) => p.identities.level);
  expect(levels[0]).toBe(whole.identities.level);
  expect(levels.slice(1)).toEqual([0, 0]);
  expect({ ...scanFigures(parts), violations: [] }).toEqual(figuresOf(whole));
});

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** What the process holds on to. */
function held(): number {
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** All changes once, and every hundredth again. */
function memoryOf(changes: number): { grown: number; samples: Samples } {
  const secret = secretOf(5);
  const before = held();
  const samples = new Samples({ secret, ...standardLimits });
  const add = adder(samples, secret);
  const row = new KeyedHash(secret);
  let largest = 0;
  for (let i = 0; i < changes; i++) {
    add(i);
    if (i % 100 === 99) add(i - 50);
    row.begin();
    row.number(i % 2_000_000);
    row.word(1);
    row.end();
    if (samples.keys.isDrawn(row.high)) {
      const position = {
        of: "event",
        lsn: BigInt(i),
        lastCommit: BigInt(i),
        txId: BigInt(i),
        snapshot: null,
      };
      const change = { offset: i, op: "u", lane: "orders", runId: null, position, positionText: null };
      const by = { high: Math.imul(i, 0x9e3779b1) >>> 0, low: i, number: null };
      samples.keys.change(row, change, by, order);
    }
    if (i % 1_000_000 === 0) largest = Math.max(largest, held());
  }
  largest = Math.max(largest, held());
  const state = samples.toState();
  largest = Math.max(largest, held());
  expect(state.length).toBeLessThan(16 * MB);
  return { grown: largest - before, samples };
}

test("20 million changes stay under 64 MB", () => {
  const changes = 20_000_000;
  const { grown, samples } = memoryOf(changes);
  const { events, share, sampled, rate, keyShare } = samples.result();
  expect([events, share <= 1 / 32, keyShare <= 1 / 64]).toEqual([changes * 1.01, true, true]);
  expect(sampled).toBeGreaterThan(standardLimits.identities / 2 - 5_000);
  expect(rate).toBeCloseTo(0.01 / 1.01, 3);
  expect(grown).toBeLessThan(64 * MB);
});

test("Wilson's interval is the textbook's", () => {
  // Newcombe 1998, table I, method 3.
  expect(wilson(81 / 263, 263)).toEqual([expect.closeTo(0.2553, 4), expect.closeTo(0.3662, 4)]);
  expect(wilson(15 / 148, 148)).toEqual([expect.closeTo(0.0624, 4), expect.closeTo(0.1605, 4)]);
  expect(wilson(0, 20)).toEqual([0, expect.closeTo(0.1611, 4)]);
  expect(wilson(1, 29)).toEqual([expect.closeTo(0.883, 4), 1]);
});

test("nothing drawn has no interval; none found among few is not certainly none", () => {
  const none = { identities: 0, repeated: 0, extra: 0, extraSquares: 0, share: 0.5 };
  expect(rateInterval(none)).toBeNull();
  const [low, high] = rateInterval({ ...none, identities: 20, share: 0.001 }) ?? [1, 1];
  expect(low).toBe(0);
  expect(high).toBeGreaterThan(0.1);
});

test("a topic's limits are shared by its partitions, whoever reads them", () => {
  expect(limitsOf(8)).toEqual({ identities: 62_500, keys: 2_000 });
  expect(limitsOf(100_000)).toEqual({ identities: 256, keys: 256 });
});
