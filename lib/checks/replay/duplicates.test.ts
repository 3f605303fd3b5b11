import { describe, expect, test } from "vitest";
import type { ConnectorDuplicates, Replay } from "@/lib/observed/duplicates";
import { catalogue } from "../catalogue";
import type { CheckLimits, ConnectorFacts } from "../check";
import { connectorDuplicates, replay, scanResult, topicDuplicates } from "../testing/duplicates";
import { ago, facts, limits, never, now, refused, report, seen, stale } from "../testing/facts";

const noBrokers = {
  kind: "not-configured",
  sentence: "no brokers are configured for this cluster",
  remedy: "add kafka.brokers",
} as const;

function judgedBy(slug: string, input: ConnectorFacts, set: CheckLimits = limits) {
  const check = catalogue.find((c) => c.slug === slug);
  if (check?.subject !== "connector") throw new Error(`no connector check ${slug}`);
  return check.judge(input, set, now);
}

const of = (slug: string, duplicates: ConnectorDuplicates, set?: CheckLimits) =>
  judgedBy(slug, facts({ duplicates: seen(duplicates) }), set);
const hoursAgo = (hours: number) => ago(hours * 3_600).toISOString();

describe.each(["replay-happened", "duplicates-high", "duplicates-not-measurable", "key-order-broken"])(
  "%s is unknown",
  (slug) => {
    test("without brokers, before the first look, after failed looks, and when nothing is measured yet", () => {
      const none = judgedBy(slug, facts({ duplicates: never(noBrokers) }));
      expect([none.outcome, none.sentence]).toEqual([
        "unknown",
        "Duplicates cannot be read. No brokers are configured for this cluster.",
      ]);
      expect(none.remedy).toEqual([{ text: "add kafka.brokers", command: null }]);
      for (const duplicates of [null, undefined])
        expect(judgedBy(slug, facts({ duplicates } as Partial<ConnectorFacts>))).toMatchObject({
          outcome: "unknown",
          sentence: "Warming up: no look at duplicates yet.",
        });
      expect(judgedBy(slug, facts({ duplicates: stale(connectorDuplicates()) })).sentence).toMatch(
        /^The last look at duplicates was 10 min ago\. /,
      );
      expect(judgedBy(slug, facts({ duplicates: never(refused) })).outcome).toBe("unknown");
      expect(of(slug, { topics: [], replays: [] }).sentence).toMatch(/^Warming up: /);
      expect(judgedBy(slug, facts({ report: never(refused) })).outcome).toBe("unknown");
      expect(judgedBy(slug, facts({ report: seen(report({ config: null })) })).outcome).toBe("unknown");
    });

    test("and not applicable to a sink", () => {
      expect(judgedBy(slug, facts({ report: seen(report({ type: "sink" })) })).outcome).toBe(
        "not-applicable",
      );
    });
  },
);

describe("replay-happened", () => {
  const crash = replay({ predicted: 500 });
  const older = replay({
    topic: "inv.inventory.stock",
    partition: 3,
    firstOffset: 90,
    lastOffset: 90,
    count: 1,
    at: hoursAgo(23),
    cause: "source-retry",
    causeWhy: "Debezium's run changed, Connect's state did not",
  });

  test("tells the newest, with offsets, count, cause and what was predicted, and whom to tell", () => {
    const verdict = of("replay-happened", connectorDuplicates([crash, older]));
    expect(verdict.outcome).toBe("info");
    expect(verdict.short).toBe("2 in 24 h");
    expect(verdict.sentence).toBe(
      "401 changes were produced again in the last 24 hours, in 2 replays. The newest began at 06:10:00 UTC in inv.inventory.products-0: the worker or its task crashed.",
    );
    expect(verdict.evidence).toEqual([
      {
        label: "inv.inventory.products-0",
        value:
          "offsets 1200 to 1649, 400 changes: the worker or its task crashed; 500 events had been predicted for all its topics",
        from: "06:10:00 UTC, the worker left the group without a commit",
      },
      {
        label: "inv.inventory.stock-3",
        value: "offset 90, 1 change: Debezium began again after an error of the source connection",
        from: `2026-09-13 07:30:00 UTC, ${older.causeWhy}`,
      },
    ]);
    expect(verdict.remedy[0]?.text).toContain(
      "inv.inventory.products-0 1200–1649, inv.inventory.stock-3 90.",
    );
    expect(verdict.remedy[1]?.text).toContain("offset.flush.interval.ms");
  });

  test("one start that shows in many partitions is told as one, and those that are not listed are counted", () => {
    const eight = Array.from({ length: 8 }, (_, partition) =>
      replay({ partition, runBefore: "a", runAfter: "b", count: 10 }),
    );
    const verdict = of("replay-happened", connectorDuplicates(eight));
    expect(verdict.sentence).toContain("in 8 partitions, all by one start of its tasks.");
    expect(verdict.remedy[0]?.text).toContain(", and 3 more on the connector's page.");
    const twice = [...eight, replay({ partition: 0, runBefore: "0", runAfter: "a", count: 10 })];
    expect(of("replay-happened", connectorDuplicates(twice)).sentence).toContain("in 9 replays.");
  });

  test("warns over the set rate, and has no rate without a limit", () => {
    const many = connectorDuplicates([replay({ count: 4_000 })]);
    const verdict = of("replay-happened", many);
    expect(verdict.outcome).toBe("warning");
    expect(verdict.sentence).toMatch(
      /^4,000 changes .* Together they are over the set rate: see duplicates-high\.$/,
    );
    // How much it is, and what lessens it, the other one tells.
    expect(verdict.remedy.map(({ text }) => text)).toEqual([
      expect.stringContaining("which offsets to forget"),
    ]);
    const rate = of("duplicates-high", many);
    expect(rate.sentence).toBe(
      "Consumers got 4 % of the records of the last 24 hours twice, more than the limit of 1 %. Most of it because the worker or its task crashed.",
    );
    expect(rate.remedy.map(({ text }) => text).join()).not.toContain("to forget");
    expect(of("replay-happened", many, { ...limits, duplicates: { rate: null } }).outcome).toBe("info");
    const { duplicates: _, ...without } = limits;
    expect(of("replay-happened", many, without).outcome).toBe("info");
  });

  test("stays open for 24 hours, whatever the next looks bring", () => {
    const found = connectorDuplicates([replay({ at: hoursAgo(23.99) })]);
    const first = of("replay-happened", found);
    expect(first.outcome).toBe("info");
    const later = facts({ duplicates: seen(found, { trueAt: ago(1), triedAt: ago(1) }) });
    expect(judgedBy("replay-happened", later)).toEqual(first);
    const blind = judgedBy("replay-happened", facts({ duplicates: stale(found) }));
    expect(blind.outcome).toBe("info");
    expect(blind.sentence).toBe(first.sentence);
    expect(blind.evidence.at(-1)).toMatchObject({ label: "last look", value: "10 min ago" });
    expect(of("replay-happened", connectorDuplicates([replay({ at: hoursAgo(24.01) })])).outcome).toBe("ok");
  });

  test("says how sure a count is, and counts what the list has no room for", () => {
    const sentence = (...replays: Replay[]) => of("replay-happened", connectorDuplicates(replays)).sentence;
    expect(sentence(replay({ bound: "at-most" }))).toMatch(/^At most 400 changes were produced again/);
    expect(sentence(replay({ bound: "at-most" }), replay({ bound: "at-least" }))).toMatch(
      /^About 800 changes/,
    );
    expect(sentence(replay({ count: 1 }))).toMatch(/^1 change was produced again .* in 1 replay\./);
    const cut = connectorDuplicates(
      Array.from({ length: 7 }, (_, i) => replay({ firstOffset: 10 * i, count: 1 })),
      {
        day: { records: 100_000, duplicates: 900, replays: 300 },
      },
    );
    const verdict = of("replay-happened", cut);
    expect(verdict.sentence).toMatch(
      /^900 changes were produced again in the last 24 hours, in 300 replays\./,
    );
    expect(verdict.evidence.at(-1)).toMatchObject({ label: "earlier", value: "2 more replays" });
  });

  test("is silent without one, and says where only known restarts tell", () => {
    const quiet = of("replay-happened", connectorDuplicates());
    expect([quiet.outcome, quiet.sentence]).toEqual([
      "ok",
      "No change was produced again in the last 24 hours.",
    ]);
    expect(of("replay-happened", connectorDuplicates([], { sure: "known-starts" })).sentence).toContain(
      "carry no run ids",
    );
  });

  test("claims no silence of what is not measured", () => {
    const waiting = { behind: 500, from: hoursAgo(3) };
    expect(of("replay-happened", connectorDuplicates([], waiting))).toMatchObject({
      outcome: "unknown",
      sentence: "Warming up: topic inv.inventory.products is not measured back over 24 hours yet.",
    });
    expect(of("replay-happened", connectorDuplicates([], { behind: 500, from: hoursAgo(25) })).outcome).toBe(
      "ok",
    );
    const one = { slug: "registry", reason: "its values are Avro", count: 12, remedy: "Name a registry." };
    expect(
      of("replay-happened", connectorDuplicates([], {}, { topic: "b", notMeasurable: [one] })),
    ).toMatchObject({
      outcome: "unknown",
      sentence: "Not all of topic b can be measured. Its values are Avro.",
    });
  });
});

describe("duplicates-high", () => {
  const day = (records: number | null, duplicates: number) => ({
    day: { records, duplicates, replays: duplicates === 0 ? 0 : 1 },
  });

  test("over the rate, of all topics or of one large enough to be judged alone", () => {
    const all = of(
      "duplicates-high",
      connectorDuplicates([], day(10_000, 150), { topic: "b", ...day(2_000, 0) }),
    );
    expect(all).toMatchObject({
      outcome: "warning",
      short: "1.3 %",
      sentence: "Consumers got 1.3 % of the records of the last 24 hours twice, more than the limit of 1 %.",
    });
    expect(all.evidence.map((e) => [e.label, e.value])).toEqual([
      ["all topics", "1.3 %: 150 changes of 12,000 records"],
      ["inv.inventory.products", "1.5 %: 150 changes of 10,000 records"],
      ["limit", "1 %"],
    ]);
    const one = of(
      "duplicates-high",
      connectorDuplicates([], day(1_000, 20), { topic: "b", ...day(90_000, 0) }),
    );
    expect(one.sentence).toMatch(/^Consumers got 2 % of the records of topic inv\.inventory\.products of/);
    const small = of(
      "duplicates-high",
      connectorDuplicates([], day(999, 100), { topic: "b", ...day(90_000, 0) }),
    );
    expect(small.outcome).toBe("ok");
  });

  test("names first what stands behind most of it", () => {
    const text = (cause: Parameters<typeof replay>[0]) =>
      of("duplicates-high", connectorDuplicates([replay({ count: 5_000, ...cause })])).remedy[0]?.text;
    expect(text({ cause: "source-retry" })).toContain("errors.max.retries");
    expect(text({ cause: "producer-retry" })).toContain("enable.idempotence");
    expect(text({ cause: "crash" })).toContain("offset.flush.interval.ms");
  });

  test("at least, where not all is measured; unknown where what is measured is not over", () => {
    const waiting = { behind: 500, from: hoursAgo(3) };
    expect(of("duplicates-high", connectorDuplicates([], { ...waiting, ...day(10_000, 150) }))).toMatchObject(
      {
        outcome: "warning",
        short: "at least 1.5 %",
      },
    );
    expect(of("duplicates-high", connectorDuplicates([], { ...waiting, ...day(10_000, 1) })).outcome).toBe(
      "unknown",
    );
    expect(of("duplicates-high", connectorDuplicates([], day(null, 1))).sentence).toBe(
      "How many records came into topic inv.inventory.products in the last 24 hours is not known.",
    );
  });

  test("is silent at the rate and below, in words that do not change with each look", () => {
    const quiet = of("duplicates-high", connectorDuplicates([], day(10_000, 100)));
    expect(quiet.outcome).toBe("ok");
    expect(of("duplicates-high", connectorDuplicates([], day(10_100, 7)))).toEqual(quiet);
    expect(of("duplicates-high", connectorDuplicates([], day(0, 0))).outcome).toBe("ok");
  });

  test("is not applicable without a limit", () => {
    const set = { ...limits, duplicates: { rate: null } };
    expect(of("duplicates-high", connectorDuplicates([], day(10, 10)), set).outcome).toBe("not-applicable");
  });
});

describe("duplicates-not-measurable", () => {
  const flattened = {
    slug: "flattened",
    reason: "Its events are flattened and carry no source position",
    count: 4_000,
    remedy: "Set add.fields=op,source.lsn on the transform.",
  };

  test("says which topic, why and what to do, a remedy once for all who share it", () => {
    const verdict = of(
      "duplicates-not-measurable",
      connectorDuplicates(
        [],
        { notMeasurable: [flattened] },
        { topic: "b", notMeasurable: [{ ...flattened, count: null }] },
      ),
    );
    expect(verdict).toMatchObject({
      outcome: "unknown",
      short: "not measurable",
      sentence:
        "What came twice in topic inv.inventory.products cannot be told. Its events are flattened and carry no source position. The same or another reason holds for 1 more topic.",
      remedy: [{ text: flattened.remedy, command: null }],
    });
    expect(verdict.evidence.map((e) => [e.label, e.value])).toEqual([
      ["inv.inventory.products", `${flattened.reason} (4,000 records)`],
      ["b", flattened.reason],
    ]);
  });

  test("is silent when all can be measured, also while some is still behind", () => {
    expect(of("duplicates-not-measurable", connectorDuplicates([], { behind: 10 })).outcome).toBe("ok");
  });

  test("is unknown before anything was measured", () => {
    const topics = [topicDuplicates({ records: null, from: null, to: null })];
    expect(of("duplicates-not-measurable", { topics, replays: [] }).sentence).toMatch(/^Warming up: /);
  });
});

describe("key-order-broken", () => {
  const violation = { partition: 2, offset: 812, after: 640, position: "0-223344-20" };

  test("fires on what a scan found, with examples as coordinates", () => {
    const scan = scanResult({ keyOrderViolations: 3, violations: [violation], share: 0.125 });
    const verdict = of(
      "key-order-broken",
      connectorDuplicates([], { scan }, { topic: "b", scan: scanResult() }),
    );
    expect(verdict.outcome).toBe("critical");
    expect(verdict.sentence).toMatch(
      /^In topic inv\.inventory\.products 3 changes lie behind a newer one of the same key, and are no replay: /,
    );
    expect(verdict.evidence.map((e) => [e.label, e.value])).toEqual([
      ["inv.inventory.products", "3 changes"],
      ["inv.inventory.products-2", "offset 812 (0-223344-20) is older than offset 640"],
    ]);
    expect(verdict.evidence[0]?.from).toContain("a sample of 12.5 % of the keys");
  });

  test("is silent when all keys are in order, and says of how many topics", () => {
    expect(
      of("key-order-broken", connectorDuplicates([], { scan: scanResult() }, { topic: "b" })),
    ).toMatchObject({
      outcome: "ok",
      sentence: "In no key that was scanned lies an older change behind a newer one (1 of its 2 topics).",
    });
  });

  test("is not applicable where no scan ran, unknown where one could not tell", () => {
    expect(of("key-order-broken", connectorDuplicates()).outcome).toBe("not-applicable");
    const blind = { slug: "unordered", reason: "its positions have no order", count: null, remedy: "x" };
    expect(
      of("key-order-broken", connectorDuplicates([], { scan: scanResult({ notMeasurable: [blind] }) })),
    ).toMatchObject({ outcome: "unknown", remedy: [{ text: "x", command: null }] });
  });
});
