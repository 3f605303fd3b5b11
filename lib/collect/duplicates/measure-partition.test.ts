import { expect, test } from "vitest";
import { RecordsGone } from "@/lib/collect/restarts/partition-log";
import { postgresChange, runIdAt, tombstoneOf } from "@/lib/collect/restarts/testing/run-log";
import type { LogRecord } from "@/lib/kafka/log/record";
import { carriedSchema, measurePartition, type PartitionRequest } from "./measure-partition";
import { MadeUpLog } from "./testing/made-up-log";

const base = 1_800_000_000_000;
const runs = [0, 1, 2, 3, 4].map((run) => runIdAt(base + run * 1_000));
const at = (offset: number) => base + offset * 10;
type Made = Omit<LogRecord, "offset">;

const change = (n: number, run: number | null, op = "c") =>
  postgresChange(n, run === null ? null : (runs[run] ?? null), base, op);

/** The numbers from `from` to before `to`. */
function* numbers(from: number, to: number): Generator<number> {
  for (let n = from; n < to; n++) yield n;
}

const changes = (from: number, to: number, run: number | null) =>
  [...numbers(from, to)].map((n) => change(n, run));

function logOf(records: readonly Made[], batchSize = 16) {
  return new MadeUpLog(records.length, (offset) => records[offset] ?? null, at, batchSize);
}

const request: Omit<PartitionRequest, "to"> = {
  topic: "shop.public.orders",
  partition: 0,
  topicId: null,
  from: 0,
  carried: null,
  type: null,
  config: null,
  starts: [],
  registry: null,
  wholeBytes: 0,
  maxBytes: 64 * 1024 * 1024,
};

const measure = (log: MadeUpLog, of: Partial<PartitionRequest> = {}) =>
  measurePartition(log.reader(), { ...request, to: log.end, ...of });

test("finds what a run produced again", async () => {
  const log = logOf([...changes(0, 1000, 0), ...changes(800, 3000, 1), ...changes(2999, 4000, 2)]);
  const { found } = await measure(log);
  expect(found.replays).toMatchObject([
    {
      firstOffset: 1000,
      lastOffset: 1199,
      count: 200,
      bound: "exact",
      firstPosition: "0/232D",
      lastPosition: "0/2AF3",
      firstCopyOf: 800,
      lastCopyOf: 999,
      runBefore: runs[0],
      runAfter: runs[1],
      writer: "shop",
      evidence: "run-id",
      causeInLog: null,
    },
    { firstOffset: 3200, lastOffset: 3200, count: 1, firstCopyOf: 3199 },
  ]);
  expect(found.runs.map(({ firstOffset }) => firstOffset)).toEqual([0, 1000, 3200]);
  expect(found).toMatchObject({ falls: [], notMeasurable: [], sure: "complete", spacing: null });
});

test("in a million records it reads a few hundredths, whatever the starts", async () => {
  // Each run begins 40 changes behind the one before.
  const length = 125_000;
  const made = (offset: number) => {
    const run = Math.floor(offset / length);
    return postgresChange(offset - 40 * run, runIdAt(base + run * 1_000), base);
  };
  // No more records than a minute has: what is looked through behind each start is little.
  const log = new MadeUpLog(8 * length, made, (offset) => base + offset * 100);
  const { found } = await measure(log);
  expect(found.replays.map(({ firstOffset, count }) => [firstOffset, count])).toEqual(
    [1, 2, 3, 4, 5, 6, 7].map((run) => [run * length, 40]),
  );
  const perRecord = 1_100;
  expect(found.bytesRead).toBeLessThan(log.end * perRecord * 0.03);
  expect(found.reads).toBeLessThan(7 * 60 + 100);
});

test("a replay too large to be read twice is counted by position, at most", async () => {
  const log = logOf([...changes(0, 3000, 0), ...changes(1000, 5000, 1)]);
  const { found } = await measure(log, { identityBytes: 100_000 });
  expect(found.replays).toMatchObject([
    { firstOffset: 3000, lastOffset: 4999, count: 2000, bound: "at-most", firstCopyOf: 1000 },
  ]);
});

test("what retention removed is counted by position, its first copies unknown", async () => {
  const log = logOf([...changes(0, 1000, 0), ...changes(800, 3000, 1)]);
  log.earliest = 900;
  const { found } = await measure(log);
  expect(found.from).toBe(900);
  expect(found.replays).toMatchObject([
    { firstOffset: 1000, lastOffset: 1199, count: 200, bound: "at-most", firstCopyOf: null, lastCopyOf: 999 },
  ]);
});

test("marks of an earlier look hold when retention removed all that was there", async () => {
  const log = logOf([...changes(0, 1000, 0), ...changes(800, 3000, 1)]);
  const first = await measure(log, { to: 1000 });
  log.earliest = 1000;
  const carried = carriedSchema.parse(JSON.parse(JSON.stringify(first.carried)));
  const { found } = await measure(log, { from: 1000, carried });
  expect(found.replays).toMatchObject([
    {
      firstOffset: 1000,
      lastOffset: 1199,
      count: 200,
      bound: "at-most",
      firstCopyOf: null,
      lastCopyOf: null,
    },
  ]);
});

test("a slice of which nothing is known looks back for the runs before it", async () => {
  const log = logOf([...changes(0, 1000, 0), ...changes(800, 850, 1), ...changes(820, 3000, 2)]);
  const { found } = await measure(log, { from: 1050 });
  expect(found.replays).toMatchObject([
    { firstOffset: 1050, lastOffset: 1229, count: 180, firstCopyOf: 820 },
  ]);
});

test("without run ids it finds what begins at a known time, and what is larger than the samples' spacing", async () => {
  const log = logOf([
    ...changes(0, 6000, null),
    ...changes(5990, 12_000, null),
    ...changes(9000, 20_000, null),
  ]);
  const none = await measure(log);
  expect(none.found.replays.map(({ count, evidence }) => [count, evidence])).toEqual([[3000, "samples"]]);
  expect(none.found).toMatchObject({ sure: "known-starts" });
  expect(none.found.spacing).toBeGreaterThan(1000);
  const { found } = await measure(log, { starts: [at(5_950)] });
  expect(found.replays).toMatchObject([
    { firstOffset: 6000, lastOffset: 6009, count: 10, firstCopyOf: 5990, evidence: "restart-time" },
    { firstOffset: 12_010, count: 3000, firstCopyOf: 9010 },
  ]);
});

test("a short range without run ids is read whole", async () => {
  const log = logOf([...changes(0, 200, null), ...changes(199, 300, null), ...changes(250, 400, null)]);
  const { found } = await measure(log);
  expect(found.replays.map(({ firstOffset, count }) => [firstOffset, count])).toEqual([
    [200, 1],
    [301, 50],
  ]);
  expect(found).toMatchObject({ sure: "whole", spacing: null });
});

test("positions that fall with changes never seen are a fall, and what follows is measured by itself", async () => {
  // Another history: the same numbers of the log, other transactions.
  const others = (from: number, to: number, run: number) =>
    changes(from, to, run).map((record) => ({
      ...record,
      value: Buffer.from(record.value.toString().replace(/"txId":(\d+)/, '"txId":9$1')),
    }));
  const log = logOf([...changes(0, 3000, 0), ...others(0, 700, 1), ...others(600, 900, 2)]);
  const { found } = await measure(log);
  expect(found.falls).toMatchObject([{ offset: 3000, kind: "timeline" }]);
  expect(found.replays).toMatchObject([
    { firstOffset: 3700, lastOffset: 3799, count: 100, firstCopyOf: 3600 },
  ]);
});

test("several writers of a partition are measured each by itself", async () => {
  const records: Made[] = [];
  const of = (n: number, run: string, name: string): Made => {
    const made = postgresChange(n, run, base);
    const renamed = made.headers.map((header) =>
      header.name.endsWith("connectorLogicalName") ? { ...header, value: Buffer.from(name) } : header,
    );
    return {
      ...made,
      headers: renamed,
      value: Buffer.from(made.value.toString().replace('"name":"shop"', `"name":"${name}"`)),
    };
  };
  for (let i = 0; i < 1200; i++) {
    records.push(of(i < 500 ? i : i - 30, runs[i < 500 ? 0 : 3] as string, "shop"));
    records.push(of(i < 700 ? i * 3 : (i - 5) * 3, runs[i < 700 ? 1 : 2] as string, "till"));
  }
  const { found } = await measure(logOf(records));
  expect(found.replays).toMatchObject([
    { writer: "shop", firstOffset: 1000, lastOffset: 1058, count: 30, firstCopyOf: 940 },
    { writer: "till", firstOffset: 1401, lastOffset: 1409, count: 5, firstCopyOf: 1391 },
  ]);
  const config = { "topic.prefix": "till" };
  const own = await measure(logOf(records), { config });
  expect(own.found.replays.map(({ writer, count }) => [writer, count])).toEqual([["till", 5]]);
});

test("aborted copies are counted apart", async () => {
  // The run before died in a transaction, 32 of whose changes had been written.
  const records = [...changes(0, 608, 0), ...changes(608, 640, 0), ...changes(608, 1500, 1)];
  const log = new MadeUpLog(
    records.length,
    (offset) => records[offset] ?? null,
    at,
    16,
    (offset) => offset >= 608 && offset < 640,
  );
  const { found } = await measure(log);
  expect(found).toMatchObject({ replays: [], uncommittedCopies: 32 });
});

test("batches that a producer sent twice beside a change of the leader are found", async () => {
  const records = [...changes(0, 3200, 0), ...changes(3184, 9600, 0)];
  const epoch = (offset: number) => (offset < 3200 ? 4 : 5);
  const log = new MadeUpLog(
    records.length,
    (offset) => records[offset] ?? null,
    at,
    16,
    () => false,
    epoch,
  );
  const { found } = await measure(log);
  expect(found.replays).toMatchObject([
    {
      firstOffset: 3200,
      lastOffset: 3215,
      count: 16,
      firstCopyOf: 3184,
      evidence: "leader-epoch",
      causeInLog: "producer-retry",
    },
  ]);
});

test("a run that was taken for dead is found where it goes on writing soon, or last", async () => {
  const zombie = changes(900, 920, 0);
  const log = logOf([...changes(0, 900, 0), ...changes(880, 1700, 1), ...zombie, ...changes(1700, 2600, 1)]);
  const late = (await measure(log)).found;
  expect(late.replays).toMatchObject([
    { firstOffset: 900, lastOffset: 919, count: 20, causeInLog: null },
    { firstOffset: 1720, lastOffset: 1739, count: 20, runAfter: runs[0], causeInLog: "worker-lost" },
  ]);
  const end = logOf([...changes(0, 900, 0), ...changes(900, 12_000, 1), ...zombie]);
  const last = (await measurePartition(end.reader(), { ...request, to: end.end, from: 2000 })).found;
  expect(last.replays).toMatchObject([
    { firstOffset: 12_000, count: 20, firstCopyOf: 900, causeInLog: "worker-lost" },
  ]);
});

test("records that cannot be read are told, with what to change", async () => {
  const bare = [...numbers(0, 900)].map(
    (n): Made => ({
      timestamp: base,
      key: Buffer.from(`{"id":${n}}`),
      value: Buffer.from(`{"id":${n},"__op":"c"}`),
      headers: [],
    }),
  );
  const { found } = await measure(logOf(bare));
  expect(found.notMeasurable).toMatchObject([
    { slug: "flattened", remedy: expect.stringContaining("add.fields") },
  ]);
  const framed = bare.map((record) => ({ ...record, value: Buffer.from([0, 0, 0, 0, 7, 1, 2]) }));
  const avro = await measure(logOf(framed));
  expect(avro.found.notMeasurable).toMatchObject([{ slug: "registry" }]);
});

test("tombstones alone, or nothing: nothing is found, and nothing wrong said", async () => {
  const tombstones = [...numbers(0, 700)].map((n): Made => ({ ...tombstoneOf(n, base) }));
  expect((await measure(logOf(tombstones))).found).toMatchObject({ replays: [], falls: [], runs: [] });
  expect((await measure(logOf([]))).found).toMatchObject({ replays: [], from: 0, to: 0 });
});

test("the budget ends a look at a start, where the next goes on", async () => {
  const log = logOf([
    ...changes(0, 1000, 0),
    ...changes(900, 2000, 1),
    ...changes(1900, 3000, 2),
    ...changes(2990, 3500, 3),
  ]);
  const replays = [];
  let [from, carried]: [number, PartitionRequest["carried"]] = [0, null];
  let looks = 0;
  for (; from < log.end && looks < 20; looks++) {
    const look = await measure(log, { from, carried, maxBytes: 400_000 });
    expect(look.found.to).toBeGreaterThan(from);
    replays.push(...look.found.replays);
    [from, carried] = [look.found.to, look.carried];
  }
  expect(looks).toBeGreaterThan(1);
  expect(replays.map(({ firstOffset, count }) => [firstOffset, count])).toEqual([
    [1000, 100],
    [2100, 100],
    [3200, 10],
  ]);
});

test("a topic made again, a damaged record and a cancelled look end it", async () => {
  const log = logOf([...changes(0, 1000, 0), ...changes(900, 2000, 1)]);
  log.failure = { at: 1_050, of: { kind: "timeout", sentence: "the broker does not answer", remedy: null } };
  await expect(measure(log)).rejects.toMatchObject({ name: "LogReadError" });
  log.failure = null;
  log.recreated = true;
  await expect(measure(log)).rejects.toBeInstanceOf(RecordsGone);
  log.recreated = false;
  await expect(measure(log, { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: "AbortError" });
  expect((await measure(log)).found.replays).toHaveLength(1);
});

test("tasks that take turns in one partition are read whole, look by look", async () => {
  const records: Made[] = [];
  const of = (n: number, run: number, db: string): Made => ({
    timestamp: base,
    key: Buffer.from(`{"id":${n}}`),
    value: Buffer.from(
      JSON.stringify({
        before: null,
        after: { id: n },
        source: {
          connector: "sqlserver",
          name: "shop",
          snapshot: "false",
          db,
          commit_lsn: `00000027:${(0x1000 + n).toString(16).padStart(8, "0")}:0001`,
          change_lsn: `00000027:${(0x1000 + n).toString(16).padStart(8, "0")}:0002`,
          event_serial_no: 1,
        },
        op: "c",
        ts_ms: base,
        transaction: null,
      }),
    ),
    headers: change(n, run).headers,
  });
  // Two tasks of one connector, each with a database of its own; both are started again in between.
  for (let n = 0; n < 1500; n++) records.push(of(n, 0, "a"), of(n, 1, "b"));
  for (let n = 1490; n < 3000; n++) records.push(of(n, 2, "a"), of(n, 3, "b"));
  const log = logOf(records);
  const replays = new Map<number, number>();
  let [from, carried]: [number, PartitionRequest["carried"]] = [0, null];
  for (let looks = 0; from < log.end && looks < 50; looks++) {
    const look = await measure(log, { from, carried, maxBytes: 600_000 });
    expect(look.found.to).toBeGreaterThan(from);
    for (const { firstOffset, count } of look.found.replays) replays.set(firstOffset, count);
    [from, carried] = [look.found.to, carriedSchema.parse(JSON.parse(JSON.stringify(look.carried)))];
  }
  expect(from).toBe(log.end);
  expect([...replays]).toEqual([
    [3000, 10],
    [3001, 10],
  ]);
});
