import { describe, expect, test } from "vitest";
import type { ConnectorFacts } from "../check";
import {
  ago,
  commands,
  facts,
  limits,
  mariadbConfig,
  never,
  now,
  postgresConfig,
  refused,
  report,
  seen,
} from "../testing/facts";
import { idleWindow } from "../testing/window";
import { heartbeatOff } from "./heartbeat-off";

const judge = (input: ConnectorFacts) => heartbeatOff.judge(input, limits, now);
type Config = Record<string, string | null>;
const idle = (config: Config, secondsAgo = 3 * 86_400 + 5, more = {}) =>
  facts({ report: seen(report({ config })), window: seen(idleWindow(secondsAgo, more)) });
const { "heartbeat.interval.ms": _, ...silentMariadb } = mariadbConfig;

describe("heartbeat-off", () => {
  test("REP-03 tells an idle PostgreSQL connector that its slot keeps WAL, and what to set", () => {
    const verdict = judge(idle(postgresConfig));
    expect(verdict.outcome).toBe("info");
    expect(verdict.sentence).toBe(
      "Heartbeats are off, and nothing came for 3 days: the stored position stands still with it, and its slot keeps WAL while idle. A crash would still produce nothing more again.",
    );
    expect(commands(verdict)[0]).toContain('{"heartbeat.interval.ms":"10000"}');
    expect(verdict.remedy[1]?.text).toContain("heartbeat.action.query");
  });

  test("tells others of their log; 0 is off", () => {
    const verdict = judge(idle({ ...silentMariadb, "heartbeat.interval.ms": "0" }));
    expect(verdict.sentence).toContain("binlogs that it still needs may be purged while idle");
    expect(verdict.remedy).toHaveLength(1);
    expect(verdict.evidence[0]).toEqual({
      label: "heartbeat.interval.ms",
      value: "0",
      from: "configuration",
    });
  });

  test("is silent with heartbeats, window or not", () => {
    const verdict = judge(facts({ window: null }));
    expect([verdict.outcome, verdict.short]).toEqual(["ok", "every 5 s"]);
  });

  test("is silent while records come, or came within the limit", () => {
    const config = silentMariadb;
    expect(judge(facts({ report: seen(report({ config })) })).outcome).toBe("ok");
    expect(judge(idle(config, 3_500)).outcome).toBe("ok");
    expect(judge(idle(config, 90_000, { grewAt: ago(3_000).toISOString() })).outcome).toBe("ok");
    expect(judge(idle(config, 3_700)).outcome).toBe("info");
  });

  test("is unknown when it cannot be told", () => {
    expect(judge(idle({ ...mariadbConfig, "heartbeat.interval.ms": `\${env:BEAT}` })).outcome).toBe(
      "unknown",
    );
    expect(
      judge(facts({ report: seen(report({ config: silentMariadb })), window: never(refused) })).outcome,
    ).toBe("unknown");
    expect(judge(idle(silentMariadb, 0, { commits: [] })).outcome).toBe("unknown");
    expect(judge(facts({ report: never(refused) })).outcome).toBe("unknown");
    expect(judge(idle(silentMariadb, 90_000, { kind: "unknown", why: "why not" })).sentence).toBe("Why not.");
    const unseen = { topics: [{ topic: "inv.t", records: null, end: null, failure: refused }] };
    expect(judge(idle(silentMariadb, 90_000, unseen)).outcome).toBe("unknown");
  });

  test("is not applicable to sinks, to types without, and while it stands still", () => {
    expect(judge(facts({ report: seen(report({ type: "sink" })) })).outcome).toBe("not-applicable");
    const spanner = { "connector.class": "io.debezium.connector.spanner.SpannerConnector" };
    expect(judge(facts({ report: seen(report({ config: spanner })) })).outcome).toBe("not-applicable");
    expect(judge(idle(silentMariadb, 90_000, { standsStill: "PAUSED" })).outcome).toBe("not-applicable");
  });
});
