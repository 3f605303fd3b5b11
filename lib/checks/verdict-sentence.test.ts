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
  storedOffset,
} from "./testing/facts";
import { verdictSentence } from "./verdict-sentence";

const told = (input: ConnectorFacts) => verdictSentence(input, judgeConnector(input, limits, now));

describe("verdictSentence", () => {
  test("all is well", () => {
    expect(told(facts())).toBe(
      "RUNNING, and it would start again as far as its schema history goes: no record of it is gone, and none will be deleted.",
    );
  });

  test("a good history on brokers of other names is good under a condition", () => {
    expect(told(facts({ brokers: ["localhost:29092"] }))).toBe(
      "RUNNING, and it would start again as far as its schema history goes, if the brokers that it names and those that Tidemark looked at are one Kafka cluster.",
    );
  });

  test("PostgreSQL needs no schema history", () => {
    const input = facts({
      connector: "orders-cdc",
      report: seen(report({ config: postgresConfig })),
      offsets: seen({ offsets: [storedOffset({ server: "shop" }, { lsn: 1 })] }),
      history: null,
    });
    expect(told(input)).toBe("RUNNING, its position is stored, and it needs no schema history.");
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
