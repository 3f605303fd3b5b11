import { describe, expect, test } from "vitest";
import type { ConnectorFacts } from "./check";
import { judgeConnector } from "./judge";
import {
  facts,
  historyFacts,
  historyTopic,
  limits,
  never,
  now,
  postgresConfig,
  refused,
  report,
  runState,
  seen,
  stale,
  storedOffset,
} from "./testing/facts";
import { byTime, replayWindow } from "./testing/window";
import { verdictSentence } from "./verdict-sentence";

const told = (input: ConnectorFacts) => verdictSentence(input, judgeConnector(input, limits, now));

describe("verdictSentence", () => {
  test("all is well", () => {
    expect(told(facts())).toBe(
      "RUNNING, and it would start again as far as its schema history goes: no record of it is gone, and none will be deleted. If this connector crashed now, about 310 events (12 s of writes) would be produced again.",
    );
  });

  test("a good history on brokers of other names is good under a condition", () => {
    expect(told(facts({ brokers: ["localhost:29092"] }))).toBe(
      "RUNNING, and it would start again as far as its schema history goes, if the brokers that it names and those that Tidemark looked at are one Kafka cluster. If this connector crashed now, about 310 events (12 s of writes) would be produced again.",
    );
  });

  test("PostgreSQL needs no schema history", () => {
    const input = facts({
      connector: "orders-cdc",
      report: seen(report({ config: postgresConfig })),
      offsets: seen({ offsets: [storedOffset({ server: "shop" }, { lsn: 1 })] }),
      history: null,
    });
    expect(told(input)).toBe(
      "RUNNING, its position is stored, and it needs no schema history. If this connector crashed now, about 310 events (12 s of writes) would be produced again.",
    );
  });

  test("it would not come back", () => {
    expect(told(historyFacts({ exists: false }))).toMatch(
      /^inventory-cdc would not come back: the schema history topic inv\.schema-history does not exist/,
    );
  });

  test("it runs, but will lose what it needs", () => {
    expect(told(historyFacts({ retentionMs: { value: "604800000", from: "broker" } }))).toBe(
      "RUNNING. Schema history is deleted after 7 days (inherited from the broker, not set on the topic); then the connector would not start again.",
    );
  });

  test("a failure is told by its cause, and with what a restart would meet", () => {
    const failed = report({ tasks: [{ id: 0, ...runState("FAILED", "a.B: no route") }] });
    expect(told(facts({ report: seen(failed) }))).toBe("FAILED (task 0): no route.");
    expect(told(facts({ report: seen(failed), history: seen(historyTopic({ exists: false })) }))).toMatch(
      /^FAILED \(task 0\): no route\. A restart alone does not help: the schema history topic/,
    );
  });

  test("a warning follows what is sure", () => {
    expect(
      told(
        historyFacts({
          replicationFactor: 1,
          inSyncReplicas: 1,
          minInsyncReplicas: { value: "1", from: "broker" },
        }),
      ),
    ).toMatch(/^RUNNING, and it would start again .*\. Topic inv\.schema-history has one replica/);
  });

  describe("what a crash would cost", () => {
    const of = (more: Parameters<typeof replayWindow>[0]) =>
      told(facts({ window: seen(replayWindow(more)) }))
        .split("none will be deleted.")[1]
        ?.trim();

    test.each([
      [
        { events: 0, bound: "exact", spanMs: null },
        "If this connector crashed now, no event would be produced again.",
      ],
      [
        { events: 0, bound: "at-most", spanMs: null },
        "If this connector crashed now, no event would be produced again.",
      ],
      [
        { events: 0, bound: "at-least" },
        "If this connector crashed now, hardly any event would be produced again: none came since the last commit.",
      ],
      [
        { events: 1, bound: "exact", spanMs: 0 },
        "If this connector crashed now, 1 event would be produced again.",
      ],
      [
        { events: 1_310, bound: "at-most", spanMs: 250 },
        "If this connector crashed now, at most 1,310 events (250 ms of writes) would be produced again.",
      ],
      [
        {
          events: 1_210,
          by: "time",
          bound: "at-most",
          byTime: byTime({ low: { records: 110, bytes: null }, high: { records: 1_210, bytes: null } }),
        },
        "If this connector crashed now, 110 to 1,210 events (12 s of writes) would be produced again.",
      ],
      [
        { kind: "exactly-once", by: "exactly-once", events: 0, bound: "exact" },
        "If this connector crashed now, no event would be produced again: its offsets are committed in the transactions of its records.",
      ],
      [
        { kind: "snapshot", by: "snapshot", events: 120_000, bound: "at-most" },
        "If this connector crashed now, its snapshot would begin again, at most 120,000 rows so far.",
      ],
      [
        { kind: "no-commit", events: 12, bound: "at-most" },
        "If this connector crashed now, it would start as new, for no offset is stored: at most 12 records so far; a start would read the tables again.",
      ],
      [
        { standsStill: "UNASSIGNED" },
        "When it starts again, about 310 events (12 s of writes) will be produced again.",
      ],
      [
        { kind: "unknown", why: "The offset topic is not followed.", events: null, by: null, bound: null },
        "What a crash now would produce again is not known: the offset topic is not followed.",
      ],
    ] as const)("%j", (more, sentence) => {
      expect(of(more)).toBe(sentence);
    });

    test("is not claimed from a window that is too old, nor where none was looked for", () => {
      expect(told(facts({ window: stale(replayWindow()) }))).toMatch(
        / What a crash now would produce again is not known: the last look at the replay window was 10 min ago\. /,
      );
      expect(told(facts({ window: null }))).not.toContain("crash");
    });

    test("gives way to what is wrong, and is told once where it is what is wrong", () => {
      expect(told(historyFacts({ exists: false }))).not.toContain("crash");
      expect(
        told(facts({ window: seen(replayWindow({ events: 41_000 })) })).match(/crashed now/g),
      ).toHaveLength(1);
    });
  });

  test("what could not be checked is not claimed", () => {
    expect(told(facts({ history: never(refused) }))).toMatch(
      /^RUNNING\. Not known: the schema history topic cannot be read\. /,
    );
    expect(
      told(facts({ offsets: seen({ offsets: [] }), history: seen(historyTopic({ exists: false })) })),
    ).not.toContain("would start again");
    expect(told(facts({ report: never(refused) }))).toMatch(/^How it is, is not known\./);
    expect(verdictSentence(facts(), [])).toBe("Not judged yet.");
  });
});
