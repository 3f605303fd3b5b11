import { describe, expect, test } from "vitest";
import type { ConnectorReport } from "@/lib/observed/connector";
import type { TopicEnd } from "@/lib/observed/topic";
import {
  ago,
  clusterFacts,
  commands,
  facts,
  judged,
  judgedCluster,
  mariadbConfig,
  mariadbOffsets,
  never,
  postgresConfig,
  refused,
  report,
  runState,
  seen,
} from "../testing/facts";
import cases from "./cases.json";

type Tasks = NonNullable<ConnectorReport["tasks"]>;
const withTasks = (...states: string[]): Tasks => states.map((state, id) => ({ id, ...runState(state) }));

describe("connect-unreachable", () => {
  test("fires with the failure's own sentence, when it last answered and what to do", () => {
    const verdict = judgedCluster(
      "connect-unreachable",
      clusterFacts({
        connect: seen(
          { version: "4.4.0", commit: null, kafkaClusterId: null, connectors: [] },
          {
            failure: {
              kind: "not-connect",
              sentence: "http://connect:8083 answered HTML.",
              remedy: "check the address",
            },
            trueAt: ago(40),
          },
        ),
        failingSince: ago(30),
      }),
    );
    expect(verdict.outcome).toBe("critical");
    expect(verdict.sentence).toBe(
      "Kafka Connect cannot be asked. http://connect:8083 answered HTML. What is shown of its connectors keeps its age.",
    );
    expect(verdict.evidence).toContainEqual({
      label: "last answer",
      value: ago(40).toISOString(),
      from: "Tidemark",
    });
    expect(commands(verdict)).toEqual(['curl -sS -i "$CONNECT_URL/"']);
  });

  test("CON-13 a refused login is told as such", () => {
    const failure = {
      kind: "unauthorised",
      sentence: "could not list connectors: not authorised (401)",
      remedy: null,
    } as const;
    const verdict = judgedCluster("connect-unreachable", clusterFacts({ connect: never(failure) }));
    expect([verdict.outcome, verdict.sentence]).toEqual([
      "critical",
      expect.stringContaining("not authorised (401)"),
    ]);
  });

  test("is silent when it answers, and while it rebalances", () => {
    expect(judgedCluster("connect-unreachable", clusterFacts()).outcome).toBe("ok");
    const busy = clusterFacts({ connect: never({ ...refused, kind: "rebalancing" }) });
    expect(judgedCluster("connect-unreachable", busy).outcome).toBe("ok");
  });

  test("is unknown before the first look", () => {
    expect(judgedCluster("connect-unreachable", clusterFacts({ connect: null })).outcome).toBe("unknown");
  });
});

describe("connect-rebalancing", () => {
  const rebalancing = never<never>({
    kind: "rebalancing",
    sentence: "rebalance in progress (409)",
    remedy: null,
  });
  test.each([
    [10, "info"],
    [600, "warning"],
  ])("for %i s is %s", (seconds, outcome) => {
    const verdict = judgedCluster(
      "connect-rebalancing",
      clusterFacts({ connect: rebalancing, failingSince: ago(seconds) }),
    );
    expect(verdict.outcome).toBe(outcome);
  });

  test("is silent when Connect takes requests, unknown when it does not answer", () => {
    expect(judgedCluster("connect-rebalancing", clusterFacts()).outcome).toBe("ok");
    expect(judgedCluster("connect-rebalancing", clusterFacts({ connect: never(refused) })).outcome).toBe(
      "unknown",
    );
    expect(judgedCluster("connect-rebalancing", clusterFacts({ connect: null })).outcome).toBe("unknown");
  });
});

describe("connector-failed, -paused, -stopped", () => {
  test("CON-06 states that broke other lists", () => {
    const { a, b, c } = cases["CON-06"].input;
    const of = (status: { connector: { state: string } }, config = postgresConfig) =>
      facts({ report: seen(report({ connector: runState(status.connector.state), tasks: [], config })) });
    const stopped = judged("connector-stopped", of(a.status));
    expect(stopped.outcome).toBe("warning");
    expect(stopped.sentence).toBe("The connector was stopped on purpose; its slot keeps WAL while stopped.");
    expect(commands(stopped)).toEqual(['curl -fsS -X PUT "$CONNECT_URL/connectors/inventory-cdc/resume"']);
    expect(judged("connector-failed", of(a.status)).outcome).toBe("ok");
    expect(judged("connector-failed", of(b.status))).toMatchObject({ outcome: "ok", short: "restarting" });
    expect(judged("connector-failed", of(c.status))).toMatchObject({
      outcome: "unknown",
      short: "HIBERNATING",
      sentence: 'The connector is in the unknown state "HIBERNATING".',
    });
  });

  test("a failed connector is told by the root cause", () => {
    const trace =
      "org.apache.kafka.connect.errors.ConnectException: wrapped\n\tat a.B(C.java:1)\nCaused by: java.lang.IllegalArgumentException: topic.prefix is not set\n\t... 3 more\n";
    const verdict = judged(
      "connector-failed",
      facts({ report: seen(report({ connector: runState("FAILED", trace) })) }),
    );
    expect(verdict.outcome).toBe("critical");
    expect(verdict.sentence).toContain("topic.prefix is not set");
    expect(verdict.evidence).toContainEqual({
      label: "exception",
      value: "java.lang.IllegalArgumentException",
      from: "stack trace",
    });
    expect(commands(verdict)[0]).toContain(
      "/connectors/inventory-cdc/restart?includeTasks=true&onlyFailed=true",
    );
  });

  test("a failed connector without a trace still says so", () => {
    const verdict = judged(
      "connector-failed",
      facts({ report: seen(report({ connector: runState("FAILED") })) }),
    );
    expect(verdict.sentence).toBe("The connector FAILED, and Connect gave no trace.");
  });

  test("paused fires for PAUSED only, and says nothing of WAL for a sink", () => {
    const paused = (type: string) =>
      judged("connector-paused", facts({ report: seen(report({ type, connector: runState("PAUSED") })) }));
    expect(paused("source").sentence).toBe(
      "The connector was paused on purpose; binlogs that it still needs may be purged while paused.",
    );
    expect(paused("sink").sentence).toBe("The connector was paused on purpose.");
    expect(judged("connector-paused", facts()).outcome).toBe("ok");
    expect(judged("connector-stopped", facts()).outcome).toBe("ok");
  });

  test.each(["connector-failed", "connector-paused", "connector-stopped"])(
    "%s is unknown without a report",
    (slug) => {
      expect(judged(slug, facts({ report: never(refused) }))).toMatchObject({ outcome: "unknown" });
    },
  );
});

describe("a task's state that no rule knows", () => {
  test.each(["task-failed", "task-unassigned"])("%s is unknown, and names it", (slug) => {
    for (const state of ["failed", "DESTROYED", "not reported"]) {
      const verdict = judged(slug, facts({ report: seen(report({ tasks: withTasks("RUNNING", state) })) }));
      expect(verdict.outcome).toBe("unknown");
      expect(verdict.sentence).toContain(`task 1 "${state}"`);
    }
  });

  test("hides no task that is FAILED or UNASSIGNED", () => {
    const of = (slug: string, state: string) =>
      judged(slug, facts({ report: seen(report({ tasks: withTasks(state, "DESTROYED") })) })).outcome;
    expect(of("task-failed", "FAILED")).toBe("critical");
    expect(of("task-unassigned", "UNASSIGNED")).toBe("warning");
  });
});

describe("task-failed", () => {
  test("CON-08 the headline is the root cause", () => {
    const { connector, tasks } = cases["CON-08"].input;
    const value = report({
      connector: runState(connector.state),
      tasks: tasks.map((t) => ({ id: t.id, ...runState(t.state, t.trace) })),
    });
    const verdict = judged("task-failed", facts({ report: seen(value) }));
    expect(verdict.outcome).toBe("critical");
    expect(verdict.sentence).toBe(
      'FAILED (task 0): replication slot "shop" is active for PID 4411 (another session holds the slot).',
    );
    expect(verdict.evidence[0]).toEqual({
      label: "task 0",
      value: cases["CON-08"].expected.headline,
      from: "org.postgresql.util.PSQLException",
    });
  });

  test("counts, and tells the same cause once", () => {
    const failed = (id: number, message: string) => ({ id, ...runState("FAILED", `a.B: ${message}`) });
    const tasks = [
      failed(0, "no host"),
      failed(1, "no host"),
      failed(2, "no login"),
      ...withTasks("RUNNING", "RUNNING"),
    ];
    const verdict = judged("task-failed", facts({ report: seen(report({ tasks })) }));
    expect(verdict.short).toBe("3 of 5 FAILED");
    expect(verdict.evidence.map((e) => e.label)).toEqual(["tasks 0, 1", "task 2"]);
  });

  test("is silent when all run, unknown when tasks were not reported", () => {
    expect(judged("task-failed", facts()).outcome).toBe("ok");
    expect(judged("task-failed", facts({ report: seen(report({ tasks: null })) })).outcome).toBe("unknown");
  });
});

describe("task-unassigned", () => {
  const waiting = (since: number | null, offsets = seen(mariadbOffsets)) =>
    facts({
      report: seen(report({ tasks: withTasks("UNASSIGNED") })),
      times: {
        connector: null,
        tasks: since === null ? [] : [{ id: 0, state: "UNASSIGNED", since: ago(since).toISOString() }],
      },
      offsets,
    });

  test("CON-10 waits, then is overdue", () => {
    const at = cases["CON-10"].input.polls.map(({ t }) => judged("task-unassigned", waiting(t)));
    expect(at.map((v) => v.outcome)).toEqual(["info", "info", "critical"]);
    expect(at[0]?.sentence).toContain("waiting for a worker");
    expect(at[1]?.sentence).toContain("for 2 min");
    expect(at[2]?.sentence).toContain(
      "not been assigned to a worker for 7 min (the delay is 5 min by default",
    );
    expect(at[2] && commands(at[2])).toEqual([
      'curl -fsS -X POST "$CONNECT_URL/connectors/inventory-cdc/restart?includeTasks=true"',
    ]);
  });

  test("CON-10 a stored position that still moves means that the status is out of date", () => {
    const moved = seen(mariadbOffsets, { since: ago(5), notBefore: ago(120) });
    const verdict = judged("task-unassigned", waiting(420, moved));
    expect(verdict.outcome).toBe("info");
    expect(verdict.sentence).toContain("the status looks out of date: the stored position still moves");
  });

  test("a position that moved before the task lost its worker does not count", () => {
    const before = seen(mariadbOffsets, { since: ago(430), notBefore: ago(435) });
    expect(judged("task-unassigned", waiting(420, before)).outcome).toBe("critical");
  });

  test("one look does not tell for how long", () => {
    expect(judged("task-unassigned", waiting(null))).toMatchObject({
      outcome: "warning",
      short: "unassigned",
    });
  });

  test("is silent when all are assigned, unknown without a report", () => {
    expect(judged("task-unassigned", facts()).outcome).toBe("ok");
    expect(judged("task-unassigned", facts({ report: never(null) })).outcome).toBe("unknown");
  });
});

describe("no-tasks", () => {
  const empty = (since: number | null, state = "RUNNING") =>
    facts({
      report: seen(report({ connector: runState(state), tasks: [] })),
      times: { connector: since === null ? null : { state, since: ago(since).toISOString() }, tasks: [] },
    });

  test("fires, but not in the first moments", () => {
    expect(judged("no-tasks", empty(600)).outcome).toBe("critical");
    expect(judged("no-tasks", empty(null)).outcome).toBe("critical");
    expect(judged("no-tasks", empty(5)).outcome).toBe("info");
  });

  test("is silent with tasks and while stopped, unknown when not reported", () => {
    expect(judged("no-tasks", facts()).outcome).toBe("ok");
    expect(judged("no-tasks", empty(600, "STOPPED")).outcome).toBe("not-applicable");
    expect(judged("no-tasks", facts({ report: seen(report({ tasks: null })) })).outcome).toBe("unknown");
  });
});

describe("running-but-silent", () => {
  const table = (more: Partial<TopicEnd> = {}): TopicEnd => ({
    topic: "inv.inventory.products",
    role: "table",
    partitions: 1,
    end: "100",
    grewAt: null,
    watchedSince: ago(7200).toISOString(),
    perSecond: null,
    failure: null,
    ...more,
  });
  const moving = seen(mariadbOffsets, { since: ago(10), notBefore: ago(15) });
  const still = seen(mariadbOffsets, { since: ago(7000), notBefore: ago(7005) });
  const watched = (topics: TopicEnd[], offsets = moving, config: ConnectorReport["config"] = mariadbConfig) =>
    facts({ report: seen(report({ config })), ends: seen({ topics }), offsets });

  test("fires when the position moves and no table topic grows", () => {
    const heartbeat = table({
      topic: "__debezium-heartbeat.inv",
      role: "heartbeat",
      grewAt: ago(3).toISOString(),
    });
    const verdict = judged(
      "running-but-silent",
      watched([table({ grewAt: ago(7000).toISOString() }), heartbeat]),
    );
    expect(verdict).toMatchObject({ outcome: "warning", short: "for 1 h" });
  });

  test("is silent when a table topic grew", () => {
    expect(
      judged("running-but-silent", watched([table(), table({ grewAt: ago(60).toISOString() })])).outcome,
    ).toBe("ok");
  });

  test.each([
    ["the watch is young", watched([table({ watchedSince: ago(60).toISOString() })])],
    ["the position stands still too", watched([table()], still)],
    ["a topic cannot be seen", watched([table({ failure: refused })])],
    ["there is no table topic", watched([])],
    ["ends were not looked at", facts({ ends: null })],
  ])("is unknown when %s", (_why, input) => {
    expect(judged("running-but-silent", input).outcome).toBe("unknown");
  });

  test("advises heartbeats where they would tell", () => {
    const { "heartbeat.interval.ms": _off, ...config } = mariadbConfig;
    const verdict = judged("running-but-silent", watched([table()], still, config));
    expect(verdict.remedy[0]?.text).toContain("heartbeat.interval.ms");
  });

  test("does not apply to what does not run", () => {
    const paused = facts({
      report: seen(report({ connector: runState("PAUSED") })),
      ends: seen({ topics: [table()] }),
    });
    expect(judged("running-but-silent", paused).outcome).toBe("not-applicable");
  });
});

describe("plaintext-secret", () => {
  test("fires with the names, never the values", () => {
    const verdict = judged(
      "plaintext-secret",
      facts({ report: seen(report({ plaintextSecrets: ["database.password"] })) }),
    );
    expect(verdict).toMatchObject({ outcome: "warning", short: "database.password" });
    expect(verdict.remedy[1]?.text).toContain(`\${file:/etc/kafka/secrets.properties:database.password}`);
  });

  test("is silent without, unknown when the configuration was not reported", () => {
    expect(judged("plaintext-secret", facts()).outcome).toBe("ok");
    expect(judged("plaintext-secret", facts({ report: seen(report({ config: null })) })).outcome).toBe(
      "unknown",
    );
  });
});
