import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MadeUpLog } from "@/lib/collect/duplicates/testing/made-up-log";
import type { ConnectorType } from "@/lib/debezium/connector-type";
import { deliveredRecord } from "@/lib/debezium/events/delivered-record";
import { capturedRecords } from "@/lib/debezium/events/fixtures/read";
import { compact, escaped, withSchema } from "@/lib/debezium/events/testing/random-events";
import type { JsonValue } from "@/lib/debezium/json";
import { LogReadError, type LogReader } from "@/lib/kafka/log/log-reader";
import type { LogRecord } from "@/lib/kafka/log/record";
import { WholeCount } from "@/lib/measure/duplicates/whole-count";
import type { Failure } from "@/lib/observed/observation";
import { type ScanRequest, type ScanState, scanTopic, type TopicScan } from "./scan-topic";

type Made = Omit<LogRecord, "offset" | "timestamp">;

const T = 1_789_367_000_000;
const topic = "shop.public.orders";
const secret = Buffer.from("8 bytes!");
const time = (offset: number) => T + offset * 100;

const asked = (to: number, more: Partial<ScanRequest> = {}): ScanRequest => ({
  topic,
  partitions: [{ partition: 0, from: 0, to }],
  ...{ type: null, config: null, registry: null, secret },
  ...more,
});

/** What of a result does not hang on how it was found. */
function figuresOf({ result }: Pick<TopicScan, "result">) {
  const { notMeasurable, bytesRead, violations, interval, ...figures } = result;
  const reasons = notMeasurable.map(({ slug, count }) => [slug, count]);
  return { ...figures, reasons: reasons.sort((a, b) => String(a).localeCompare(String(b))) };
}

/** The truth: every record read in full, every identity in memory. */
function truthOf(records: readonly Made[], type: ConnectorType | null, aborted = (_offset: number) => false) {
  const whole = new WholeCount();
  records.forEach((record, offset) => {
    const logged = { ...record, offset, timestamp: time(offset) };
    const delivered = deliveredRecord(logged, { topic, partition: 0 }, null, type);
    if (aborted(offset)) whole.addAborted(delivered);
    else whole.add(delivered);
  });
  const { distinct, repeatedReads, replays, ...result } = whole.result(topic);
  return figuresOf({ result: { ...result, keyShare: 1 } });
}

const logOf = (records: readonly Made[], aborted?: (offset: number) => boolean, batch = 4) =>
  new MadeUpLog(records.length, (offset) => records[offset] ?? null, time, batch, aborted);

/** The n-th change of a source. `odd`: with values that bytes alone do not tell. */
function sourceOf(type: string, n: number, odd: boolean): [string, JsonValue][] {
  const head: [string, JsonValue][] = [
    ["version", "3.6.1.Final"],
    ["connector", type],
    ["name", n % 11 === 3 ? "other" : "shop"],
    ["ts_ms", T + n],
    ["snapshot", "false"],
    ["db", "shop"],
  ];
  const large = odd && n % 3 === 0 ? 2n ** 60n : 0n;
  if (type === "postgresql") {
    const lsn = BigInt(1000 + 10 * n) + large;
    return [
      ...head,
      ["sequence", JSON.stringify([`${lsn - 5n}`, `${lsn}`])],
      ["schema", n % 5 === 0 ? "audit" : "public"],
      ["table", n % 7 === 0 ? "lines" : "orders"],
      ["txId", odd && n % 4 === 0 ? null : 500 + n],
      ["lsn", large > 0n ? lsn : Number(lsn)],
      ["xmin", null],
    ];
  }
  return [
    ...head,
    ["table", n % 7 === 0 ? "lines" : "orders"],
    ["server_id", odd && n % 4 === 0 ? 0 : 223344],
    ["gtid", n % 2 === 0 ? null : `0-1-${n + (odd ? 0 : 1)}`],
    ["file", odd && n % 5 === 0 ? "binlög.000001" : "mysql-bin.000001"],
    ["pos", large > 0n ? large + BigInt(n) : 4 + 10 * n],
    ["row", n % 3],
    ["thread", null],
    ["query", null],
  ];
}

interface Form {
  n: number;
  op: string;
  form: "compact" | "schema" | "escaped" | "tombstone" | "snapshot" | "no key";
  odd: boolean;
}

/** One copy of the n-th change, in one of the forms in which it can be written. */
function made(type: string, { n, op, form, odd }: Form): Made {
  const plainKey = JSON.stringify({ id: n % 6 });
  if (form === "tombstone") return { key: Buffer.from(plainKey), value: null, headers: [] };
  const source = sourceOf(type, n, odd).map(([name, value]): [string, JsonValue] =>
    form === "snapshot" && name === "snapshot" ? [name, "true"] : [name, value],
  );
  const members: [string, JsonValue][] = [
    ["before", null],
    ["after", { id: n % 6, note: '","lsn":7' }],
    ["source", Object.fromEntries(source)],
    ["transaction", n % 3 === 0 ? null : { id: `t${n}`, total_order: 1 + (n % 4), data_collection_order: 1 }],
    ["op", form === "snapshot" ? "r" : op],
    ["ts_ms", T],
  ];
  const value =
    form === "schema"
      ? withSchema(members, topic)
      : form === "escaped"
        ? escaped(compact(members), true, n)
        : compact(members);
  const key =
    form === "no key"
      ? null
      : form === "schema"
        ? `{"schema":{"type":"struct","fields":[{"type":"int64","optional":false,"field":"id"}],"optional":false},"payload":${plainKey}}`
        : plainKey;
  const runId = { name: "__debezium.context.runId", value: Buffer.from(`run ${Math.floor(n / 9)}`) };
  return {
    key: key === null ? null : Buffer.from(key),
    value: Buffer.from(value),
    headers: n % 13 < 6 ? [runId] : [],
  };
}

const form = fc.record({
  n: fc.integer({ min: 0, max: 14 }),
  form: fc.constantFrom(
    "compact",
    "compact",
    "compact",
    "schema",
    "escaped",
    "tombstone",
    "snapshot",
    "no key",
  ) as fc.Arbitrary<Form["form"]>,
});

test.each(["postgresql", "mysql", "mariadb"] as const)(
  "%s: read by bytes or in full, the figures are those of a count of everything",
  async (type) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(form, { maxLength: 40 }),
        fc.boolean(),
        fc.boolean(),
        async (forms, odd, told) => {
          const ops = ["c", "u", "d"];
          const records = forms.map((one) =>
            // A change has one op and one key, however it is written.
            made(type, {
              ...one,
              odd,
              op: ops[one.n % 3] ?? "c",
              form: one.n % 13 === 12 ? "no key" : one.form === "no key" ? "compact" : one.form,
            }),
          );
          const asks = asked(records.length, { type: told ? type : null });
          const scan = await scanTopic(logOf(records).reader(), asks);
          expect(figuresOf(scan)).toEqual(truthOf(records, told ? type : null));
        },
      ),
      { numRuns: 100 },
    );
  },
);

test("captured records of every connector are counted as in full", async () => {
  const records = capturedRecords().map(({ record }) => record as Made);
  expect(records.length).toBeGreaterThan(30);
  const twice = [...records, ...records.slice(0, 20)];
  const scan = await scanTopic(logOf(twice).reader(), asked(twice.length));
  expect(figuresOf(scan)).toEqual(truthOf(twice, null));
  expect(scan.result.duplicates).toBeGreaterThan(0);
});

/** A stretch of changes, some of them twice. */
const plain = (length: number, back = 0): Made[] =>
  Array.from({ length }, (_, i) =>
    made("postgresql", { n: i < length / 2 ? i : i - back, op: "c", form: "compact", odd: false }),
  );

describe("a scan of a topic", () => {
  test("stopped at any checkpoint, or cancelled, it goes on to the same figures", async () => {
    const records = plain(400, 50);
    const limits = { identities: 40, keys: 3 };
    const whole = await scanTopic(logOf(records).reader(), asked(400, { limits }));
    expect(whole).toMatchObject({ why: "end", reached: [{ partition: 0, next: 400 }] });
    expect(whole.result.share).toBeLessThan(0.25);
    let state: ScanState | null = null;
    let rounds = 0;
    for (;;) {
      const stop = new AbortController();
      let passed = 0;
      const request: ScanRequest = asked(400, {
        ...{ limits, resume: state ? [state] : null, checkpointMs: 0 },
        checkpoint: async (kept) => {
          state = kept;
          if (++passed === 7) throw new Error("killed");
        },
        signal: stop.signal,
      });
      rounds++;
      const scan = await scanTopic(logOf(records).reader(), request).catch(() => null);
      if (!scan) continue;
      expect(scan.result).toEqual(whole.result);
      break;
    }
    expect(rounds).toBeGreaterThan(10);
  });

  test("tells its progress and ends where it was asked to, in the middle of batches", async () => {
    const told: { done: number; total: number }[] = [];
    const log = logOf(plain(100), undefined, 16);
    const scan = await scanTopic(log.reader(), {
      ...asked(100),
      partitions: [{ partition: 0, from: 5, to: 90 }],
      progress: (done) => told.push(done),
    });
    expect(scan.result.records).toBe(85);
    expect(told.at(-1)).toMatchObject({ done: 85, total: 85 });
  });

  test("what was aborted is no duplicate, and counted apart", async () => {
    // 8 aborted, then again and delivered, 4 of them once more.
    const order = [...range(0, 8), ...range(0, 8), ...range(4, 8), ...range(20, 24)];
    const records = order.map((n) => made("mariadb", { n, op: "c", form: "compact", odd: false }));
    const aborted = (offset: number) => offset < 8 || offset >= 20;
    const { result } = await scanTopic(logOf(records, aborted).reader(), asked(records.length));
    expect(result).toMatchObject({ records: 12, events: 12, duplicates: 4, uncommittedCopies: 8 });
    expect(figuresOf({ result })).toEqual(truthOf(records, null, aborted));
  });

  test("what retention removed is told; a topic that was made again ends the scan", async () => {
    const log = logOf(plain(100));
    log.earliest = 40;
    const scan = await scanTopic(log.reader(), asked(100));
    expect(scan.result).toMatchObject({ records: 60, notMeasurable: [{ slug: "deleted", count: 40 }] });
    log.recreated = true;
    expect((await scanTopic(log.reader(), asked(100))).why).toBe("recreated");
  });

  test("a scan that failed after retention overtook it goes on with what it could not read", async () => {
    const failure: Failure = {
      kind: "server-error",
      sentence: "it has no leader at the moment",
      remedy: null,
    };
    const log = logOf(plain(100));
    log.earliest = 40;
    const reader = log.reader();
    const dying: LogReader = {
      ...reader,
      async *read(range) {
        const reading = reader.read(range);
        for (let batches = 0; batches < 5; batches++) {
          const step = await reading.next();
          if (step.done) return step.value;
          yield step.value;
        }
        throw new LogReadError(failure, { topic, partition: 0, offset: 60 });
      },
    };
    const states: ScanState[] = [];
    const keep = async (state: ScanState) => void states.splice(0, 1, state);
    await expect(scanTopic(dying, asked(100, { checkpoint: keep, checkpointMs: 0 }))).rejects.toThrow(
      LogReadError,
    );
    expect(states).toMatchObject([{ from: 0, next: 60 }]);
    const { result } = await scanTopic(reader, asked(100, { resume: states }));
    expect(result).toMatchObject({ records: 60, notMeasurable: [{ slug: "deleted", count: 40 }] });
  });

  test("a state of another topic of the same name is not gone on with", async () => {
    const states: ScanState[] = [];
    const log = logOf(plain(40));
    const keep = async (state: ScanState) => void states.push(state);
    await scanTopic(log.reader(), asked(40, { topicId: "a", checkpoint: keep }));
    const again = await scanTopic(log.reader(), asked(40, { topicId: "b", resume: states }));
    expect(again.result).toMatchObject({ records: 40, duplicates: 0 });
    const on = await scanTopic(log.reader(), asked(40, { topicId: "a", resume: states }));
    expect(on.result).toMatchObject({ records: 40, duplicates: 0 });
  });

  test("garbage is not measurable, never nothing", async () => {
    const records: Made[] = [
      { key: null, value: Buffer.from("garbage"), headers: [] },
      { key: null, value: Buffer.from([0, 0, 0, 0, 7, 1, 2]), headers: [] },
      ...plain(4),
    ];
    const { result } = await scanTopic(logOf(records).reader(), asked(6));
    expect(result.events).toBe(4);
    expect(result.notMeasurable.map(({ count }) => count)).toEqual([1, 1]);
  });
});

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i);
}
