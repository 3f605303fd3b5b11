import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { DuplicatesArguments } from "./duplicates-arguments";
import { lookAtFile } from "./duplicates-file";
import { duplicatesReportSchema } from "./duplicates-report";
import { duplicatesText } from "./duplicates-text";
import { openProgressBar, type ProgressBar } from "./progress-bar";
import { changes, firstAt, type LaidDown, ordersTopic, recordLines } from "./testing/record-lines";
import { streamsOf } from "./testing/streams";

const folder = mkdtempSync(join(tmpdir(), "tidemark-"));

function look(
  bytes: string | Buffer,
  more: Partial<DuplicatesArguments> = {},
  signal?: AbortSignal,
  watched: Partial<ProgressBar> = {},
) {
  const path = join(folder, `${Math.random()}.jsonl`);
  writeFileSync(path, bytes);
  return lookAtFile(
    path,
    { topic: null, partition: null, from: null, to: null, type: null, json: true, ...more },
    {
      bar: { ...openProgressBar("tidemark duplicates", { write: () => true }), ...watched },
      signal: signal ?? new AbortController().signal,
      stdin: streamsOf().io.stdin,
    },
  );
}

const replayed = [...changes(0, 30, 1), ...changes(18, 40, 2)];

describe("a file of records", () => {
  test("is counted exactly, with each replay's offsets and its first copies", async () => {
    const report = duplicatesReportSchema.parse(await look(recordLines(replayed, 100)));
    expect(report).toMatchObject({
      topic: ordersTopic,
      method: "whole",
      exitCode: 1,
      sentence: `${ordersTopic}: 12 duplicates among 52 events (23.08 %), in 1 replay.`,
      records: 52,
      events: 52,
      duplicates: 12,
      bound: "exact",
      rate: 12 / 52,
      interval: [12 / 52, 12 / 52],
      range: { partitions: [{ partition: 0, from: "100", to: "152", measuredTo: "152" }] },
      replays: [
        {
          topic: ordersTopic,
          partition: 0,
          firstOffset: "130",
          lastOffset: "141",
          count: 12,
          firstCopyOf: "118",
          lastCopyOf: "129",
          at: new Date(firstAt + 30_000).toISOString(),
          until: new Date(firstAt + 41_000).toISOString(),
        },
      ],
    });
  });

  test("finds what a set of numbers finds, over random runs, partitions, deletes and tombstones", async () => {
    const run = fc.record({
      from: fc.nat(30),
      length: fc.integer({ min: 1, max: 25 }),
      partition: fc.nat(1),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(run, { minLength: 1, maxLength: 6 }), async (runs) => {
        const marks = [0, 0];
        const records: LaidDown[] = [];
        for (const [i, { from, length, partition }] of runs.entries()) {
          // A run goes on where it was or begins again before it, as a task does.
          const start = Math.min(from, marks[partition] ?? 0);
          const end = start + length;
          // Each partition has rows of its own.
          for (let n = start; n < end; n++) {
            const one = { n: n + 1_000 * partition, run: i, partition };
            const deleted = n % 5 === 0;
            records.push(
              { ...one, op: deleted ? "d" : "c" },
              ...(deleted ? [{ ...one, tombstone: true }] : []),
            );
          }
          marks[partition] = Math.max(marks[partition] ?? 0, end);
        }
        const report = await look(recordLines(records));
        const events = records.filter((one) => !one.tombstone);
        expect([report.records, report.events]).toEqual([records.length, events.length]);
        expect(report.duplicates).toBe(events.length - new Set(events.map(({ n }) => n)).size);
        expect(report.replays?.reduce((sum, { count }) => sum + count, 0)).toBe(report.duplicates);
      }),
      { numRuns: 60 },
    );
  });

  test("of a real topic has no duplicate, and its snapshot's rows are re-reads", async () => {
    const report = await lookAtFile(
      join(import.meta.dirname, "fixtures/orders.jsonl"),
      { topic: null, partition: null, from: null, to: null, type: null, json: true },
      {
        bar: openProgressBar("", { write: () => true }),
        signal: new AbortController().signal,
        stdin: streamsOf().io.stdin,
      },
    );
    expect(report).toMatchObject({
      exitCode: 0,
      duplicates: 0,
      records: 10,
      replays: [],
      keyOrderViolations: 0,
    });
    expect(report.reReads).toBe(2);
  });

  test("may be a gzip, and may hold kcat's form", async () => {
    const lines = recordLines(replayed);
    expect((await look(gzipSync(Buffer.from(lines)))).duplicates).toBe(12);
    const kcat = lines.replace(/.+/g, (line) => {
      const { value, key, timestamp, offset, headers, ...rest } = JSON.parse(line);
      const payload = JSON.stringify(value);
      return JSON.stringify({
        ...rest,
        ts: Number(timestamp),
        offset: Number(offset),
        headers: Object.entries(headers).flat(),
        key: JSON.stringify(key),
        payload,
      });
    });
    expect(await look(kcat)).toMatchObject({ duplicates: 12, events: 52 });
  });

  test("of a range counts copies there, with what lies before it known", async () => {
    const lines = recordLines(replayed);
    const at = (second: number) => firstAt + second * 1_000;
    const late = await look(lines, { from: at(36) });
    expect(late).toMatchObject({ records: 16, duplicates: 6, rate: 6 / 16 });
    expect(late.range).toMatchObject({
      from: new Date(at(36)).toISOString(),
      to: null,
      partitions: [{ from: "36", to: "52" }],
    });
    expect(late.replays).toMatchObject([{ firstOffset: "30", count: 12 }]);
    expect(await look(lines, { from: at(42) })).toMatchObject({ duplicates: 0, replays: [], exitCode: 0 });
    expect(await look(lines, { to: at(30) })).toMatchObject({ records: 30, duplicates: 0 });
  });

  test("is read for one topic and one partition of several", async () => {
    const both = recordLines([
      ...changes(0, 9, 1, 0),
      ...changes(100, 109, 1, 1),
      ...changes(105, 110, 2, 1),
    ]);
    expect((await look(both, { partition: 0 })).duplicates).toBe(0);
    expect((await look(both, { partition: 1 })).duplicates).toBe(4);
    const other = both.replaceAll(ordersTopic, "shop.public.lines");
    expect((await look(recordLines(replayed) + other, { topic: ordersTopic })).duplicates).toBe(12);
    await expect(look(recordLines(replayed) + other)).rejects.toThrow(
      /holds records of several topics \(shop\.public\.orders, shop\.public\.lines\): say which with --topic\.$/,
    );
    await expect(look(other, { topic: "shop.public.line" })).rejects.toThrow(
      'did you mean "shop.public.lines"?',
    );
    await expect(look(other, { topic: "x", partition: 2 })).rejects.toThrow(
      "no record of partition 2 of topic x, but of shop.public.lines.",
    );
  });

  test("ends with what is known so far when it is interrupted", async () => {
    const lines = recordLines([...changes(0, 100, 1), ...changes(90, 2_000, 2)]);
    const stop = new AbortController();
    const report = await look(lines, {}, stop.signal, { at: () => stop.abort() });
    expect(report).toMatchObject({
      interrupted: true,
      exitCode: 1,
      duplicates: 10,
      records: 256,
      sentence: `${ordersTopic}: 10 duplicates among 256 events (3.91 %), in 1 replay, in what was measured before it was interrupted.`,
    });
    const none = new AbortController();
    expect(
      await look(recordLines(changes(0, 600, 1)), {}, none.signal, { at: () => none.abort() }),
    ).toMatchObject({ interrupted: true, exitCode: 3, duplicates: 0 });
    await expect(look(lines, {}, AbortSignal.abort())).rejects.toThrow("interrupted before the first record");
  });
});

describe("what cannot be said is not called none", () => {
  test("records of a topic that holds no changes", async () => {
    const line = (offset: number) =>
      `${JSON.stringify({ topic: "__debezium-heartbeat.shop", partition: 0, offset, timestamp: 1, headers: {}, key: { serverName: "shop" }, value: { ts_ms: 1 } })}\n`;
    const report = await look(line(0) + line(1));
    expect(report).toMatchObject({
      exitCode: 3,
      sentence: "__debezium-heartbeat.shop: how many duplicates there are is not known.",
      notMeasurable: [{ slug: "no-events", count: 2, remedy: "Name the topic of a table." }],
    });
  });

  test("flattened events without position, and Avro without a registry, with the remedy", async () => {
    const of = (value: unknown) =>
      look(
        `${JSON.stringify({ topic: "a", partition: 0, offset: 0, timestamp: 1, headers: {}, key: { id: 1 }, value })}\n`,
      );
    const flattened = await of({ id: 1, name: "x" });
    expect([flattened.exitCode, flattened.notMeasurable[0]?.remedy]).toEqual([
      3,
      expect.stringContaining("add.fields="),
    ]);
    const avro = await of("\u0000\u0000\u0000\u0000*\u0002abc");
    expect([avro.exitCode, avro.notMeasurable[0]?.slug]).toEqual([3, "registry"]);
    expect(avro.notMeasurable[0]?.remedy).toMatch(/registry/i);
  });
});

test("a byte order mark is no part of the first record", async () => {
  const report = await look(`\ufeff${recordLines(changes(0, 3, 1))}`);
  expect([report.exitCode, report.records]).toEqual([0, 3]);
});

test("where nothing can be read, no figure is 0", async () => {
  const records = [0, 1].map((offset) => ({
    topic: "a",
    partition: 0,
    offset,
    timestamp: 1,
    value: "no event",
  }));
  const report = await look(records.map((one) => `${JSON.stringify(one)}\n`).join(""));
  const { rate, interval, reReads, snapshotOverlap, keyOrderViolations, uncommittedCopies } = report;
  expect([rate, interval, reReads, snapshotOverlap, keyOrderViolations, uncommittedCopies]).toEqual(
    Array.from({ length: 6 }, () => null),
  );
  expect(duplicatesText(report)).not.toMatch(/re-reads|overlap|order of keys/);
});

test("garbage of any length is one reason", async () => {
  const values = ["\u0001", "x", "xy", '{"a":', '{"abc":', "nothing"];
  const records = values.map((value, offset) => ({ topic: "a", partition: 0, offset, timestamp: 1, value }));
  const report = await look(records.map((one) => `${JSON.stringify(one)}\n`).join(""));
  expect(report.notMeasurable.map(({ reason, count }) => [reason, count])).toEqual([
    ["not JSON.", values.length],
  ]);
});

describe("a file is refused", () => {
  const good = recordLines(changes(0, 3, 1));
  test.each([
    [
      `${good}{"topic": "a", \n`,
      /^line 4 of .* is no JSON: each line has to be a record as JSON, as kcat -C -J prints them\.$/,
    ],
    [`${good}[1]\n`, /^line 4 of .* is no record of a topic; \{"topic", "partition"/],
    [`${good}${good}`, /^line 4 of .* has offset 0 of partition 0, and line 3 before it 2: .* each once\.$/],
    [good.replace('"offset":"1",', ""), /^line 2 of .* has no offset/],
    ["", /holds no record\.$/],
  ])("for a broken line, naming it (%#)", async (text, why) => {
    await expect(look(text)).rejects.toThrow(why);
  });
});
