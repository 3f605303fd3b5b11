import { describe, expect, test } from "vitest";
import { rootCause } from "./trace";
import traces from "./trace.fixtures.json";

describe("root cause of captured traces", () => {
  test("CON-08 the slot is taken", () => {
    expect(rootCause(traces["CON-08"])).toEqual({
      headline: 'replication slot "shop" is active for PID 4411',
      exceptionClass: "org.postgresql.util.PSQLException",
      hint: "another session holds the slot",
    });
  });

  test("a table is missing from the schema history", () => {
    expect(rootCause(traces["A2-schema-history-lost-table"])).toEqual({
      headline:
        "Encountered change event for table inventory.products whose schema isn't known to this connector",
      exceptionClass: "io.debezium.DebeziumException",
      hint: expect.stringContaining("lacks this table"),
    });
  });

  test("the schema history is gone", () => {
    const { headline, hint } = rootCause(traces["B-schema-history-empty"]);
    expect(headline).toMatch(/^The db history topic is missing\./);
    expect(hint).toContain("snapshot.mode=recovery");
  });

  test.each(["C-binlog-purged", "C2-binlog-purged-when_needed"] as const)("%s", (name) => {
    const { headline, exceptionClass, hint } = rootCause(traces[name]);
    expect(headline).toMatch(/^Could not find GTID state requested by slave/);
    expect(exceptionClass).toBe("com.github.shyiko.mysql.binlog.network.ServerException");
    expect(hint).toContain("purged the binlog");
  });

  test("the slot was dropped: the dump of the offset is cut to its LSN", () => {
    const { headline, hint } = rootCause(traces["D-pg-slot-dropped"]);
    expect(headline).toBe(
      "The connector is trying to read change stream starting at LSN 0/2EC2B50, but this is no longer available on the server. Reconfigure the connector to use a snapshot mode when needed.",
    );
    expect(hint).toContain("no longer has the log");
  });
});

describe("odd traces", () => {
  test("causes without a message are skipped, and suppressed ones left out", () => {
    const trace = [
      "org.apache.kafka.connect.errors.ConnectException: outer",
      "\tat a.B.c(B.java:1)",
      "\tSuppressed: java.lang.Exception: not this",
      "\t\tat a.B.c(B.java:1)",
      "\tCaused by: java.lang.Exception: nor this",
      'Caused by: io.debezium.DebeziumException: java.sql.SQLException: FATAL: password authentication failed for user "x"',
      "  Position: 3",
      "\t... 5 more",
      "Caused by: java.io.EOFException",
      "\t... 9 more",
    ].join("\r\n");
    expect(rootCause(trace)).toEqual({
      headline: 'password authentication failed for user "x"',
      exceptionClass: "java.sql.SQLException",
      hint: "the source or the broker refused the login: check user and password",
    });
  });

  test.each([
    [
      "java.lang.NullPointerException\n\tat a.B.c(B.java:1)",
      "java.lang.NullPointerException",
      "java.lang.NullPointerException",
    ],
    ["just a text", "just a text", null],
    ["java.net.UnknownHostException: db.example.com", "db.example.com", "java.net.UnknownHostException"],
    ["", "", null],
  ])("%j", (trace, headline, exceptionClass) => {
    expect(rootCause(trace)).toMatchObject({ headline, exceptionClass });
  });

  test.each([
    ['org.postgresql.util.PSQLException: ERROR: publication "p" does not exist', /publication is missing/],
    ['org.postgresql.util.PSQLException: ERROR: replication slot "p" does not exist', /slot is gone/],
    ["x.Y: Access denied for user 'cdc'@'%'", /refused the login/],
    ["x.Y: Unable to connect: Connection refused", /cannot reach/],
    ["x.Y: something new", null],
  ])("%s", (trace, hint) => {
    if (hint === null) expect(rootCause(trace).hint).toBeNull();
    else expect(rootCause(trace).hint).toMatch(hint);
  });
});
