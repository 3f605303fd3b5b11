import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { afterEach, describe, expect, test } from "vitest";
import { type Behaviour, startConnectDouble } from "../connect/testing/connect-double";
import { type FakeTopic, startFakeBroker } from "../kafka/testing/fake-broker";
import { checkCommand } from "./check";
import { checkReportSchema } from "./check-report";

const opened: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0)) await close();
});

const mariadb = {
  "connector.class": "io.debezium.connector.mariadb.MariaDbConnector",
  "topic.prefix": "inv",
  "schema.history.internal.kafka.topic": "inv.schema-history",
};
const postgres = {
  "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
  "topic.prefix": "shop",
};
const goodHistory: FakeTopic = {
  partitions: [{ earliest: 0n, latest: 12n }],
  settings: {
    "cleanup.policy": { value: "delete", source: 1 },
    "retention.ms": { value: "-1", source: 1 },
    "retention.bytes": { value: "-1", source: 1 },
    "min.insync.replicas": { value: "1", source: 4 },
  },
};

/** A Connect of these connectors, each running with a stored offset. */
function connectOf(
  connectors: Record<string, { config: Record<string, string>; state?: string }>,
): Behaviour {
  return (request, response) => {
    const path = request.url ?? "";
    response.setHeader("content-type", "application/json");
    if (path === "/") return void response.end('{"version":"4.4.0","commit":"c","kafka_cluster_id":"k"}');
    if (path.endsWith("/offsets")) {
      const name = path.split("/")[2] ?? "";
      const server = connectors[name]?.config["topic.prefix"];
      return void response.end(
        JSON.stringify({
          offsets: [{ partition: { server }, offset: { lsn: 1, file: "b.000001", pos: 4 } }],
        }),
      );
    }
    const list = Object.entries(connectors).map(([name, { config, state = "RUNNING" }]) => {
      const run = { state, worker_id: "w:1" };
      const status = { name, connector: run, tasks: [{ id: 0, ...run }], type: "source" };
      return [name, { status, info: { name, config: { name, ...config }, tasks: [], type: "source" } }];
    });
    response.end(JSON.stringify(Object.fromEntries(list)));
  };
}

async function lab(connectors: Parameters<typeof connectOf>[0], topics: Record<string, FakeTopic> = {}) {
  const connect = await startConnectDouble({ behaviour: connectOf(connectors) });
  const broker = await startFakeBroker(topics);
  opened.push(connect.close, broker.stop);
  return { connect, broker, addresses: ["--connect", connect.url, "--brokers", broker.address] };
}

async function run(...argv: string[]) {
  const written = { stdout: "", stderr: "" };
  const sink = (name: "stdout" | "stderr") =>
    new Writable({
      write(chunk, _encoding, done) {
        written[name] += String(chunk);
        done();
      },
    }) as unknown as NodeJS.WriteStream;
  const stdin = Readable.from([]) as unknown as NodeJS.ReadStream;
  const code = await checkCommand(argv, { stdin, stdout: sink("stdout"), stderr: sink("stderr") });
  return { code, ...written };
}

describe("tidemark check", () => {
  test("0 when all is well", async () => {
    const { addresses } = await lab({ "orders-cdc": { config: postgres } });
    const { code, stdout } = await run(...addresses);
    expect(stdout).toContain("orders-cdc: RUNNING, its position is stored, and it needs no schema history.");
    expect(stdout).toContain("0 critical, 0 warning, 0 unknown, 0 info; 1 connector looked at.");
    expect(code).toBe(0);
  });

  test("1 for a warning: one replica", async () => {
    const { addresses } = await lab(
      { "inventory-cdc": { config: mariadb } },
      { "inv.schema-history": goodHistory },
    );
    const { code, stdout } = await run(...addresses);
    expect(stdout).toContain("WARNING  inventory-cdc  history-replication");
    expect(code).toBe(1);
  });

  test("2 for something critical, told first, with its evidence and command", async () => {
    const settings = { ...goodHistory.settings, "retention.ms": { value: "604800000", source: 4 } };
    const { addresses } = await lab(
      { "inventory-cdc": { config: mariadb } },
      { "inv.schema-history": { ...goodHistory, settings } },
    );
    const { code, stdout } = await run(...addresses);
    expect(stdout.startsWith("CRITICAL  inventory-cdc  history-retention-time\n")).toBe(true);
    expect(stdout).toContain("retention.ms: 604800000 (inherited from the broker, not set on the topic)");
    expect(stdout).toContain("--entity-name inv.schema-history --add-config retention.ms=-1");
    expect(code).toBe(2);
  });

  test("3 when Connect, or the brokers that were needed, could not be asked", async () => {
    expect((await run("--connect", "http://127.0.0.1:1")).code).toBe(3);
    const { connect } = await lab({ "inventory-cdc": { config: mariadb } });
    const blind = await run("--connect", connect.url);
    expect(blind.stdout).toMatch(/no brokers are configured for this cluster/i);
    expect(blind.code).toBe(3);
    expect((await run("--connect", connect.url, "--brokers", "127.0.0.1:1")).stdout).toContain(
      "connection refused",
    );
  });

  test("--json keeps its contract", async () => {
    const { addresses, broker } = await lab(
      { "inventory-cdc": { config: mariadb }, "orders-cdc": { config: postgres, state: "PAUSED" } },
      { "inv.schema-history": { ...goodHistory, settingsError: 29 } },
    );
    const { code, stdout } = await run(...addresses, "--json");
    const report = checkReportSchema.parse(JSON.parse(stdout));
    expect(report.exitCode).toBe(code);
    expect(code).toBe(3);
    expect(report.clusters[0]?.connectors.map((c) => [c.connector, c.state])).toEqual([
      ["inventory-cdc", "RUNNING"],
      ["orders-cdc", "PAUSED"],
    ]);
    expect(report.leftOut).toEqual([
      "running-but-silent",
      "offset-went-back",
      "offset-not-comparable",
      "replay-window-large",
      "offset-commit-late",
      "heartbeat-off",
      "replay-happened",
      "duplicates-high",
      "duplicates-not-measurable",
      "key-order-broken",
    ]);
    expect(broker.metadataAsked.every((m) => !m.mayCreate)).toBe(true);
  });

  test("--connector looks at that one only, and says when there is none", async () => {
    const { addresses } = await lab({ a: { config: postgres, state: "FAILED" }, b: { config: postgres } });
    const one = await run(...addresses, "--connector", "b");
    expect([one.code, one.stdout.includes("FAILED")]).toEqual([0, false]);
    const none = await run(...addresses, "--connector", "c");
    expect([none.code, none.stderr]).toEqual([3, 'tidemark check: there is no connector "c".\n']);
  });

  test("--config takes several clusters, and one that is away hides no other", async () => {
    const { connect } = await lab({ a: { config: postgres, state: "FAILED" } });
    const file = join(mkdtempSync(join(tmpdir(), "tidemark-")), "t.yaml");
    writeFileSync(
      file,
      `clusters:\n  - { name: away, connect: { urls: ["http://127.0.0.1:1"] } }\n  - { name: here, connect: { urls: ["${connect.url}"] } }\n`,
    );
    const { code, stdout } = await run("--config", file);
    expect(stdout).toContain("CRITICAL  away  connect-unreachable");
    expect(stdout).toContain("CRITICAL  here / a  connector-failed");
    expect(code).toBe(2);
  });

  test("bad arguments and settings get a sentence and 3", async () => {
    expect(await run("--no")).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("Unknown option '--no'"),
    });
    expect(await run("--connect", "nonsense")).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("CONNECT_URL"),
    });
    expect(await run("--help")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Usage: tidemark check"),
    });
  });

  test("control characters of a name do not reach the terminal", async () => {
    const { addresses } = await lab({ "x\u001b[2J": { config: { ...postgres, "database.password": "s" } } });
    const { stdout } = await run(...addresses);
    expect(stdout).not.toContain("\u001b");
  });
});
