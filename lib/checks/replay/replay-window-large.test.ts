import { describe, expect, test } from "vitest";
import type { Failure } from "@/lib/observed/observation";
import type { CheckLimits, ConnectorFacts } from "../check";
import {
  ago,
  facts,
  limits,
  never,
  now,
  postgresConfig,
  refused,
  report,
  seen,
  stale,
} from "../testing/facts";
import { byTime, commitsAgo, replayWindow } from "../testing/window";
import { replayWindowLarge } from "./replay-window-large";
import { crashSentence } from "./window-words";

const judge = (input: ConnectorFacts, set: CheckLimits = limits) => replayWindowLarge.judge(input, set, now);
const withWindow = (more: Parameters<typeof replayWindow>[0]) => facts({ window: seen(replayWindow(more)) });

describe("replay-window-large fires", () => {
  const large = {
    events: 41_000,
    bound: "about",
    bytes: 28_101_837,
    spanMs: 44_000,
    byTime: byTime({ low: { records: 40_100, bytes: null }, high: { records: 44_200, bytes: null } }),
    commits: commitsAgo(46),
    recentWorst: { events: 41_000, at: ago(2).toISOString() },
  } as const;

  test("over the limit of events, with what it goes by and where the limit is set", () => {
    const verdict = judge(withWindow({ ...large, commits: [...large.commits] }));
    expect(verdict.outcome).toBe("warning");
    expect(verdict.short).toBe("about 41,000 events");
    expect(verdict.sentence).toBe(
      "If this connector crashed now, about 41,000 events (44 s of writes) would be produced again. That is more than the limit of 10,000 events.",
    );
    expect(verdict.evidence.map((e) => [e.label, e.value])).toEqual([
      ["now", "about 41,000 events, 26.8 MiB, 44 s of writes"],
      ["by time", "40,100 to 44,200 records"],
      ["worst of the last ten minutes", `41,000 events at ${ago(2).toISOString()}`],
      ["limit", "10,000 events, 256 MiB, 5 min of writes"],
      ["newest commit", `${ago(46).toISOString()}, 44 s before`],
      ["flush interval", "1 min"],
    ]);
    expect(verdict.evidence.find((e) => e.label === "limit")?.from).toContain("checks.replay");
    expect(verdict.remedy[0]?.text).toContain("offset.flush.interval.ms");
    expect(verdict.remedy[0]?.text).toContain("restart");
    expect(verdict.remedy[1]?.command).toContain('{"exactly.once.support":"required"}');
    expect(verdict.remedy[2]?.text).toContain("checks.replay");
  });

  test("over the limit of bytes or of time, and says over which", () => {
    expect(judge(withWindow({ bytes: 300_000_000 })).sentence).toMatch(/more than the limit of 256 MiB\.$/);
    expect(judge(withWindow({ spanMs: 300_001 })).sentence).toMatch(/the limit of 5 min of writes\.$/);
    expect(judge(withWindow({ events: 10_001, bytes: 300_000_000 })).sentence).toMatch(
      /the limit of 10,000 events and of 256 MiB\.$/,
    );
    expect(judge(withWindow({ events: 10_000, bytes: 268_435_456, spanMs: 300_000 })).outcome).toBe("ok");
  });

  test("stays while the worst of late was over: a saw-tooth does not open and close it with each commit", () => {
    const verdict = judge(
      withWindow({ events: 12, bound: "exact", recentWorst: { events: 41_000, at: ago(90).toISOString() } }),
    );
    expect(verdict.outcome).toBe("warning");
    expect(verdict.sentence).toBe(
      "A crash at 06:28:30 UTC would have produced 41,000 events again, more than the limit of 10,000 events. Now it would be 12 events.",
    );
  });

  test("of a bracket by time, tells both figures and whether the lower is over as well", () => {
    const told = (low: number, high: number) => {
      const amount = (records: number) => ({ records, bytes: null });
      const range = byTime({ low: amount(low), high: amount(high) });
      return judge(withWindow({ events: high, by: "time", bound: "at-most", byTime: range }));
    };
    expect(told(110, 12_100)).toMatchObject({
      outcome: "warning",
      short: "110 to 12,100 events",
      sentence:
        "If this connector crashed now, 110 to 12,100 events (12 s of writes) would be produced again. That can be more than the limit of 10,000 events.",
    });
    expect(told(11_000, 20_000).sentence).toMatch(/11,000 to 20,000 events .* That is more than/);
    expect(told(110, 12_100).evidence[0]?.value).toMatch(/^110 to 12,100 events, /);
    expect(told(11_900, 12_100).short).toBe("at most 12,100 events");
  });

  test("tells of a connector that stands still what its next start costs", () => {
    expect(judge(withWindow({ events: 20_000, bound: "at-most", standsStill: "FAILED" })).sentence).toMatch(
      /^When it starts again, at most 20,000 events \(12 s of writes\) will be produced again\./,
    );
  });

  test("offers exactly-once only where the connector's type and version have it", () => {
    const remedies = (type: string, version: string | null) =>
      judge(
        facts({
          window: seen(replayWindow({ events: 20_000 })),
          report: seen(
            report({
              config: { ...postgresConfig, "connector.class": type },
              connector: { state: "RUNNING", workerId: null, version, trace: null },
            }),
          ),
        }),
      ).remedy.filter((step) => step.command !== null).length;
    expect(remedies("io.debezium.connector.postgresql.PostgresConnector", "3.6.1.Final")).toBe(1);
    expect(remedies("io.debezium.connector.postgresql.PostgresConnector", null)).toBe(1);
    expect(remedies("io.debezium.connector.postgresql.PostgresConnector", "2.2.0.Final")).toBe(0);
    expect(remedies("io.debezium.connector.vitess.VitessConnector", "3.6.1.Final")).toBe(0);
  });

  test("a limit of its own, and none", () => {
    const own = (name: string) => ({
      events: name === "inventory-cdc" ? 300 : null,
      bytes: null,
      spanMs: null,
    });
    expect(judge(facts(), { ...limits, replay: own }).outcome).toBe("warning");
    expect(judge(facts({ connector: "other" }), { ...limits, replay: own }).outcome).toBe("not-applicable");
  });
});

describe("replay-window-large is silent", () => {
  test("within the limits; its words do not change with each poll", () => {
    const first = judge(facts());
    expect(first.outcome).toBe("ok");
    expect(judge(withWindow({ events: 311, bytes: 66_000 }))).toEqual(first);
  });

  test("within the limit of events, it says of which others there is no figure to compare", () => {
    const verdict = judge(withWindow({ events: 12, bytes: null, spanMs: null }));
    expect(verdict.outcome).toBe("ok");
    expect(verdict.sentence).toBe(
      "A crash would produce no more again than the limits allow. Not known is how many bytes that is and how long it took to write.",
    );
    const none = judge(withWindow({ events: 0, bytes: null, spanMs: null }));
    expect(none.sentence).toBe("A crash would produce no more again than the limits allow.");
  });

  test("with exactly-once, seen", () => {
    const verdict = judge(
      withWindow({ kind: "exactly-once", events: 0, by: "exactly-once", bound: "exact" }),
    );
    expect([verdict.outcome, verdict.short]).toEqual(["ok", "0"]);
  });

  test("while a snapshot runs, and before the first commit", () => {
    expect(judge(withWindow({ kind: "snapshot", events: 9_999_999 })).outcome).toBe("not-applicable");
    expect(judge(withWindow({ kind: "no-commit", events: 9_999_999 })).outcome).toBe("not-applicable");
  });
});

describe("replay-window-large is unknown", () => {
  test("with the window's own reason", () => {
    const why = "Connect could not be asked for the offsets.";
    const verdict = judge(withWindow({ kind: "unknown", why, events: null, by: null, bound: null }));
    expect([verdict.outcome, verdict.sentence]).toEqual(["unknown", why]);
  });

  test("when a topic cannot be seen: what is counted is not all, and no more than the limits is not said", () => {
    const topics = (failure: Failure) => [
      ...replayWindow().topics,
      { topic: "inv.hidden", records: null, end: null, failure },
    ];
    const part = judge(withWindow({ bound: "at-least", topics: topics(refused) }));
    expect([part.outcome, part.sentence]).toEqual([
      "unknown",
      "Not every topic can be seen. http://connect:8083 cannot be reached (connection refused).",
    ]);
    const none = withWindow({
      events: 0,
      bound: "at-least",
      byTime: byTime({ low: null }),
      topics: topics(refused),
    });
    expect(judge(none).outcome).toBe("unknown");
    expect(judge(withWindow({ events: 20_000, topics: topics(refused) })).outcome).toBe("warning");
    const gone = { kind: "not-found", sentence: "there is no topic inv.hidden", remedy: null } as const;
    expect(judge(withWindow({ topics: topics(gone) })).outcome).toBe("ok");
  });

  test("when records were deleted within the window: no more than the limits is not said", () => {
    const notes = [{ slug: "deleted-in-window", text: "Records of topic inv.a were deleted" }];
    const short = { by: "time", bound: "at-least", byTime: byTime({ notes }) } as const;
    expect(judge(withWindow(short))).toMatchObject({
      outcome: "unknown",
      sentence: "Not all can be counted. Records of topic inv.a were deleted.",
    });
    expect(judge(withWindow({ ...short, events: 20_000 })).outcome).toBe("warning");
    expect(crashSentence(replayWindow({ ...short, events: 0 }))).toContain("cannot be counted");
  });

  test("when nobody looked yet, when it could not be had, and when it is too old to go by", () => {
    expect(judge(facts({ window: null })).sentence).toBe("Warming up: no look at the replay window yet.");
    const failed = judge(facts({ window: never(refused) }));
    expect(failed.sentence).toMatch(/^The replay window cannot be read\. /);
    expect(failed.remedy).toEqual([{ text: "check that it runs", command: null }]);
    expect(judge(facts({ window: stale(replayWindow()) })).sentence).toMatch(
      /^The last look at the replay window was 10 min ago\. /,
    );
    expect(judge(facts({ report: never(refused) })).outcome).toBe("unknown");
    expect(judge(facts({ report: seen(report({ config: null })) })).outcome).toBe("unknown");
  });
});

test("replay-window-large is not applicable to sinks and to connectors of others", () => {
  expect(judge(facts({ report: seen(report({ type: "sink" })) })).outcome).toBe("not-applicable");
  const foreign = report({
    config: { "connector.class": "org.apache.kafka.connect.mirror.MirrorSourceConnector" },
  });
  expect(judge(facts({ report: seen(foreign), window: null })).outcome).toBe("not-applicable");
});
