import { afterEach, describe, expect, test } from "vitest";
import { RecordsGone } from "@/lib/collect/restarts/partition-log";
import { postgresChange, runIdAt, tombstoneOf } from "@/lib/collect/restarts/testing/run-log";
import { partitionOf, topicOf } from "@/lib/kafka/log/testing/fake-log";
import { closeAll, setUp } from "@/lib/kafka/log/testing/fake-reads";
import type { FakePartition } from "@/lib/kafka/testing/fake-broker";
import { readWhole, type WholeRequest } from "./read-whole";
import { EventLog } from "./testing/event-batches";

afterEach(closeAll);

const T = 1_789_367_000_000;
const [first, second] = [runIdAt(T), runIdAt(T + 60_000)];
const topicId = "a".repeat(32);

const writes = (from: number, to: number, runId: string) =>
  Array.from({ length: to - from }, (_, i) => postgresChange(from + i, runId, T + (from + i) * 100));

async function open(log: EventLog, more: Partial<FakePartition> = {}) {
  const { broker, reader } = await setUp(topicOf(partitionOf(0, log.end, log.log, more), topicId));
  const read = (request: Partial<WholeRequest> = {}) =>
    readWhole(reader, {
      topic: "t",
      partition: 0,
      topicId: null,
      from: 0,
      to: log.end,
      countFrom: 0,
      type: null,
      config: null,
      registry: null,
      maxBytes: Number.POSITIVE_INFINITY,
      ...request,
    });
  return { broker, read };
}

describe("a stretch read whole", () => {
  test("counts the copies of a restart, with tombstones between", async () => {
    const log = new EventLog();
    log.append({ records: writes(0, 10, first) });
    log.append({ records: [...writes(6, 8, second), tombstoneOf(7, T), ...writes(8, 13, second)] });
    const { read } = await open(log);
    const whole = await read();
    expect(whole).toMatchObject({
      to: 18,
      records: 18,
      uncommittedCopies: 0,
      earlierRunsAfter: [],
      notMeasurable: [],
      reads: 1,
      replays: [
        {
          topic: "t",
          firstOffset: 10,
          lastOffset: 14,
          count: 4,
          firstCopyOf: 6,
          lastCopyOf: 9,
          bound: "exact",
          evidence: "whole",
          runBefore: first,
          runAfter: second,
          writer: "shop",
          causeInLog: null,
        },
      ],
    });
    expect(whole.bytesRead).toBe(log.log.reduce((sum, { length }) => sum + length, 0));
    const later = await read({ countFrom: 12 });
    expect(later).toMatchObject({ records: 6, replays: [{ firstOffset: 13, count: 2, firstCopyOf: 8 }] });
  });

  test("tells what an earlier run wrote after a later one", async () => {
    const log = new EventLog();
    log.append({ records: writes(0, 10, first) });
    log.append({ records: writes(6, 12, second) });
    log.append({ records: writes(10, 12, first) });
    log.append({ records: writes(12, 14, second) });
    log.append({ records: writes(12, 13, first) });
    const { read } = await open(log);
    const whole = await read();
    expect(whole.earlierRunsAfter).toEqual([{ runId: first, offset: 16, last: 20 }]);
    expect(whole.replays.map((r) => [r.firstOffset, r.lastOffset, r.count, r.causeInLog])).toEqual([
      [10, 13, 4, null],
      [16, 20, 3, "worker-lost"],
    ]);
  });

  test("where the bytes are used up it ends, and says where", async () => {
    const log = new EventLog();
    for (let n = 0; n < 10; n++) log.append({ records: writes(n * 5, n * 5 + 5, first) });
    const { read } = await open(log);
    const whole = await read({ maxBytes: (log.log[0]?.length ?? 0) * 2 });
    expect(whole.to).toBeLessThan(20);
    expect(whole.records).toBe(whole.to);
  });

  test("what retention removed is told, what is there is counted", async () => {
    const log = new EventLog();
    log.append({ records: writes(0, 10, first) });
    log.append({ records: writes(6, 12, second) });
    const { read } = await open({ ...log, log: log.log.slice(1) } as EventLog, { earliest: 10n });
    const whole = await read();
    expect(whole.replays).toEqual([]);
    expect(whole.records).toBe(6);
    expect(whole.notMeasurable).toMatchObject([{ slug: "deleted", count: 10 }]);
  });

  test("records that cannot be read are no zero", async () => {
    const log = new EventLog();
    const avro = { ...postgresChange(1, first, T), value: Buffer.from([0, 0, 0, 0, 42, 2]) };
    log.append({ records: [...writes(0, 1, first), avro, avro] });
    const { read } = await open(log);
    expect((await read()).notMeasurable).toMatchObject([{ slug: "registry", count: 2 }]);
  });

  test("a topic that was made again, and a cancelled read, end in errors", async () => {
    const log = new EventLog();
    log.append({ records: writes(0, 10, first) });
    const { read } = await open(log);
    await expect(read({ topicId: "b".repeat(32) })).rejects.toThrow(RecordsGone);
    await expect(read({ signal: AbortSignal.abort(new Error("enough")) })).rejects.toThrow("enough");
  });
});

describe("transactions", () => {
  test("copies that were aborted are counted apart, once they were delivered", async () => {
    const log = new EventLog();
    log.append({ records: writes(0, 5, first), producerId: 1 });
    log.mark(1, "commit");
    const at = log.append({ records: writes(5, 9, first), producerId: 2 });
    log.mark(2, "abort");
    log.append({ records: writes(5, 8, second), producerId: 3 });
    log.mark(3, "commit");
    const { broker, read } = await open(log);
    broker.onFetch = (asked) =>
      asked.isolation === 1 ? { aborted: [{ producerId: 2n, firstOffset: BigInt(at) }] } : {};
    const whole = await read();
    // Of the four that were aborted one was never delivered: it is no copy.
    expect(whole).toMatchObject({ replays: [], records: 8, uncommittedCopies: 3, to: log.end });
  });

  test("where one is still open the read ends", async () => {
    const log = new EventLog();
    log.append({ records: writes(0, 5, first), producerId: 1 });
    log.mark(1, "commit");
    log.append({ records: writes(5, 9, first), producerId: 2 });
    const { read } = await open(log, { stable: 6n });
    expect(await read()).toMatchObject({ to: 6, records: 5 });
  });
});
