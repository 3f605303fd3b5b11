import { describe, expect, test } from "vitest";
import { catalogue } from "./catalogue";
import { guarded, judgeCluster, judgeConnector } from "./judge";
import {
  clusterFacts,
  facts,
  limits,
  never,
  now,
  refused,
  report,
  runState,
  seen,
  stale,
} from "./testing/facts";
import { verdictSchema } from "./verdict";

const connectorSlugs = catalogue.filter((c) => c.subject === "connector").map((c) => c.slug);
const outcomes = (verdicts: readonly { slug: string; outcome: string }[]) =>
  Object.fromEntries(verdicts.map((v) => [v.slug, v.outcome]));

describe("judgeConnector", () => {
  test("gives one valid verdict a check, in the order of the catalogue", () => {
    const verdicts = judgeConnector(facts(), limits, now);
    expect(verdicts.map((v) => v.slug)).toEqual(connectorSlugs);
    for (const v of verdicts) expect(() => verdictSchema.parse(v)).not.toThrow();
  });

  test("finds nothing wrong with a healthy connector but what it has not watched", () => {
    const bad = judgeConnector(facts(), limits, now).filter(
      (v) => !["ok", "not-applicable"].includes(v.outcome),
    );
    expect(bad.map((v) => [v.slug, v.outcome])).toEqual([["running-but-silent", "unknown"]]);
  });

  test("says unknown everywhere when nothing was looked at yet", () => {
    const nothing = facts({ report: never(null), offsets: null, history: null });
    expect(new Set(judgeConnector(nothing, limits, now).map((v) => v.outcome))).toEqual(new Set(["unknown"]));
  });

  test("gives no green from stale data", () => {
    const old = facts({ report: stale(report()) });
    for (const v of judgeConnector(old, limits, now)) {
      expect([v.slug, v.outcome]).toEqual([v.slug, "unknown"]);
      expect(v.sentence).toContain("10 min ago");
      expect(v.sentence).toContain("connection refused");
    }
  });

  test("goes on judging by a value of a few seconds ago when the last look failed", () => {
    const brief = facts({ report: seen(report({ connector: runState("FAILED") }), { failure: refused }) });
    expect(outcomes(judgeConnector(brief, limits, now))["connector-failed"]).toBe("critical");
  });

  test.each([
    [
      "a sink",
      report({ type: "sink", config: { "connector.class": "io.debezium.connector.jdbc.JdbcSinkConnector" } }),
    ],
    [
      "another source",
      report({ config: { "connector.class": "org.apache.kafka.connect.mirror.MirrorSourceConnector" } }),
    ],
  ])("gives %s the connect checks and no other", (_name, value) => {
    const verdicts = judgeConnector(
      facts({ report: seen(value), offsets: null, history: null }),
      limits,
      now,
    );
    for (const v of verdicts) {
      const check = catalogue.find((c) => c.slug === v.slug);
      const expected =
        check?.group === "connect" && v.slug !== "running-but-silent" ? "ok" : "not-applicable";
      expect([v.slug, v.outcome]).toEqual([v.slug, expected]);
    }
  });

  test("a half that Connect did not report is unknown, not ok", () => {
    const half = facts({ report: seen(report({ connector: null, tasks: null, config: null })) });
    for (const v of judgeConnector(half, limits, now))
      expect([v.slug, v.outcome]).toEqual([v.slug, "unknown"]);
  });

  test("a check that cannot read its data does not take the others down", () => {
    const torn = facts({ offsets: seen({ offsets: [{ partition: "{", offset: "{}" }] }) });
    const verdicts = judgeConnector(torn, limits, now);
    expect(outcomes(verdicts)["offset-missing"]).toBe("unknown");
    expect(outcomes(verdicts)["history-partitions"]).toBe("ok");
  });
});

describe("judgeCluster", () => {
  test("judges Connect itself", () => {
    expect(outcomes(judgeCluster(clusterFacts(), limits, now))).toEqual({
      "connect-unreachable": "ok",
      "connect-rebalancing": "ok",
    });
  });
});

test("a check that throws says so", () => {
  const verdict = guarded("no-tasks", () => {
    throw new Error("boom");
  });
  expect(verdict).toMatchObject({ slug: "no-tasks", outcome: "unknown" });
  expect(verdict.sentence).toContain("boom");
});
