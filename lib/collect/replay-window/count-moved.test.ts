import { describe, expect, test } from "vitest";
import { countMoved } from "./count-moved";
import { newestBatch } from "./newest-batch";
import { COMMITTED_LSN, connector, events, run, T } from "./testing/known-connector";
import { measure } from "./testing/measure";
import { WrittenTopics } from "./testing/written-topics";
import { newMemory } from "./window-memory";

const { signal } = new AbortController();
const at = new Date(T + 60_000);
const topicOf = (prefix: string) => `${prefix}.public.a`;

/** Connectors with so many uncovered events, a batch each. */
async function setUp(sizes: Record<string, number>) {
  const brokers = new WrittenTopics();
  const memories = Object.keys(sizes).map(() => newMemory(null, null));
  const look = () =>
    Promise.all(
      Object.keys(sizes).map((prefix, i) =>
        measure(brokers, connector(prefix, prefix, [topicOf(prefix)]), memories[i] ?? newMemory(null, null)),
      ),
    );
  for (const [prefix, size] of Object.entries(sizes)) {
    brokers.topic(topicOf(prefix));
    for (let i = 0; i < size; i++)
      brokers.write(topicOf(prefix), 0, events(prefix, COMMITTED_LSN + i * 10, 1, T + 100 + i));
  }
  return { brokers, memories, look };
}

describe("counting those that moved", () => {
  test("the largest first; when the bytes of a poll are used up the others wait, and have their turn", async () => {
    const { brokers, memories, look } = await setUp({ small: 5, large: 40, middle: 20 });
    const limits = { pollBytes: 2_000, connectorBytes: 2_000 };
    await countMoved(brokers.log.reader(), await look(), 1, at, signal, limits);
    const [small, large, middle] = memories;
    expect(large?.counted?.count).toMatchObject({ events: 40, bound: "at-most" });
    expect(large?.counted?.count.unread).toBeGreaterThan(0);
    expect([small?.counted, middle?.counted]).toEqual([null, null]);
    expect(small?.waitingSince).toBe(1);
    for (let poll = 2; poll < 6; poll++)
      await countMoved(brokers.log.reader(), await look(), poll, at, signal, limits);
    expect(small?.counted?.count.events).toBe(5);
    expect(middle?.counted?.count.events).toBe(20);
    expect(small?.waitingSince).toBeNull();
  });

  test("one whose topic cannot be read has a reason, the others their count", async () => {
    const { brokers, memories, look } = await setUp({ broken: 5, well: 5 });
    brokers.log.of(topicOf("broken")).fails = {
      at: 0,
      failure: { kind: "invalid-answer", sentence: "a batch has a wrong checksum", remedy: null },
    };
    await countMoved(brokers.log.reader(), await look(), 1, at, signal);
    expect(memories[0]).toMatchObject({ counted: null });
    expect(memories[0]?.whyNoPosition).toContain("wrong checksum");
    expect(memories[1]?.counted?.count.events).toBe(5);
    // Not run into again at once.
    const { length } = brokers.log.reads;
    await countMoved(brokers.log.reader(), await look(), 2, at, signal);
    expect(brokers.log.reads).toHaveLength(length);
    await countMoved(brokers.log.reader(), await look(), 13, at, signal);
    expect(brokers.log.reads.length).toBeGreaterThan(length);
  });
});

describe("the newest batch", () => {
  const partition = { topic: topicOf("shop"), partition: 0 };

  test("is the last of data before the end, behind markers", async () => {
    const brokers = new WrittenTopics();
    brokers.topic(partition.topic);
    brokers.write(partition.topic, 0, events("shop", 10, 3, T), null);
    brokers.write(partition.topic, 0, events("shop", 100, 2, T + 1), { id: 7n });
    brokers.commit(partition.topic, 0, 7n, T + 2);
    const log = brokers.log.reader();
    expect(await newestBatch(log, { ...partition, end: 6 }, "read_committed")).toMatchObject({
      value: { transactional: true, runId: run, at: T + 2 },
    });
    expect((await newestBatch(log, { ...partition, end: 3 }, "read_committed")).value?.transactional).toBe(
      false,
    );
    expect(await newestBatch(log, { ...partition, end: 0 }, "read_committed")).toEqual({ value: null });
  });

  test("that cannot be read is a failure", async () => {
    const brokers = new WrittenTopics();
    brokers.topic(partition.topic);
    brokers.write(partition.topic, 0, events("shop", 10, 3, T), null);
    const failure = {
      kind: "invalid-answer" as const,
      sentence: "a batch has a wrong checksum",
      remedy: null,
    };
    brokers.log.of(partition.topic).fails = { at: 0, failure };
    expect(await newestBatch(brokers.log.reader(), { ...partition, end: 3 }, "read_committed")).toEqual({
      failure,
    });
  });
});
