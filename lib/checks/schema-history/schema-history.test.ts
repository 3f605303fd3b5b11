import { describe, expect, test } from "vitest";
import { settingSource as sourceOfConfig } from "@/lib/kafka/history-topic";
import type { Setting } from "@/lib/observed/topic";
import {
  commands,
  facts,
  historyFacts,
  historyTopic,
  judged,
  mariadbConfig,
  mariadbOffsets,
  never,
  postgresConfig,
  refused,
  report,
  seen,
  stale,
  storedOffset,
} from "../testing/facts";
import { settingsDenied } from "../testing/forbidden";
import cases from "./cases.json";
import { needsHistoryTopic } from "./needs-history-topic";
import { ownTopicName } from "./recovery-steps";

const url = '"$CONNECT_URL/connectors/inventory-cdc';
const json = "-H 'Content-Type: application/json' --data";
const recovery = [
  `curl -fsS -X PUT ${url}/stop"`,
  'kafka-topics.sh --bootstrap-server "$BROKERS" --delete --topic inv.schema-history',
  `curl -fsS -X PATCH ${json} '{"snapshot.mode":"recovery"}' ${url}/config"`,
  `curl -fsS -X PUT ${url}/resume"`,
  `curl -fsS ${url}/status"`,
  `curl -fsS -X PATCH ${json} '{"snapshot.mode":"initial"}' ${url}/config"`,
];
const sharedFleet = [
  { cluster: "lab", connector: "inventory-cdc", config: mariadbConfig },
  { cluster: "lab", connector: "stock-cdc", config: { ...mariadbConfig, "topic.prefix": "stock" } },
];
const configSources: Record<string, number> = { TOPIC_CONFIG: 1, STATIC_BROKER_CONFIG: 4, DEFAULT_CONFIG: 5 };
const checksOfATopic = [
  "history-missing",
  "history-truncated",
  "history-cleanup-policy",
  "history-retention-time",
  "history-retention-bytes",
  "history-partitions",
  "history-replication",
];

describe("every check of the topic", () => {
  test.each(checksOfATopic)("%s is silent on a good one", (slug) => {
    expect(judged(slug, facts()).outcome).toBe("ok");
  });

  test.each(checksOfATopic)(
    "%s is unknown without a look, with a failed one, and with an old value",
    (slug) => {
      expect(judged(slug, facts({ history: null }))).toMatchObject({ outcome: "unknown" });
      expect(judged(slug, facts({ history: never(refused) })).sentence).toContain("connection refused");
      const old = judged(slug, facts({ history: stale(historyTopic()) }));
      expect(old).toMatchObject({ outcome: "unknown" });
      expect(old.sentence).toContain("10 min ago");
    },
  );

  test.each(checksOfATopic)("%s does not apply to PostgreSQL", (slug) => {
    const input = facts({ report: seen(report({ config: postgresConfig })), history: null });
    expect(judged(slug, input).outcome).toBe("not-applicable");
  });

  test.each(checksOfATopic)("%s waits for a look at a topic that was just named", (slug) => {
    const renamed = { ...mariadbConfig, "schema.history.internal.kafka.topic": "new" };
    const input = facts({ report: seen(report({ config: renamed })) });
    expect(judged(slug, input)).toMatchObject({ outcome: "unknown" });
  });

  test.each(checksOfATopic)("%s is unknown, naming the right, where the topic may not be seen", (slug) => {
    const failure = {
      kind: "forbidden",
      sentence: "not allowed to see it (needs Describe on topic inv.schema-history)",
      remedy: "grant it",
    } as const;
    const hidden = historyFacts({
      exists: null,
      partitions: null,
      replicationFactor: null,
      inSyncReplicas: null,
      cleanupPolicy: null,
      retentionMs: null,
      retentionBytes: null,
      minInsyncReplicas: null,
      earliest: null,
      latest: null,
      failures: [{ about: "metadata", failure }],
    });
    const verdict = judged(slug, hidden);
    expect(verdict.outcome).toBe("unknown");
    expect(verdict.sentence).toContain("needs Describe on topic inv.schema-history");
  });
});

describe("history-missing", () => {
  test.each([
    ["absent", { exists: false, partitions: null, earliest: null, latest: null }, "does not exist"],
    ["empty", { earliest: "40", latest: "40" }, "is empty"],
  ])("fires when the topic is %s while an offset is stored", (_how, damage, words) => {
    const verdict = judged("history-missing", historyFacts(damage));
    expect(verdict.outcome).toBe("critical");
    expect(verdict.sentence).toContain(`inv.schema-history ${words} while an offset is stored`);
    expect(commands(verdict)).toEqual(
      words === "is empty" ? recovery : recovery.filter((c) => !c.startsWith("kafka")),
    );
    expect(verdict.remedy[0]?.text).toContain("no DDL");
  });

  test("a topic that is not there yet is right before the first start", () => {
    const verdict = judged(
      "history-missing",
      historyFacts({ exists: false }, { offsets: seen({ offsets: [] }) }),
    );
    expect(verdict.outcome).toBe("ok");
    expect(verdict.sentence).toContain("will be created at the first start");
  });

  test("an offset of another topic.prefix needs no history", () => {
    const offsets = seen({ offsets: [storedOffset({ server: "old" }, { file: "b.1", pos: 4 })] });
    expect(judged("history-missing", historyFacts({ exists: false }, { offsets })).outcome).toBe("ok");
  });

  test("is unknown when the stored offsets are", () => {
    const verdict = judged("history-missing", historyFacts({ exists: false }, { offsets: never(refused) }));
    expect(verdict.outcome).toBe("unknown");
    expect(verdict.sentence).toContain("does not exist; whether that matters");
  });

  test("is unknown when the connector keeps its history on other brokers, and names them", () => {
    const verdict = judged(
      "history-missing",
      historyFacts({ exists: false }, { brokers: ["localhost:29092"] }),
    );
    expect(verdict.outcome).toBe("unknown");
    expect(verdict.sentence).toContain("on kafka:9092");
  });

  test("addresses that overlap are the same brokers, whatever their order and protocol", () => {
    const told = {
      ...mariadbConfig,
      "schema.history.internal.kafka.bootstrap.servers": "PLAINTEXT://b2:9092, b1:9092",
    };
    const input = historyFacts(
      { exists: false },
      { report: seen(report({ config: told })), brokers: ["b1:9092"] },
    );
    expect(judged("history-missing", input).outcome).toBe("critical");
  });

  test("a shared topic is not deleted: this connector gets another", () => {
    const verdict = judged("history-missing", historyFacts({ earliest: "40" }, { fleet: sharedFleet }));
    expect(commands(verdict).join("\n")).not.toContain("--delete");
    expect(commands(verdict)[1]).toContain(
      `'{"snapshot.mode":"recovery","schema.history.internal.kafka.topic":"inv.schema-history.inventory-cdc"}'`,
    );
  });

  test("a configuration without a mode is put back to having none", () => {
    const { "snapshot.mode": _none, ...config } = mariadbConfig;
    const verdict = judged(
      "history-missing",
      historyFacts({ earliest: "40" }, { report: seen(report({ config })) }),
    );
    expect(commands(verdict).at(-1)).toContain(`'{"snapshot.mode":null}'`);
  });

  test("a name cannot break out of a command", () => {
    const config = { ...mariadbConfig, "schema.history.internal.kafka.topic": "a'; rm -rf $HOME #" };
    const input = facts({
      connector: 'x"; `id` $(id) !! é',
      report: seen(report({ config })),
      history: seen(historyTopic({ topic: "a'; rm -rf $HOME #", earliest: "40" })),
    });
    const shown = commands(judged("history-missing", input));
    expect(shown[0]).toBe(
      'curl -fsS -X PUT "$CONNECT_URL/connectors/x%22%3B%20%60id%60%20%24%28id%29%20%21%21%20%C3%A9/stop"',
    );
    expect(shown[1]).toBe(
      `kafka-topics.sh --bootstrap-server "$BROKERS" --delete --topic 'a'\\''; rm -rf $HOME #'`,
    );
  });
});

describe("history-truncated", () => {
  test("fires when the first records are gone", () => {
    const verdict = judged("history-truncated", historyFacts({ earliest: "12" }));
    expect(verdict).toMatchObject({ outcome: "critical", short: "12 gone" });
    expect(commands(verdict)).toEqual(recovery);
  });

  test("says too which setting goes on removing", () => {
    const retentionMs: Setting = { value: "604800000", from: "broker" };
    const verdict = judged("history-truncated", historyFacts({ earliest: "12", retentionMs }));
    expect(verdict.sentence).toContain("The topic's retention.ms (7 days) will remove more");
  });

  test("a shared topic is also kept from losing more, for the others", () => {
    const retentionBytes: Setting = { value: "1048576", from: "topic" };
    const input = historyFacts({ earliest: "12", retentionBytes }, { fleet: sharedFleet });
    expect(commands(judged("history-truncated", input))[0]).toBe(
      'kafka-configs.sh --bootstrap-server "$BROKERS" --alter --entity-type topics --entity-name inv.schema-history --add-config retention.bytes=-1',
    );
  });

  test("leaves an empty topic to history-missing", () => {
    expect(judged("history-truncated", historyFacts({ earliest: "40" })).outcome).toBe("not-applicable");
  });

  test("is unknown when offsets may not be read", () => {
    const input = historyFacts({ earliest: null, latest: null });
    expect(judged("history-truncated", input).outcome).toBe("unknown");
  });
});

describe("history-cleanup-policy", () => {
  test("KAF-13 compacted is bad, whatever one page says", () => {
    const verdicts = cases["KAF-13"].input.map((input) =>
      judged(
        "history-cleanup-policy",
        historyFacts({ cleanupPolicy: { value: input["cleanup.policy"], from: "topic" } }),
      ),
    );
    expect(verdicts.map((v) => (v.outcome === "critical" ? "bad" : "good"))).toEqual(
      cases["KAF-13"].expected,
    );
    expect(verdicts[0] && commands(verdicts[0])).toEqual([
      'kafka-configs.sh --bootstrap-server "$BROKERS" --alter --entity-type topics --entity-name inv.schema-history --add-config cleanup.policy=delete',
    ]);
  });
});

describe("history-retention-time", () => {
  test("KAF-11 inherited from the broker", () => {
    const { config, partitions } = cases["KAF-11"].input;
    const setting = (name: string): Setting | null => {
      const entry = config.find((c) => c.n === name);
      return entry ? { value: entry.v, from: sourceOfConfig(configSources[entry.source] ?? 0) } : null;
    };
    const input = historyFacts({
      partitions,
      cleanupPolicy: setting("cleanup.policy"),
      retentionMs: setting("retention.ms"),
      retentionBytes: setting("retention.bytes"),
    });
    const verdict = judged("history-retention-time", input);
    expect(verdict.outcome).toBe("critical");
    expect(verdict.short).toBe("7 days");
    expect(verdict.sentence).toContain(
      "deleted after 7 days (inherited from the broker, not set on the topic)",
    );
    expect(verdict.evidence.map((e) => e.value)).toContain("-1, or at least 157680000000 (5 × 365 days)");
    expect(commands(verdict)).toEqual([
      'kafka-configs.sh --bootstrap-server "$BROKERS" --alter --entity-type topics --entity-name inv.schema-history --add-config retention.ms=-1',
    ]);
    expect(judged("history-cleanup-policy", input).outcome).toBe("ok");
    expect(judged("history-retention-bytes", input).outcome).toBe("ok");
  });

  test("KAF-17 without DescribeConfigs the settings are unknown, the offsets are shown, nothing is good", () => {
    const { topic } = cases["KAF-17"].input.describeConfigs;
    const { begin, end } = cases["KAF-17"].input.listOffsets;
    const config = { ...mariadbConfig, "schema.history.internal.kafka.topic": topic };
    const input = facts({
      report: seen(report({ config })),
      history: seen(
        historyTopic({
          topic,
          cleanupPolicy: null,
          retentionMs: null,
          retentionBytes: null,
          minInsyncReplicas: null,
          earliest: `${begin}`,
          latest: `${end}`,
          failures: [{ about: "settings", failure: settingsDenied(topic) }],
        }),
      ),
    });
    for (const slug of [
      "history-retention-time",
      "history-retention-bytes",
      "history-cleanup-policy",
      "history-replication",
    ]) {
      const verdict = judged(slug, input);
      expect([slug, verdict.outcome]).toEqual([slug, "unknown"]);
      expect(verdict.sentence).toContain(
        "Not allowed to read the settings (needs DescribeConfigs on topic schema-changes.shop)",
      );
    }
    const kept = judged("history-missing", input);
    expect(kept.outcome).toBe("ok");
    expect(kept.evidence.map((e) => e.value)).toContain("0 … 40");
  });

  test.each([
    ["-1", "ok"],
    ["157680000000", "ok"],
    ["157679999999", "critical"],
    ["1000", "critical"],
    ["9223372036854775807", "ok"],
    ["soon", "unknown"],
  ])("%s ms is %s", (value, outcome) => {
    expect(
      judged("history-retention-time", historyFacts({ retentionMs: { value, from: "topic" } })).outcome,
    ).toBe(outcome);
  });
});

describe("history-retention-bytes", () => {
  test.each([
    ["-1", "ok", "unlimited"],
    ["1048576", "critical", "1 MiB"],
    ["0", "critical", "0 bytes"],
    ["many", "unknown", "unknown"],
  ])("%s is %s", (value, outcome, short) => {
    const verdict = judged(
      "history-retention-bytes",
      historyFacts({ retentionBytes: { value, from: "topic" } }),
    );
    expect(verdict).toMatchObject({ outcome, short });
    if (outcome === "critical") expect(commands(verdict)[0]).toMatch(/--add-config retention\.bytes=-1$/);
  });
});

describe("history-partitions", () => {
  test("fires on several, and has the topic made anew", () => {
    const verdict = judged("history-partitions", historyFacts({ partitions: 3 }));
    expect(verdict).toMatchObject({ outcome: "critical", short: "3 partitions" });
    expect(commands(verdict)).toEqual(recovery);
  });
});

describe("history-replication", () => {
  test("is unknown when min.insync.replicas is not a number", () => {
    const told = (value: string, factor: number) =>
      judged(
        "history-replication",
        historyFacts({ minInsyncReplicas: { value, from: "broker" }, replicationFactor: factor }),
      );
    for (const value of ["two", ""]) expect(told(value, 3).outcome).toBe("unknown");
    expect(told("two", 3).sentence).toContain('"two"');
    expect(told("two", 2).outcome).toBe("warning");
  });

  test.each([
    [1, 1, "1", "warning"],
    [2, 2, "1", "warning"],
    [3, 1, "2", "critical"],
    [3, 2, "2", "ok"],
  ])("%i replicas, %i in sync, at least %s: %s", (replicationFactor, inSyncReplicas, value, outcome) => {
    const minInsyncReplicas: Setting = { value, from: "broker" };
    const input = historyFacts({ replicationFactor, inSyncReplicas, minInsyncReplicas });
    expect(judged("history-replication", input).outcome).toBe(outcome);
  });
});

/** MySQL unless the case says otherwise. */
function settingsOf(config: object): Record<string, string> {
  const named = Object.entries(config).map(([name, value]) => [name, String(value)]);
  return { "connector.class": "io.debezium.connector.mysql.MySqlConnector", ...Object.fromEntries(named) };
}

describe("history-shared", () => {
  const fleet = cases["KAF-15"].input.connectors.map((c) => ({
    cluster: "lab",
    connector: c.name,
    config: settingsOf(c.config),
  }));
  const of = (name: string) =>
    facts({
      connector: name,
      report: seen(report({ name, config: fleet.find((f) => f.connector === name)?.config ?? null })),
      fleet,
    });

  test("KAF-15 two connectors on one topic, one by its old setting", () => {
    const verdict = judged("history-shared", of("a"));
    expect(verdict.outcome).toBe("warning");
    expect(verdict.sentence).toContain("a and b use the same schema history topic");
    expect(verdict.evidence.map((e) => e.label)).toEqual(cases["KAF-15"].expected.shared);
    expect(judged("history-shared", of("b")).outcome).toBe("warning");
    expect(judged("history-shared", of("c")).outcome).toBe("not-applicable");
  });

  test("all but one get a topic of their own, by the setting that they use", () => {
    const patch = `curl -fsS -X PATCH ${json} '{"snapshot.mode":"recovery","database.history.kafka.topic":"schema-changes.b"}' "$CONNECT_URL/connectors/b/config"`;
    expect(commands(judged("history-shared", of("a")))).toContain(patch);
    expect(commands(judged("history-shared", of("b")))).toContain(patch);
    expect(commands(judged("history-shared", of("a"))).join("\n")).not.toContain("/connectors/a/");
  });

  test("is silent alone, unknown when another's configuration is", () => {
    expect(judged("history-shared", facts()).outcome).toBe("ok");
    const blind = facts({ fleet: [...facts().fleet, { cluster: "lab", connector: "other", config: null }] });
    expect(judged("history-shared", blind)).toMatchObject({ outcome: "unknown" });
    expect(judged("history-shared", facts({ report: never(refused) })).outcome).toBe("unknown");
  });
});

describe("a connector that names other brokers than were looked at", () => {
  const brokers = ["localhost:29092"];

  test.each(checksOfATopic)("%s is good only if both are one cluster, and names both", (slug) => {
    const verdict = judged(slug, facts({ brokers }));
    expect(verdict.outcome).toBe("ok");
    expect(verdict.short).toMatch(/, if one cluster$/);
    expect(verdict.sentence).toMatch(
      / This holds if kafka:9092, .*localhost:29092, .* are one Kafka cluster\.$/,
    );
    expect(verdict.evidence).toContainEqual(
      expect.objectContaining({ label: "connector's brokers", value: "kafka:9092" }),
    );
    expect(verdict.evidence).toContainEqual(
      expect.objectContaining({ label: "looked at", value: "localhost:29092" }),
    );
  });

  test.each(checksOfATopic)("%s is unknown when the topic is not there", (slug) => {
    const verdict = judged(slug, historyFacts({ exists: false }, { brokers }));
    expect(verdict.outcome).toBe("unknown");
    expect(verdict.sentence).toMatch(/localhost:29092.*kafka:9092/);
  });

  test("a fault stays a fault, with both named", () => {
    const verdict = judged("history-partitions", historyFacts({ partitions: 3 }, { brokers }));
    expect(verdict.outcome).toBe("critical");
    expect(verdict.evidence.map((e) => e.label)).toContain("looked at");
  });

  test("shares its topic only with one that may use the same brokers", () => {
    const sharedWith = (servers: string | null, asked = brokers) => {
      const config = { ...mariadbConfig, "schema.history.internal.kafka.bootstrap.servers": servers };
      const other = { cluster: "lab", connector: "stock-cdc", config };
      const fleet = [{ cluster: "lab", connector: "inventory-cdc", config: mariadbConfig }, other];
      return judged("history-shared", facts({ brokers: asked, fleet }));
    };
    for (const servers of ["kafka:9092", "KAFKA:9092,b2:9092", null, `\${env:B}`])
      expect(sharedWith(servers).outcome).toBe("warning");
    expect(sharedWith("b2:9092", ["kafka:9092", "b2:9092"]).outcome).toBe("warning");
    const apart = sharedWith("other:9092");
    expect(apart.outcome).toBe("ok");
    expect(apart.sentence).toContain("stock-cdc uses a topic of that name on brokers of other addresses");
  });

  test("a topic that another connector names is not deleted, whatever its brokers", () => {
    const config = { ...mariadbConfig, "schema.history.internal.kafka.bootstrap.servers": "other:9092" };
    const fleet = [{ cluster: "lab", connector: "stock-cdc", config }];
    const verdict = judged("history-partitions", historyFacts({ partitions: 3 }, { fleet }));
    expect(commands(verdict).join("\n")).not.toContain("--delete");
  });
});

describe("a store that is a reference", () => {
  const config = { ...mariadbConfig, "schema.history.internal": `\${env:H}` };
  test.each([...checksOfATopic, "history-shared", "history-not-kafka"])(
    "%s is unknown, and says why",
    (slug) => {
      const verdict = judged(slug, facts({ report: seen(report({ config })) }));
      expect(verdict.outcome).toBe("unknown");
      expect(verdict.sentence).toContain(`\${env:H}, which only the worker can resolve`);
    },
  );
});

describe("history-not-kafka", () => {
  test.each([
    ["io.debezium.storage.file.history.FileSchemaHistory", "backed up"],
    ["io.debezium.storage.jdbc.history.JdbcSchemaHistory", "database table"],
    ["io.debezium.relational.history.MemorySchemaHistory", "in memory only"],
    ["com.example.Own", "nothing cleans it up"],
  ])("%s is unknown, with what to check instead", (className, words) => {
    const config = { ...mariadbConfig, "schema.history.internal": className };
    const verdict = judged("history-not-kafka", facts({ report: seen(report({ config })) }));
    expect(verdict.outcome).toBe("unknown");
    expect(verdict.sentence).toContain(className);
    expect(verdict.remedy[0]?.text).toContain(words);
  });

  test("is silent in Kafka, does not apply to PostgreSQL, unknown without a report", () => {
    expect(judged("history-not-kafka", facts()).outcome).toBe("ok");
    expect(
      judged("history-not-kafka", facts({ report: seen(report({ config: postgresConfig })) })).outcome,
    ).toBe("not-applicable");
    expect(judged("history-not-kafka", facts({ report: never(refused) })).outcome).toBe("unknown");
  });
});

describe("needsHistoryTopic", () => {
  test("finds the topic under its new and its old name", () => {
    expect(needsHistoryTopic(mariadbConfig)).toEqual({
      topic: "inv.schema-history",
      bootstrapServers: "kafka:9092",
    });
    const old = {
      "connector.class": "io.debezium.connector.mysql.MySqlConnector",
      "database.history.kafka.topic": "h",
    };
    expect(needsHistoryTopic(old)).toEqual({ topic: "h", bootstrapServers: null });
  });

  test("says why there is none to look at", () => {
    const why = (config: Record<string, string>) => needsHistoryTopic(config);
    expect(why(postgresConfig)).toEqual({
      why: "A PostgreSQL connector needs no schema history.",
      needed: false,
    });
    expect(why({ ...mariadbConfig, "schema.history.internal.kafka.topic": `\${env:T}` })).toMatchObject({
      needed: true,
    });
    expect(why({ "connector.class": "io.debezium.connector.mysql.MySqlConnector" })).toMatchObject({
      needed: true,
    });
  });
});

test("a topic's new name has only characters that Kafka allows", () => {
  expect(ownTopicName("h", "orders/eu #1")).toBe("h.orders_eu__1");
  expect(ownTopicName("h".repeat(249), "x")).toHaveLength(249);
  expect(mariadbOffsets.offsets).toHaveLength(1);
});
