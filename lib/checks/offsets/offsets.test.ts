import { describe, expect, test } from "vitest";
import {
  ago,
  commands,
  facts,
  judged,
  mariadbConfig,
  never,
  postgresConfig,
  refused,
  report,
  runState,
  seen,
  storedOffset,
} from "../testing/facts";
import cases from "./cases.json";

describe("offset-missing", () => {
  const { config, status } = cases["OFF-22"].input;
  const none = (more: Parameters<typeof report>[0] = {}, since: number | null = 600) =>
    facts({
      report: seen(report({ config, connector: runState(status.connector.state), ...more })),
      times: {
        connector: since === null ? null : { state: "RUNNING", since: ago(since).toISOString() },
        tasks: [],
      },
      offsets: seen({ offsets: [] }),
    });

  test("OFF-22 RUNNING with an empty list of offsets", () => {
    const verdict = judged("offset-missing", none());
    expect(verdict.outcome).toBe("warning");
    expect(verdict.sentence).toBe(
      "No position stored yet: if the task stops now it starts as new: with snapshot.mode=no_data the changes made in between are lost.",
    );
  });

  test("claims nothing of a snapshot.mode that is a reference", () => {
    const mode = `\${env:SNAPSHOT}`;
    const verdict = judged("offset-missing", none({ config: { ...config, "snapshot.mode": mode } }));
    expect(verdict.sentence).toContain(`snapshot.mode is ${mode}, a reference that only the worker resolves`);
    expect(verdict.sentence).not.toContain("new snapshot");
    expect(verdict.evidence).toContainEqual(expect.objectContaining({ label: "snapshot.mode", value: mode }));
  });

  test.each([
    ["initial", "whole new snapshot"],
    ["recovery", "does not start at all"],
    ["configuration_based", "depends on"],
  ])("says what snapshot.mode=%s would do", (mode, words) => {
    expect(
      judged("offset-missing", none({ config: { ...config, "snapshot.mode": mode } })).sentence,
    ).toContain(words);
  });

  test("for PostgreSQL without data the slot may still hold the changes", () => {
    const verdict = judged(
      "offset-missing",
      none({ config: { ...postgresConfig, "snapshot.mode": "no_data" } }),
    );
    expect(verdict.sentence).toContain("replication slot");
  });

  test("offsets that no start would read count as none", () => {
    const other = facts({
      report: seen(report({ config: mariadbConfig })),
      offsets: seen({ offsets: [storedOffset({ server: "old" }, { file: "b.1", pos: 4 })] }),
    });
    expect(judged("offset-missing", other).outcome).toBe("warning");
  });

  test("is unknown before the first commit is due, and when offsets could not be read", () => {
    expect(judged("offset-missing", none({}, 20))).toMatchObject({ outcome: "unknown" });
    expect(judged("offset-missing", facts({ offsets: never(refused) })).sentence).toContain(
      "connection refused",
    );
    expect(judged("offset-missing", facts({ offsets: null })).outcome).toBe("unknown");
  });

  test("is silent with an offset, and does not apply to a stopped connector", () => {
    expect(judged("offset-missing", facts()).outcome).toBe("ok");
    expect(judged("offset-missing", none({ connector: runState("STOPPED") })).outcome).toBe("not-applicable");
  });
});

describe("offset-leftover", () => {
  const { config, offsets } = cases["OFF-20"].input;
  const changed = facts({
    report: seen(report({ config })),
    offsets: seen({ offsets: offsets.map((o) => storedOffset(o.partition, o.offset)) }),
  });

  test("OFF-20 a partition of the old topic.prefix", () => {
    const verdict = judged("offset-leftover", changed);
    expect(verdict.outcome).toBe("info");
    expect(verdict.evidence).toEqual([
      {
        label: '{"server":"shop"}',
        value: cases["OFF-20"].expected.unused[0]?.lsn,
        from: "does not match topic.prefix",
      },
    ]);
    expect(commands(verdict)).toEqual([
      'curl -fsS -X PUT "$CONNECT_URL/connectors/inventory-cdc/stop"',
      `curl -fsS -X PATCH -H 'Content-Type: application/json' --data '{"offsets":[{"partition":{"server":"shop"},"offset":null}]}' "$CONNECT_URL/connectors/inventory-cdc/offsets"`,
      'curl -fsS -X PUT "$CONNECT_URL/connectors/inventory-cdc/resume"',
    ]);
  });

  test("is silent when all fit", () => {
    expect(judged("offset-leftover", facts()).outcome).toBe("ok");
  });

  test("is unknown when topic.prefix cannot be compared, and when offsets could not be read", () => {
    const reference = facts({
      report: seen(report({ config: { ...config, "topic.prefix": `\${env:PREFIX}` } })),
      offsets: changed.offsets,
    });
    expect(judged("offset-leftover", reference)).toMatchObject({ outcome: "unknown" });
    expect(judged("offset-leftover", facts({ offsets: never(refused) })).outcome).toBe("unknown");
  });
});
