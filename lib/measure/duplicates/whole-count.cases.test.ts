import { describe, expect, test } from "vitest";
import { deliveredRecord, type LoggedRecord } from "@/lib/debezium/events/delivered-record";
import { isJsonObject, type JsonObject, type JsonValue } from "@/lib/debezium/json";
import reportedLines from "./fixtures/reported.json";
import { event, jsonLines } from "./testing/logged";
import { WholeCount } from "./whole-count";

const cases = new Map(jsonLines(reportedLines).map((line) => [line.id, line]));

function reported(id: string): { input: JsonValue; expected: JsonObject } {
  const { input = null, expected } = cases.get(id) ?? {};
  if (!isJsonObject(expected)) throw new Error(`no case ${id}`);
  return { input, expected };
}

/** A case's record as it would lie in a topic; keys are written as texts or numbers there, some as JSON. */
function recordOf(item: JsonValue): LoggedRecord {
  if (!isJsonObject(item) || typeof item.o !== "number") throw new Error("no record");
  const key = typeof item.key === "string" && item.key.startsWith("{") ? item.key : null;
  const source = isJsonObject(item.source)
    ? item.source
    : { connector: "postgresql", lsn: item.lsn ?? null, txId: 7, table: "orders", snapshot: "false" };
  const made = event(
    item.o,
    item.key ?? null,
    typeof item.op === "string" ? item.op : "c",
    withClock(source),
  );
  return key === null ? made : { ...made, key: Buffer.from(key) };
}

/** Every block has `ts_ms`; the cases leave it out. */
const withClock = (source: JsonObject): JsonObject => ({ ts_ms: 1_789_367_000_000, ...source });

const delivered = (item: JsonValue) =>
  deliveredRecord(recordOf(item), { topic: "t", partition: 0 }, null, null);

function counted(input: JsonValue) {
  if (!Array.isArray(input)) throw new Error("no list");
  const count = new WholeCount();
  for (const item of input) count.add(delivered(item));
  return count.result("t");
}

describe("plain change streams", () => {
  test("DUP-01: a plain replay after a restart", () => {
    const { input, expected } = reported("DUP-01");
    const { records, distinct, duplicates, rate, replays } = counted(input);
    expect({ records, distinct, duplicates }).toEqual({
      records: expected.records,
      distinct: expected.distinct,
      duplicates: expected.duplicates,
    });
    expect(`${((rate ?? 0) * 100).toFixed(1)} % (${duplicates}/${records})`).toBe(expected.rate_of_records);
    const runs = replays.map(
      ({ firstOffset, lastOffset, firstCopyOf, lastCopyOf }) =>
        `offsets ${firstOffset}–${lastOffset} repeat ${firstCopyOf}–${lastCopyOf}`,
    );
    expect(runs).toEqual([expected.replay_run]);
  });

  test.each(["DUP-02", "DUP-04", "DUP-07", "DUP-09", "DUP-11"])(
    "%s: different changes, no duplicate",
    (id) => {
      const { input, expected } = reported(id);
      const result = counted(input);
      expect(result).toMatchObject({
        records: expected.records,
        events: expected.records,
        duplicates: expected.duplicates,
        distinct: expected.records,
        rate: 0,
        replays: [],
        keyOrderViolations: 0,
        notMeasurable: [],
      });
    },
  );

  test("DUP-09: neither database nor number may be left out of the identity", () => {
    const { input } = reported("DUP-09");
    const again = Array.isArray(input) ? [...input, ...input] : [];
    const records = again.map((item, o) => (isJsonObject(item) ? { ...item, o } : item));
    expect(counted(records)).toMatchObject({ duplicates: 4, distinct: 4 });
  });
});

describe("snapshots", () => {
  test("DUP-06: rows of incremental snapshots are re-reads, with a stale LSN or none", () => {
    const { input, expected } = reported("DUP-06");
    const { events, duplicates, replays, reReads, repeatedReads } = counted(input);
    expect({ events, duplicates, reReads, repeatedReads }).toEqual({
      events: expected.change_events,
      duplicates: expected.replay_duplicates,
      reReads: expected.incremental_reads,
      repeatedReads: expected.repeated_incremental_keys,
    });
    expect(replays).toEqual([]);
  });

  test("DUP-13: a row that came from the snapshot and as an insert", () => {
    const { input, expected } = reported("DUP-13");
    const result = counted(input);
    expect(result.duplicates).toBe(expected.replay_duplicates);
    expect(result.snapshotOverlap).toBe(expected.snapshot_overlap);
    expect(result.notMeasurable).toEqual([]);
    // Only key 6: without its insert there is none.
    const others = Array.isArray(input)
      ? input.filter((item) => isJsonObject(item) && !(item.key === 6 && item.op === "c"))
      : [];
    expect(expected.keys).toEqual([6]);
    expect(counted(others).snapshotOverlap).toBe(0);
  });
});

describe("transactions", () => {
  test("EOS-05: copies in an aborted transaction are told apart from what was delivered", () => {
    const { input, expected } = reported("EOS-05");
    const log = isJsonObject(input) && Array.isArray(input.log) ? input.log.filter(isJsonObject) : [];
    const aborted = new Set(log.flatMap(({ t, tx }) => (t === "abort" ? [tx] : [])));
    const count = new WholeCount();
    const uncommitted = new WholeCount();
    for (const item of log.filter(({ t }) => t === undefined)) {
      uncommitted.add(delivered(item));
      if (aborted.has(item.tx)) count.addAborted(delivered(item));
      else count.add(delivered(item));
    }
    const committed = count.result("t");
    expect(committed).toMatchObject({
      ...(expected.read_committed as object),
      rate: 0,
      uncommittedCopies: 2,
    });
    expect(uncommitted.result("t")).toMatchObject({ ...(expected.read_uncommitted as object) });
    expect(expected.show).toBe(
      `${(committed.rate ?? 1) * 100} % delivered; "${committed.uncommittedCopies} more for consumers that read uncommitted data"`,
    );
  });

  test("EOS-07: a committed duplicate counts, exactly-once or not", () => {
    const { input, expected } = reported("EOS-07");
    const result = counted(isJsonObject(input) ? (input.events ?? null) : null);
    expect(result.duplicates).toBe(expected.duplicates);
    expect(result).toMatchObject({ rate: 0.5, replays: [{ firstOffset: 1, count: 1, firstCopyOf: 0 }] });
  });
});
