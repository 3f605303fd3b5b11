import { describe, expect, test } from "vitest";
import { change, changes, config, counted, failed, offset, orders, r1, slugs } from "./testing/counted";
import { EventLog, type EventRecord } from "./testing/event-log";
import { inForceOf } from "./testing/made-up-events";

describe("what cannot be read", () => {
  test("the byte limit ends the reading: the rest is counted by offsets, at most", async () => {
    const log = new EventLog();
    for (let n = 105; n < 1_105; n += 100) log.write(orders, 0, changes(n, n + 100));
    const size = log.of(orders).batches[0]?.bytes.length ?? 0;
    const result = await counted(log, { maxBytes: size * 4 });
    expect(result.count).toMatchObject({ events: 100, unread: 60, bound: "at-most" });
    expect(result.count.bytes).toBeGreaterThan(size * 9);
    expect(slugs(result)).toEqual(["unread"]);
  });

  test("the smallest partitions are read first, so that most are exact", async () => {
    const log = new EventLog();
    for (let n = 105; n < 2_105; n += 100) log.write(orders, 0, changes(n, n + 100));
    log.write("shop.public.lines", 0, changes(105, 205));
    const size = log.of(orders).batches[0]?.bytes.length ?? 0;
    const result = await counted(log, { topics: [orders, "shop.public.lines"], maxBytes: size * 3 });
    expect(result.count.events).toBe(210);
    expect(result.count.notes.map(({ text }) => text).join()).not.toContain("lines");
  });

  test("flattened events without a position have a reason and a remedy, and no figure", async () => {
    const log = new EventLog();
    log.write(orders, 0, [{ value: '{"id":1,"__deleted":"false"}', key: "{}", run: r1 }]);
    expect(await failed(log)).toEqual({
      kind: "not-supported",
      sentence: "topic shop.public.orders: flattened event without a source position — not measurable",
      remedy: expect.stringContaining("add.fields=op,"),
    });
  });

  test("flattened events with a position are counted", async () => {
    const log = new EventLog();
    const flat = (lsn: number) => ({
      value: JSON.stringify({
        id: 1,
        __op: "u",
        __lsn: lsn,
        __txId: 7,
        __source_lsn: lsn,
        __source_txId: 7,
        __source_sequence: `["${lsn - 5}","${lsn}"]`,
      }),
      key: "{}",
      run: r1,
    });
    log.write(orders, 0, [flat(90), flat(105), flat(110)]);
    expect((await counted(log)).count.events).toBe(2);
  });

  test("Avro without a registry is not measurable; with one it is", async () => {
    const log = new EventLog();
    const avro = (n: number): EventRecord => ({ ...change(n), value: Buffer.from([0, 0, 0, 0, n]) });
    log.write(orders, 0, [avro(90), avro(105)]);
    expect((await failed(log)).sentence).toContain("schema id 90 — not measurable without schema registry");
    const registry = {
      schema: async () => ({ failure: { kind: "internal", sentence: "", remedy: null } as const }),
      decode: async (bytes: Uint8Array) => ({ value: JSON.parse(String(change(bytes[4] ?? 0).value)) }),
      close: async () => {},
    };
    expect((await counted(log, { registry })).count.events).toBe(1);
  });

  test("a topic that cannot be measured is counted by offsets beside others that can", async () => {
    const log = new EventLog();
    log.write(orders, 0, changes(105, 125));
    log.write("shop.public.text", 0, [{ value: "Struct{id=1}", key: "{}", run: r1 }, change(110)]);
    const result = await counted(log, { topics: [orders, "shop.public.text"] });
    expect(result.count).toMatchObject({ events: 4, unread: 2, bound: "at-most" });
    expect(slugs(result)).toEqual(["not-measurable"]);
  });

  test("a partition that cannot be read says its sentence, and its records count by offsets", async () => {
    const log = new EventLog();
    log.write(orders, 0, changes(105, 125));
    log.write("shop.public.lines", 0, changes(105, 155));
    const failure = { kind: "forbidden", sentence: "may not read shop.public.lines", remedy: null } as const;
    log.of("shop.public.lines").fails = { at: 0, failure };
    const result = await counted(log, { topics: [orders, "shop.public.lines"] });
    expect(result.count).toMatchObject({ events: 7, unread: 5, bound: "at-most" });
    expect(result.count.notes[0]?.text).toContain("may not read shop.public.lines");
    expect(await failed(log, { topics: ["shop.public.lines"] })).toEqual(failure);
  });

  test("a reading that is called off has no figure", async () => {
    const log = new EventLog();
    log.write(orders, 0, changes(105, 125));
    expect((await failed(log, { signal: AbortSignal.abort() })).kind).toBe("timeout");
  });

  test("without a source time a place that is not found is said", async () => {
    const log = new EventLog();
    for (let n = 105; n < 3_105; n += 100) log.write(orders, 0, changes(n, n + 100));
    const found = await counted(log, { from: 250, guess: 250, trusted: false });
    expect(found.count).toMatchObject({ events: 300, bound: "at-most" });
    const again = new EventLog();
    for (let n = 105; n < 900_105; n += 5_000) again.write(orders, 0, changes(n, n + 5_000));
    const result = await counted(again, {
      from: 89_000,
      guess: 89_000,
      trusted: false,
      maxBytes: 100_000_000,
    });
    expect(result.count.bound).toBe("at-least");
    expect(slugs(result)).toEqual(["place-uncertain"]);
  });

  test("a snapshot in the offset, or none stored, says why", async () => {
    const log = new EventLog();
    const snapshot = { ...offset, snapshot: "INITIAL", snapshot_completed: false };
    expect((await failed(log, { offset: snapshot })).kind).toBe("not-supported");
    const inForce = inForceOf("postgresql", config, []);
    expect((await failed(log, { inForce })).sentence).not.toBe("");
  });
});
