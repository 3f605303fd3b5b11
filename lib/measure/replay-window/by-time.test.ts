import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ConnectorConfig, topicRole } from "@/lib/debezium/config";
import type { ConnectorType } from "@/lib/debezium/connector-type";
import { type JsonObject, stringifyJson } from "@/lib/debezium/json";
import type { Failure } from "@/lib/observed/observation";
import { byTimeSchema } from "@/lib/observed/replay-window";
import { byTime } from "./by-time";
import { commitsInForce, type InForce } from "./in-force";
import type { PartitionLook, TimedTopic, TopicLookFacts } from "./topic-look";

const at = Date.parse("2026-11-29T12:00:00.000Z");
const iso = (ms: number) => new Date(ms).toISOString();

/** One commit at `at` of a connector whose source made the last change that it covers at `sourceAt`. */
function committed(
  sourceAt: number | null = at - 1_000,
  more: { committedAt?: number | null } = {},
): InForce {
  const offset = { lsn: 1, ...(sourceAt === null ? {} : { ts_usec: sourceAt * 1_000 }) };
  return inForceOf("postgresql", { "topic.prefix": "shop" }, [
    {
      partition: { server: "shop" },
      offset,
      committedAt: more.committedAt === undefined ? at : more.committedAt,
    },
  ]);
}

function inForceOf(
  type: ConnectorType,
  config: ConnectorConfig,
  stored: { partition: JsonObject; offset: JsonObject; committedAt: number | null }[],
): InForce {
  const offsets = stored.map(({ partition, offset, committedAt }) => ({
    partition: stringifyJson(partition),
    offset: stringifyJson(offset),
    committedAt: committedAt === null ? null : iso(committedAt),
  }));
  return commitsInForce(type, config, { offsets, from: "topic" }, null);
}

type Looked = Partial<Omit<PartitionLook, "topic" | "partition">> & { end: number };

const looked = (topic: string, partitions: readonly Looked[], more = {}): TopicLookFacts => ({
  partitions: partitions.map((p, partition) => ({
    topic,
    partition,
    topicId: null,
    place: null,
    placeAt: null,
    since: null,
    before: null,
    earliest: null,
    ...p,
  })),
  appendTime: false,
  compacted: false,
  settings: null,
  ...more,
});

const topic = (name: string, look: TopicLookFacts, more: Partial<TimedTopic> = {}): TimedTopic => ({
  topic: name,
  own: false,
  shared: false,
  look,
  ...more,
});
const table = (name: string, partitions: readonly Looked[], more: Partial<TimedTopic> = {}) =>
  topic(name, looked(name, partitions), more);
const failing = (name: string, kind: Failure["kind"], sentence: string) =>
  topic(name, { failure: { kind, sentence, remedy: null } });

const count = (inForce: InForce, topics: readonly TimedTopic[], bytesPerRecord: number | null = 100) =>
  byTime({ inForce, topics, bytesPerRecord });
const slugs = (of: ReturnType<typeof byTime>) => of.byTime.notes.map((n) => n.slug);

describe("the bracket", () => {
  test("REP-01: no flush for 43 minutes: everything since the commit, at least and at most", () => {
    const of = count(committed(at - 20), [
      table("shop.public.orders", [
        { end: 5_300, place: 1_000, placeAt: at + 5, since: 998 },
        { end: 7_100, place: 2_000, placeAt: at + 2, since: 2_000 },
      ]),
    ]);
    expect(of.byTime).toEqual({
      low: { records: 9_400, bytes: 940_000 },
      whyNoLow: null,
      high: { records: 9_402, bytes: 940_200 },
      whyNoHigh: null,
      committedAt: iso(at),
      sourceAt: iso(at - 20),
      firstAt: iso(at + 2),
      notes: [],
    });
    expect(of.topics).toEqual([{ topic: "shop.public.orders", records: 9_400, end: 12_400, failure: null }]);
    expect(of.ownTopics).toEqual({ records: 0, bytes: 0 });
  });

  test("REP-03: an offset of three days ago, and nothing since: 0, whatever its age", () => {
    const of = count(committed(), [
      table("shop.public.orders", [{ end: 1_000, place: 1_000, since: 1_000 }]),
    ]);
    expect(of.byTime).toMatchObject({
      low: { records: 0, bytes: 0 },
      high: { records: 0, bytes: 0 },
      firstAt: null,
      notes: [],
    });
  });

  test("holds the truth between its ends, whatever was in flight at the flush and however the records lie", () => {
    const event = fc.record({
      /** Milliseconds since the event before, at the source; and until it was sent. */
      after: fc.nat(20),
      delay: fc.nat(60),
      partition: fc.nat(2),
    });
    const runs = fc.record({
      events: fc.array(event, { minLength: 1, maxLength: 60 }),
      covered: fc.nat(59),
      /** From the last covered event's sending to the flush. */
      flush: fc.nat(200),
    });
    fc.assert(
      fc.property(runs, ({ events, covered, flush }) => {
        let [source, sent] = [at, at];
        const log = events.map(({ after, delay, partition }) => {
          source += after;
          sent = Math.max(sent, source + delay);
          return { source, sent, partition };
        });
        const last = log[covered % log.length];
        if (!last) throw new Error("there is one");
        const committedAt = last.sent + flush;
        const places = [0, 1, 2].map((partition) => {
          const records = log.filter((e) => e.partition === partition);
          const from = (fits: (sent: number) => boolean) => {
            const found = records.findIndex((e) => fits(e.sent));
            return found < 0 ? records.length : found;
          };
          const place = from((time) => time > committedAt);
          const since = from((time) => time >= last.source);
          return { end: records.length, place, placeAt: records[place]?.sent ?? null, since };
        });
        const { byTime: bracket } = count(committed(last.source, { committedAt }), [table("t", places)]);
        const truth = log.length - 1 - (covered % log.length);
        expect(bracket.low?.records).toBeLessThanOrEqual(truth);
        expect(bracket.high?.records).toBeGreaterThanOrEqual(truth);
        const after = log.filter((e) => e.sent > committedAt);
        expect(bracket.low?.records).toBe(after.length);
        expect(bracket.firstAt).toBe(after[0] ? iso(after[0].sent) : null);
        byTimeSchema.parse(bracket);
      }),
    );
  });

  test("without a size of records, no bytes but those of nothing", () => {
    const some = [table("t", [{ end: 5, place: 3, since: 5 }])];
    expect(count(committed(), some, null).byTime.low).toEqual({ records: 2, bytes: null });
    expect(count(committed(), [table("t", [{ end: 5, place: 5, since: 5 }])], null).byTime.low).toEqual({
      records: 0,
      bytes: 0,
    });
  });

  test("KAF-19: a topic that was made again counts what is there now, never less than nothing", () => {
    const of = count(committed(), [table("t", [{ end: 12, place: 1_400, since: 1_000 }])]);
    expect(of.byTime).toMatchObject({ low: { records: 0 }, high: { records: 0 } });
  });

  test("KAF-19: what retention removed meanwhile is not counted, and the figure is no upper one", () => {
    const of = count(committed(), [
      table("t", [{ end: 2_600, place: 1_400, since: 1_400, earliest: 1_400 }]),
    ]);
    expect(of.byTime).toMatchObject({
      low: { records: 1_200 },
      high: null,
      whyNoHigh: "records of topic t were deleted that may be later than the commit",
    });
    expect(slugs(of)).toEqual(["deleted-in-window"]);
    const whole = table("t", [{ end: 2_600, place: 0, since: 0, earliest: 0 }]);
    expect(slugs(count(committed(), [whole]))).toEqual([]);
  });

  test("a topic that was emptied is no 0, unless it had not grown since the commit", () => {
    const emptied = (quiet: number | null) =>
      count(committed(), [
        {
          ...table("t", [{ end: 40, place: 40, since: 40, earliest: 40 }]),
          ...(quiet === null ? {} : { seen: { quietSince: new Map([[0, quiet]]), lost: null } }),
        },
      ]);
    for (const quiet of [null, at + 1]) {
      expect(emptied(quiet).byTime).toMatchObject({ low: { records: 0 }, high: null });
      expect(slugs(emptied(quiet))).toEqual(["deleted-in-window"]);
    }
    expect(emptied(at).byTime).toMatchObject({ high: { records: 0 }, notes: [] });
  });

  test("KAF-02: with transactions the difference of offsets is at most the events, and says so", () => {
    const topics = [table("t", [{ end: 9, place: 0, placeAt: at + 1, since: 0 }])];
    const of = byTime({ inForce: committed(), topics, bytesPerRecord: null, transactional: true });
    expect(of.byTime).toMatchObject({
      low: null,
      whyNoLow: expect.stringContaining("transaction markers"),
      high: { records: 9 },
    });
    expect(of.byTime.notes[0]?.text).toContain("at most");
  });
});

describe("which topics count", () => {
  test("KAF-10: heartbeats, transactions and schema changes are summed apart, signals not at all", () => {
    const config = { "topic.prefix": "shop", "heartbeat.topics.prefix": "__debezium-heartbeat" };
    const names = ["__debezium-heartbeat.shop", "shop.transaction", "shop.public.orders", "shop-signal"];
    const topics = names.flatMap((name, i) => {
      const role = topicRole(config, name);
      const own = role !== "table" && role !== "other";
      return role === "signal" ? [] : [table(name, [{ end: 100, place: 99 - i, since: 90 }], { own })];
    });
    const of = count(committed(), topics);
    expect(of.ownTopics).toEqual({ records: 1 + 2, bytes: null });
    expect(of.byTime).toMatchObject({ low: { records: 3 }, high: { records: 10 } });
    expect(of.topics.map((t) => t.topic)).toEqual(["shop.public.orders"]);
  });

  test("own topics of which one cannot be looked at are no sum; the headline stands", () => {
    const own = { ...failing("hb", "forbidden", "no"), own: true };
    const of = count(committed(), [own, table("t", [{ end: 5, place: 3, since: 2 }])]);
    expect(of).toMatchObject({
      ownTopics: null,
      byTime: { low: { records: 2 }, high: { records: 3 }, notes: [] },
    });
  });

  test("no topic at all is unknown, not 0", () => {
    expect(count(committed(), []).byTime).toMatchObject({
      low: null,
      whyNoLow: "no topic is known to carry its changes",
      high: null,
    });
  });

  test("one topic that fails makes the sum unknown and is named; the others are still told", () => {
    const of = count(committed(), [
      table("a", [{ end: 5, place: 3, since: 2 }]),
      failing("b", "forbidden", "not allowed to describe topic b"),
      failing("c", "unreachable", "no broker"),
    ]);
    const why = "topic b could not be looked at, and 1 other too: not allowed to describe topic b";
    expect(of.byTime).toMatchObject({ low: null, whyNoLow: why, high: null, whyNoHigh: why });
    expect(of.topics.map((t) => [t.topic, t.records, t.end, t.failure?.kind])).toEqual([
      ["a", 2, 5, undefined],
      ["b", null, null, "forbidden"],
      ["c", null, null, "unreachable"],
    ]);
    expect(slugs(of)).toEqual(["topics-unreadable"]);
  });

  test("a topic that is gone makes the figure at least so much, and is named", () => {
    const of = count(committed(), [
      table("a", [{ end: 5, place: 3, since: 2 }]),
      failing("old", "not-found", "topic old does not exist"),
    ]);
    expect(of.byTime).toMatchObject({ low: { records: 2 }, high: null });
    expect(of.byTime.whyNoHigh).toContain("topic old was deleted");
    expect(slugs(of)).toEqual(["topic-not-counted"]);
    expect(of.byTime.notes[0]?.text).toContain("topic old");
  });

  test("a topic that is gone and had not grown since the commit counts for nothing, and is told", () => {
    const gone = (lost: { at: number; quietSince: number | null }) =>
      count(committed(), [
        table("a", [{ end: 5, place: 3, since: 2 }]),
        {
          ...failing("old", "not-found", "topic old does not exist"),
          seen: { quietSince: new Map(), lost },
        },
      ]);
    expect(slugs(gone({ at: at + 500, quietSince: at + 1 }))).toEqual(["topic-not-counted"]);
    expect(slugs(gone({ at: at + 500, quietSince: null }))).toEqual(["topic-not-counted"]);
    expect(slugs(gone({ at: at - 1, quietSince: null }))).toEqual(["topic-deleted"]);
    const of = gone({ at: at + 500, quietSince: at });
    expect(of.byTime).toMatchObject({ low: { records: 2 }, high: { records: 3 } });
    expect(slugs(of)).toEqual(["topic-deleted"]);
    expect(of.topics[1]).toMatchObject({ records: 0, end: null, failure: { kind: "not-found" } });
  });

  test("a topic of several connectors adds to the upper figure only", () => {
    const shared = table("s", [{ end: 50, place: 10, placeAt: at + 1, since: 5 }], { shared: true });
    const of = count(committed(), [table("a", [{ end: 5, place: 3, placeAt: at + 9, since: 2 }]), shared]);
    expect(of.byTime).toMatchObject({
      low: { records: 2 },
      high: { records: 3 + 45 },
      firstAt: iso(at + 9),
    });
    expect(slugs(of)).toEqual(["shared-topic"]);
    expect(count(committed(), [shared]).byTime).toMatchObject({
      low: null,
      whyNoLow: expect.stringContaining("other connectors write to topic s too"),
      high: { records: 45 },
    });
    const quiet = table("s", [{ end: 50, place: 50, since: 50 }], { shared: true });
    expect(count(committed(), [quiet]).byTime).toMatchObject({ low: { records: 0 }, notes: [] });
  });
});

describe("times that tell nothing", () => {
  const some = [table("t", [{ end: 9, place: 4, since: 2 }])];

  test("no source time in the offset: no upper figure", () => {
    expect(count(committed(null), some).byTime).toMatchObject({
      low: { records: 5 },
      high: null,
      whyNoHigh: "the stored offset does not hold when the source made its last change",
      sourceAt: null,
    });
  });

  test("a source whose clock is ahead: no upper figure, and by how much", () => {
    const of = count(committed(at + 90_500), some);
    expect(of.byTime).toMatchObject({ low: { records: 5 }, high: null, sourceAt: iso(at + 90_500) });
    expect(of.byTime.whyNoHigh).toContain("at least 90.5 s ahead of the Connect worker's");
    expect(slugs(of)).toEqual(["source-clock-ahead"]);
  });

  test("REST tells no time of the commit: the upper figure stands alone", () => {
    const rest = committed(at - 1_000, { committedAt: null });
    const of = count(rest, [table("t", [{ end: 9, since: 2 }])]);
    expect(of.byTime).toMatchObject({
      low: null,
      whyNoLow: expect.stringContaining("Connect's REST API does not tell when"),
      high: { records: 7 },
      committedAt: null,
    });
  });

  test("LogAppendTime: no figure by time, and which topic", () => {
    const append = topic(
      "t",
      looked("t", [{ end: 9, place: 4, placeAt: at, since: 2 }], { appendTime: true }),
    );
    const of = count(committed(), [append]);
    expect(of.byTime.whyNoLow).toContain("topic t carries the broker's time");
    expect(of.byTime).toMatchObject({ low: null, high: null, firstAt: null });
    expect(slugs(of)).toEqual(["append-time"]);
  });

  test("KAF-17: whether it is LogAppendTime may not be known: told, with the reason", () => {
    const settings: Failure = {
      kind: "forbidden",
      sentence: "needs DescribeConfigs on topic t",
      remedy: null,
    };
    const hidden = looked("t", [{ end: 9, place: 4, since: 2 }], {
      appendTime: null,
      compacted: null,
      settings,
    });
    const of = count(committed(), [topic("t", hidden)]);
    expect(of.byTime).toMatchObject({ low: { records: 5 }, high: { records: 7 } });
    expect(of.byTime.notes).toEqual([
      { slug: "timestamp-type-unknown", text: expect.stringContaining("needs DescribeConfigs on topic t") },
    ]);
  });

  test("compaction is told where there is something to count", () => {
    const compacted = (place: number) =>
      topic("t", looked("t", [{ end: 9, place, since: place }], { compacted: true }));
    expect(slugs(count(committed(), [compacted(4)]))).toEqual(["compacted"]);
    expect(slugs(count(committed(), [compacted(9)]))).toEqual([]);
  });
});

describe("what is in force", () => {
  const some = [table("t", [{ end: 9, place: 4, since: 2 }])];

  test("a running snapshot and no commit have no upper figure", () => {
    const partition = { server: "shop" };
    const snapshot = { partition, offset: { lsn: 1, snapshot: true }, committedAt: at };
    const running = inForceOf("postgresql", { "topic.prefix": "shop" }, [snapshot]);
    expect(count(running, some).byTime).toMatchObject({
      low: { records: 5 },
      high: null,
      whyNoHigh: "a snapshot is running, and a start would begin it again",
    });
    const none = inForceOf("postgresql", { "topic.prefix": "shop" }, []);
    const untimed = [table("t", [{ end: 9, earliest: 0 }])];
    expect(count(none, untimed).byTime).toMatchObject({
      low: null,
      whyNoLow: "no offset is stored: a start would be its first",
      high: null,
      whyNoHigh: "no offset is stored: a start would be its first",
    });
  });

  test("what is unknown gives no figure, however much is seen", () => {
    const broken = inForceOf("postgresql", {}, [{ partition: {}, offset: {}, committedAt: at }]);
    expect(count(broken, some).byTime).toMatchObject({ low: null, high: null, whyNoLow: broken.why });
  });

  const mssql = inForceOf(
    "sqlserver",
    { "topic.prefix": "shop" },
    ["sales", "stock"].map((database, i) => ({
      partition: { server: "shop", database },
      offset: { commit_lsn: "00000027:00000ac0:0002" },
      committedAt: at - i * 60_000,
    })),
  );

  test("several source partitions: at least where the topic's name tells which, at most where not", () => {
    const [sales, routed] = [
      table("shop.sales.dbo.a", [{ end: 9, place: 8 }]),
      table("routed", [{ end: 20, place: 5 }]),
    ];
    const both = count(mssql, [sales, routed]);
    expect(both.byTime).toMatchObject({
      low: { records: 1 },
      high: null,
      whyNoHigh: "the stored offset does not hold when the source made its last change",
      committedAt: iso(at - 60_000),
    });
    expect(slugs(both)).toEqual(["several-source-partitions"]);
    expect(count(mssql, [routed]).byTime).toMatchObject({
      low: null,
      whyNoLow: expect.stringContaining("which of 2 commits"),
      high: { records: 15 },
    });
    expect(count(mssql, [sales]).byTime).toMatchObject({
      low: { records: 1 },
      committedAt: iso(at),
      notes: [],
    });
  });

  test("Spanner's tokens: at least what is later than the newest of them", () => {
    const tokens = ["a", "b"].map((partitionToken, i) => ({
      partition: { partitionToken },
      offset: { offset: "2026-11-29T11:00:00Z" },
      committedAt: at - i * 60_000,
    }));
    expect(count(inForceOf("spanner", {}, tokens), some).byTime).toMatchObject({
      low: { records: 5 },
      high: null,
      whyNoHigh: expect.stringContaining("come and go at the source"),
      committedAt: iso(at),
    });
  });
});
