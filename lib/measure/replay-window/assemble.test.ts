import { describe, expect, test } from "vitest";
import { parseJson } from "@/lib/debezium/json";
import type { ByPosition, ByTime } from "@/lib/observed/replay-window";
import { replayWindowSchema } from "@/lib/observed/replay-window";
import { type AssembleInput, assemble } from "./assemble";
import type { InForce, InForceCommit } from "./in-force";

const at = new Date("2026-11-30T10:00:44.000Z");
const committedAt = Date.parse("2026-11-30T10:00:00.000Z");

const commit: InForceCommit = {
  partition: { server: "shop" },
  partitionText: '{"server":"shop"}',
  offset: parseJson(
    '{"lsn":27307744,"lsn_proc":27307744,"ts_usec":1796023201899051}',
  ) as InForceCommit["offset"],
  committedAt,
  before: committedAt - 60_000,
  sourceAt: committedAt - 500,
  snapshot: false,
};

function inForce(kind: InForce["kind"] = "streaming", why: string | null = null): InForce {
  const { committedAt: time, sourceAt, before } = commit;
  return {
    kind,
    why,
    commits: kind === "no-commit" ? [] : [commit],
    forTopic: () => ({ commit, committedAt: time, sourceAt, before, atMost: false, why: null }),
  };
}

function byTime(low: number | null, high: number | null, more: Partial<ByTime> = {}): ByTime {
  const amount = (records: number | null) => (records === null ? null : { records, bytes: records * 600 });
  return {
    low: amount(low),
    whyNoLow: low === null ? "no time" : null,
    high: amount(high),
    whyNoHigh: high === null ? "no source time" : null,
    committedAt: new Date(committedAt).toISOString(),
    sourceAt: null,
    firstAt: new Date(committedAt + 4_000).toISOString(),
    notes: [],
    ...more,
  };
}

function byPosition(events: number, more: Partial<ByPosition> = {}): ByPosition {
  return {
    at: at.toISOString(),
    events,
    tombstones: 0,
    reReads: 0,
    bytes: events * 650,
    spanMs: events === 0 ? null : 43_900,
    bound: "exact",
    unread: 0,
    partitions: 3,
    probes: 2,
    bytesRead: 100_000,
    notes: [],
    ...more,
  };
}

const state = (name: string) => ({ state: name, workerId: "w:8083", version: "3.6.1.Final", trace: null });

function input(more: Partial<AssembleInput> = {}): AssembleInput {
  return {
    at,
    type: "postgresql",
    config: {
      "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
      "topic.prefix": "shop",
    },
    report: { connector: state("RUNNING"), tasks: [{ id: 0, ...state("RUNNING") }] },
    inForce: inForce(),
    byTime: byTime(40_100, 44_200),
    ownTopics: { records: 12, bytes: null },
    topics: [{ topic: "shop.public.orders", records: 40_100, end: 90_000, failure: null }],
    counted: null,
    whyNoPosition: "others are counted before it",
    held: null,
    transactional: false,
    hasRunId: true,
    bytesPerRecord: 600,
    flushInterval: { ms: 60_000, commits: 12, of: "connector", confidence: "sure", why: null },
    recentWorst: null,
    grewAt: at.getTime() - 1_000,
    ...more,
  };
}

const unchanged = (count: ByPosition) => ({ count, unchanged: true, since: null });

function headline(more: Partial<AssembleInput>) {
  const { kind, events, by, bound } = replayWindowSchema.parse(assemble(input(more)));
  return { kind, events, by, bound };
}

describe("the headline", () => {
  test("is the count by position of this state", () => {
    const window = assemble(input({ counted: unchanged(byPosition(41_000)) }));
    expect(window).toMatchObject({ kind: "events", events: 41_000, by: "position", bound: "exact" });
    expect(window).toMatchObject({ bytes: 26_650_000, spanMs: 43_900, whyNoPosition: null });
    expect(window.byTime.low?.records).toBe(40_100);
  });

  test("is the count of a poll ago and what came since, at most", () => {
    const counted = { count: byPosition(41_000), unchanged: false, since: 1_000 };
    const window = assemble(input({ counted }));
    expect(window).toMatchObject({ events: 42_000, by: "position", bound: "at-most" });
    expect(window.bytes).toBe(26_650_000 + 600_000);
  });

  test("is by time where the count is of another commit: the upper figure, at most", () => {
    const counted = { count: byPosition(99), unchanged: false, since: null };
    expect(headline({ counted })).toEqual({ kind: "events", events: 44_200, by: "time", bound: "at-most" });
    expect(assemble(input({ counted })).spanMs).toBe(39_000);
  });

  test("is at least the lower figure where the offset holds no source time", () => {
    const lower = { kind: "events", events: 40_100, by: "time", bound: "at-least" };
    expect(headline({ byTime: byTime(40_100, null) })).toEqual(lower);
  });

  test("REP-01: commits stand still while records come: (5300 − 1000) + (7100 − 2000), counted by offsets", () => {
    const records = 5_300 - 1_000 + (7_100 - 2_000);
    expect(headline({ byTime: byTime(records, records) })).toMatchObject({ events: 9_400, bound: "at-most" });
  });

  test("REP-03: a quiet table is 0 and exact, however old the offset", () => {
    const quiet = byTime(0, 0, { firstAt: null, committedAt: "2026-11-27T09:00:00.000Z" });
    const window = assemble(input({ byTime: quiet, grewAt: null }));
    expect(window).toMatchObject({
      kind: "events",
      events: 0,
      by: "time",
      bound: "exact",
      bytes: 0,
      spanMs: 0,
    });
  });

  test("is unknown, and says why, where neither method has a figure", () => {
    const neither = { byTime: byTime(null, null), whyNoPosition: "flattened" };
    expect(assemble(input(neither))).toMatchObject({
      kind: "unknown",
      why: "no time",
      events: null,
      by: null,
    });
    const nothing = { byTime: byTime(null, null), topics: [] };
    expect(assemble(input(nothing)).why).toBe("no topic is known to carry its changes");
  });

  test("is unknown where the commit is: an error is no 0", () => {
    const window = assemble(
      input({ inForce: inForce("unknown", "two connectors share it"), byTime: byTime(0, 0) }),
    );
    expect(window).toMatchObject({
      kind: "unknown",
      events: null,
      bound: null,
      why: "two connectors share it",
    });
  });
});

describe("the bracket by time", () => {
  const slugs = (time: ByTime, count: ByPosition) =>
    assemble(input({ byTime: time, counted: unchanged(count) })).byPosition?.notes.map((n) => n.slug);

  test("counts whatever takes an offset: tombstones and re-read rows are added before it is compared", () => {
    expect(slugs(byTime(120, 130), byPosition(90, { tombstones: 20, reReads: 10 }))).toEqual([]);
    expect(slugs(byTime(120, 130), byPosition(90, { tombstones: 20, reReads: 9 }))).toEqual([
      "outside-bracket",
    ]);
  });

  test("a count above it proves that the source's clock is ahead", () => {
    expect(slugs(byTime(120, 130), byPosition(131))).toEqual(["source-clock-ahead"]);
  });

  test("a count that says itself that it is at most, or at least, needs no more words", () => {
    expect(slugs(byTime(120, 130), byPosition(131, { bound: "at-most" }))).toEqual([]);
    expect(slugs(byTime(120, 130), byPosition(1, { bound: "at-least" }))).toEqual([]);
  });

  test("what either method noted explains a count below it", () => {
    const note = (slug: string) => [{ slug, text: "x" }];
    expect(slugs(byTime(120, 130), byPosition(100, { notes: note("other-connector") }))).toEqual([
      "other-connector",
    ]);
    expect(slugs(byTime(120, 130, { notes: note("compacted") }), byPosition(100))).toEqual([]);
  });
});

describe("exactly-once", () => {
  test("seen, and declared by the connector: 0, and offsets that markers took are not counted", () => {
    const counted = unchanged(byPosition(59));
    const window = assemble(input({ transactional: true, byTime: byTime(4, 9), counted }));
    expect(window).toMatchObject({ kind: "exactly-once", events: 0, by: "exactly-once", bound: "exact" });
    expect(window.byTime).toMatchObject({ low: null, high: null });
    expect(window.byTime.whyNoLow).toContain("markers");
    expect(window).toMatchObject({
      byPosition: null,
      whyNoPosition: expect.stringContaining("exactly-once"),
    });
    expect(window.exactlyOnce).toEqual({ asked: false, allowed: null, seen: true });
  });

  test("asked for but not seen is not exactly-once (EOS-03)", () => {
    const config = { ...input().config, "exactly.once.support": "required" };
    const window = assemble(input({ config }));
    expect(window).toMatchObject({ kind: "events", exactlyOnce: { asked: true, seen: false } });
  });

  test("seen of a connector that does not declare it: events", () => {
    expect(headline({ type: "vitess", transactional: true })).toMatchObject({ kind: "events" });
  });

  test("does not cover a running snapshot", () => {
    const more = {
      transactional: true,
      inForce: inForce("snapshot"),
      held: { records: 500, bound: "about" as const },
    };
    expect(headline(more)).toEqual({ kind: "snapshot", events: 500, by: "snapshot", bound: "about" });
  });
});

describe("a start from the start", () => {
  test("a snapshot: the rows so far", () => {
    const window = assemble(
      input({ inForce: inForce("snapshot"), held: { records: 120_000, bound: "at-most" } }),
    );
    expect(window).toMatchObject({ kind: "snapshot", events: 120_000, bound: "at-most", bytes: 72_000_000 });
    expect(window.why).toBe("a snapshot is running and would start again");
  });

  test("no commit: what its topics hold, at most", () => {
    const more = { inForce: inForce("no-commit"), held: { records: 10, bound: "at-most" as const } };
    expect(headline(more)).toEqual({ kind: "no-commit", events: 10, by: "time", bound: "at-most" });
  });

  test("of how much, is unknown where its topics cannot be read", () => {
    expect(headline({ inForce: inForce("snapshot") })).toMatchObject({ kind: "unknown", events: null });
  });
});

describe("a connector that does not run", () => {
  const report = (connector: string, ...tasks: string[]) => ({
    report: { connector: state(connector), tasks: tasks.map((t, id) => ({ id, ...state(t) })) },
  });

  test("stands still in its state, with the same figures", () => {
    expect(assemble(input(report("STOPPED")))).toMatchObject({ standsStill: "STOPPED", events: 44_200 });
    expect(assemble(input(report("RUNNING", "FAILED"))).standsStill).toBe("FAILED");
    expect(assemble(input(report("PAUSED", "PAUSED"))).standsStill).toBe("PAUSED");
    expect(assemble(input(report("RUNNING", "UNASSIGNED", "FAILED"))).standsStill).toBe("FAILED, UNASSIGNED");
  });

  test("does not stand still while one of its tasks runs", () => {
    expect(assemble(input(report("FAILED", "RUNNING", "FAILED"))).standsStill).toBeNull();
    expect(assemble(input({ report: null })).standsStill).toBeNull();
  });
});

test("tells the commits that count, each with its position", () => {
  expect(assemble(input()).commits).toEqual([
    { partition: '{"server":"shop"}', committedAt: "2026-11-30T10:00:00.000Z", position: "0/1A0AEE0" },
  ]);
});
