import { describe, expect, test } from "vitest";
import type { Measurement, PartitionDuplicates } from "@/lib/observed/duplicates";
import {
  measurementsViewSchema,
  measurementViewSchema,
  measureRequestSchema,
  topicsViewSchema,
} from "./measure-schema";
import { measurementsView, measurementView, topicsView } from "./measure-view";
import { scene } from "./scene";
import { duplicatesConnectors, scanOf } from "./scene-duplicates";
import { replaysOf } from "./scene-replays";

const now = new Date("2026-11-29T14:36:46.000Z");
const around = { ...scene(now), now };
const ago = (ms: number) => new Date(now.getTime() - ms).toISOString();

function measurement(change: Partial<Measurement> = {}): Measurement {
  return {
    id: "0b7c9d2e-52a5-4d3c-9c5e-0d6b1d0b7c9d",
    cluster: "eu-1",
    topic: "shop.public.orders",
    method: "bisect",
    from: null,
    to: null,
    askedAt: ago(12_000),
    state: "running",
    startedAt: ago(10_000),
    endedAt: null,
    done: 2_000_000,
    total: 8_000_000,
    bytesRead: 10_485_760,
    failure: null,
    result: null,
    ...change,
  };
}

function partition(change: Partial<PartitionDuplicates> = {}): PartitionDuplicates {
  return {
    topic: "shop.public.orders",
    partition: 0,
    topicId: null,
    from: 0,
    to: 1_000_000,
    replays: [],
    falls: [],
    runs: [],
    notMeasurable: [],
    sure: "complete",
    spacing: null,
    uncommittedCopies: null,
    bytesRead: 1,
    reads: 1,
    ...change,
  };
}

const done = (partitions: PartitionDuplicates[], change: Partial<Measurement> = {}) =>
  measurement({ state: "done", endedAt: ago(0), result: { partitions, scan: null }, ...change });
const view = (of: Measurement) => measurementView({ ...around, measurement: of });
const plain = (text: string | null | undefined) => text?.replaceAll("\u00a0", " ");

describe("a measurement", () => {
  test("running: how far, how fast, how long yet", () => {
    const { progress, mark, summary, topic } = view(measurement());
    expect(progress?.share).toBe(0.25);
    expect(Object.values(progress ?? {}).map((v) => (typeof v === "string" ? plain(v) : v))).toEqual([
      0.25,
      "2,000,000 of 8,000,000 offsets",
      "10 MiB read",
      "200,000 offsets/s, 1 MiB/s",
      "about 30 s to go",
    ]);
    expect([mark.words, summary, topic]).toEqual(["measuring", null, null]);
  });

  test("too early, or of unknown size: nothing is made up", () => {
    expect(view(measurement({ startedAt: ago(200) })).progress).toMatchObject({ rate: null, left: null });
    expect(view(measurement({ total: null })).progress).toMatchObject({ share: null, left: null });
    expect(view(measurement({ state: "waiting", startedAt: null })).progress).toBeNull();
    expect(view(measurement({ total: 0, done: 0 })).progress).toMatchObject({ share: 1, left: null });
  });

  test("without a collector it does not go on, and the page says so", () => {
    expect(view(measurement()).stuck).toBeNull();
    const none = measurementView({ ...around, beats: [], measurement: measurement({ state: "waiting" }) });
    expect(none.stuck).toMatch(/^No collector runs/);
    const other = view(measurement({ state: "waiting", cluster: "gone" }));
    expect(other.stuck).toMatch(/^No collector watches cluster gone: .* cancel it\.$/);
    expect(view(measurement({ state: "cancelled", cluster: "gone" })).stuck).toBeNull();
  });

  test("done: replays with their sum, over all partitions", () => {
    const replays = replaysOf("two", now);
    const found = view(done([partition({ replays }), partition({ partition: 1 })]));
    expect(plain(found.summary)).toBe(
      "39,932 changes were delivered twice, in 2 replays: 2 % of 2,000,000 offsets (bisection, complete).",
    );
    expect(found.replays.map((r) => r.count)).toEqual([120, 39_812]);
    measurementViewSchema.parse(JSON.parse(JSON.stringify(found)));
  });

  test("none found is said of what was read; what was not, is", () => {
    expect(plain(view(done([partition()])).summary)).toBe(
      "No change was delivered twice among 1,000,000 offsets (bisection, complete).",
    );
    const flat = { slug: "flattened", reason: "The events are flattened", count: null, remedy: null };
    expect(view(done([partition({ notMeasurable: [flat] })])).summary).toBe(
      "What came twice cannot be told. The events are flattened.",
    );
    const some = { slug: "budget", reason: "the budget ended it", count: 10, remedy: null };
    const twice = view(done([partition({ notMeasurable: [some] }), partition({ notMeasurable: [some] })]));
    expect(twice.topic?.notMeasurable).toMatchObject([{ count: 20 }]);
    expect(twice.summary).toMatch(/Not all of it can be measured/);
    expect(view(done([partition({ to: 0 })])).summary).toMatch(/^There is nothing in this time/);
  });

  test("the least sure partition stands for the topic", () => {
    const how = view(done([partition(), partition({ sure: "known-starts" })])).topic?.how;
    expect(how).toBe("bisection, known starts only");
  });

  test("a scan: an estimate with its interval", () => {
    const scan = scanOf("t", 4_912_331, now);
    const found = view(measurement({ state: "done", method: "scan", result: { partitions: [], scan } }));
    expect(plain(found.summary)).toBe(
      "About 39,790 changes were delivered twice: 0.81 % of 4,912,331 changes (sample of 1 in 64, ±0.03 %).",
    );
    measurementViewSchema.parse(found);
  });
});

test("what can be measured: a cluster without brokers says why not", () => {
  const listed = { ...measurement(), replays: null, duplicates: null };
  const all = measurementsView({ ...around, measurements: [listed] });
  measurementsViewSchema.parse(JSON.parse(JSON.stringify(all)));
  expect(all.clusters.map((c) => c.whyNot)).toEqual([null, expect.stringContaining("No Kafka brokers")]);
  expect(all.measurements[0]?.path).toBe(`/measure?id=${listed.id}`);
});

test("topics by a part of their names, those that begin so first; a few of many", () => {
  const connectors = duplicatesConnectors(now);
  const found = topicsView(connectors, { cluster: "eu-1", text: " ORDER_ " });
  topicsViewSchema.parse(found);
  expect(found.topics.map((t) => t.topic)).toEqual(["shop.public.order_lines"]);
  expect(topicsView(connectors, { cluster: "us-2", text: "" }).topics).toEqual([]);
  expect(topicsView(connectors, { cluster: "eu-1", text: "shop" }).more).toBe(false);
});

describe("what may be asked for", () => {
  const request = { cluster: "eu-1", topic: "shop.public.orders", method: "bisect" };
  test("names of topics by Kafka's rule, times in order, nothing else", () => {
    expect(measureRequestSchema.safeParse(request).success).toBe(true);
    expect(
      measureRequestSchema.safeParse({ ...request, from: null, to: "2026-11-29T00:00:00+02:00" }).success,
    ).toBe(true);
    for (const change of [
      { topic: "a b" },
      { topic: "" },
      { topic: ".." },
      { topic: "x".repeat(250) },
      { method: "guess" },
      { from: "yesterday" },
      { from: "2026-11-29T00:00:00Z", to: "2026-11-29T00:00:00Z" },
      { more: 1 },
    ])
      expect(measureRequestSchema.safeParse({ ...request, ...change }).success).toBe(false);
  });
});
