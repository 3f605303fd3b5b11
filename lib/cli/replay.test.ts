import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { afterEach, describe, expect, test, vi } from "vitest";
import { type Behaviour, startConnectDouble } from "../connect/testing/connect-double";
import { encodeBatch } from "../kafka/log/testing/encode-batch";
import { type FakeTopic, startFakeBroker } from "../kafka/testing/fake-broker";
import { replayCommand } from "./replay";
import { replayReportSchema } from "./replay-report";

const opened: (() => Promise<void>)[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const close of opened.splice(0)) await close();
});

const start = Date.UTC(2026, 8, 14, 6, 30);
const second = 1_000;
const shop = {
  "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
  "topic.prefix": "shop",
};
/** All but the changes after LSN 550, which was committed at the source four seconds after the start. */
const offset = {
  lsn_proc: 550,
  lsn_commit: 550,
  lsn: 550,
  messageType: "COMMIT",
  txId: 4,
  ts_usec: (start + 4 * second) * 1_000,
};

interface Record {
  at: number;
  key: object | unknown[] | null;
  value: object | null;
}

function topicOf(
  id: string,
  records: readonly Record[],
  settings: { [name: string]: string } = {},
): FakeTopic {
  const bytes = (value: unknown) => (value === null ? null : Buffer.from(JSON.stringify(value)));
  const log = records.map(({ at, key, value }, i) =>
    encodeBatch({
      baseOffset: BigInt(i),
      leaderEpoch: 0,
      attributes: 0,
      lastOffsetDelta: 0,
      baseTimestamp: BigInt(at),
      maxTimestamp: BigInt(at),
      producerId: -1n,
      producerEpoch: -1,
      baseSequence: -1,
      records: [{ offsetDelta: 0, timestampDelta: 0n, key: bytes(key), value: bytes(value), headers: [] }],
    }),
  );
  return {
    topicId: id.repeat(32),
    partitions: [
      {
        earliest: 0n,
        latest: BigInt(records.length),
        log,
        times: records.map(({ at }, i) => ({ offset: BigInt(i), timestamp: BigInt(at) })),
      },
    ],
    settings: Object.fromEntries(
      Object.entries(settings).map(([name, value]) => [name, { value, source: 1 }]),
    ),
  };
}

/** A transaction of one row a second; its commit is 50 bytes behind the row. */
function order(i: number): Record {
  const lsn = 100 * (i + 1);
  const source = {
    connector: "postgresql",
    name: "shop",
    schema: "public",
    table: "orders",
    txId: i,
    lsn,
    ts_ms: start + i * second,
    sequence: JSON.stringify([i === 0 ? null : String(lsn - 50), String(lsn)]),
  };
  return {
    at: start + i * second,
    key: { id: i },
    value: { op: "c", before: null, after: { id: i }, source },
  };
}

function commit(connector: string, at: number, value: object | null): Record {
  return { at, key: [connector, { server: "shop" }], value };
}

const tableTopic = () =>
  topicOf(
    "a",
    Array.from({ length: 10 }, (_, i) => order(i)),
    { "cleanup.policy": "delete", "message.timestamp.type": "CreateTime" },
  );
const offsetTopic = (connector = "orders-cdc") =>
  topicOf("b", [commit(connector, start, { ...offset, lsn: 1 }), commit(connector, start + 5_500, offset)], {
    "cleanup.policy": "compact",
  });

interface Connector {
  config: { [name: string]: string };
  type?: string;
  state?: string;
  topics?: string[];
  offsets?: object[];
}

function connectOf(connectors: { [name: string]: Connector }): Behaviour {
  return (request, response) => {
    const path = (request.url ?? "").split("?")[0] ?? "";
    response.setHeader("content-type", "application/json");
    const [, , name = ""] = path.split("/");
    const known = connectors[name];
    if (path.endsWith("/topics"))
      return void response.end(
        JSON.stringify({ [name]: { topics: known?.topics ?? ["shop.public.orders"] } }),
      );
    if (path.endsWith("/offsets"))
      return void response.end(
        JSON.stringify({ offsets: known?.offsets ?? [{ partition: { server: "shop" }, offset }] }),
      );
    const list = Object.entries(connectors).map(([one, { config, type = "source", state = "RUNNING" }]) => {
      const run = { state, worker_id: "w:1" };
      return [
        one,
        {
          status: { name: one, connector: run, tasks: [{ id: 0, ...run }], type },
          info: { name: one, config: { name: one, ...config }, tasks: [], type },
        },
      ];
    });
    response.end(JSON.stringify(Object.fromEntries(list)));
  };
}

async function lab(
  connectors: Parameters<typeof connectOf>[0] = { "orders-cdc": { config: shop } },
  topics: { [name: string]: FakeTopic } = {
    "shop.public.orders": tableTopic(),
    "connect-offsets": offsetTopic(),
  },
) {
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
  const code = await replayCommand(argv, { stdin, stdout: sink("stdout"), stderr: sink("stderr") });
  return { code, ...written };
}

describe("tidemark replay", () => {
  test("tells the window by both methods, and 0", async () => {
    const { addresses, broker } = await lab();
    const { code, stdout, stderr } = await run(...addresses, "--connector", "orders-cdc");
    expect(stderr).toBe("");
    expect(stdout).toMatch(
      /^orders-cdc \(PostgreSQL\): If this connector crashed now, at most 5 events \(4 s of writes\) would be produced again\.\n/,
    );
    expect(stdout).toMatch(/by position +at most 5 events/);
    expect(stdout).toMatch(/by time +4 to 6 records/);
    expect(stdout).not.toContain("\u00a0");
    expect(code).toBe(0);
    expect(broker.metadataAsked.every((m) => !m.mayCreate)).toBe(true);
  });

  test("--json keeps its contract", async () => {
    const { addresses } = await lab();
    const { code, stdout } = await run(...addresses, "--connector", "orders-cdc", "--json");
    const report = replayReportSchema.parse(JSON.parse(stdout));
    expect(code).toBe(0);
    expect(report).toMatchObject({
      connector: "orders-cdc",
      type: "postgresql",
      exitCode: 0,
      kind: "events",
      events: 5,
      commits: [
        {
          partition: '{"server":"shop"}',
          committedAt: new Date(start + 5_500).toISOString(),
          position: "0/226",
        },
      ],
      byTime: {
        events: 4,
        low: { events: 4 },
        high: { events: 6 },
        partitions: [{ topic: "shop.public.orders", partition: 0, from: 6, end: 10, events: 4 }],
      },
      byPosition: { events: 5, exact: false },
      flushIntervalMs: { value: null, from: "2 commits of the connector" },
      exactlyOnce: { asked: false, allowed: null, seen: false },
    });
    expect(Object.keys(report.byTime)).toEqual(expect.arrayContaining(["events", "bytes", "partitions"]));
  });

  test("falls back to Connect's answer without the offset topic: by position alone", async () => {
    const { addresses } = await lab(undefined, { "shop.public.orders": tableTopic() });
    const { code, stdout } = await run(...addresses, "--connector", "orders-cdc", "--json");
    const report = replayReportSchema.parse(JSON.parse(stdout));
    expect([code, report.events, report.by]).toEqual([0, 5, "position"]);
    expect(report.commits[0]?.committedAt).toBeNull();
    expect(report.byTime.low).toBeNull();
    expect(report.byTime.whyNoLow).not.toBeNull();
  });

  test("where nothing came since the commit, by position there is nothing to count: told once", async () => {
    const lsns = { lsn_proc: 1_050, lsn_commit: 1_050, lsn: 1_050 };
    const all = { ...offset, ...lsns, ts_usec: (start + 60_000) * 1_000 };
    const { addresses } = await lab(
      { "orders-cdc": { config: shop, offsets: [{ partition: { server: "shop" }, offset: all }] } },
      {
        "shop.public.orders": tableTopic(),
        "connect-offsets": topicOf("b", [commit("orders-cdc", start + 65_000, all)], {
          "cleanup.policy": "compact",
        }),
      },
    );
    const { code, stdout } = await run(...addresses, "--connector", "orders-cdc");
    expect(code).toBe(0);
    expect(stdout).toContain("no event would be produced again");
    expect(stdout).toMatch(/by position +nothing to count\n/);
    expect(stdout.split("nothing to count")).toHaveLength(2);
    expect(stdout).not.toMatch(/by position +not known/);
  });

  test("says why a named offset topic was not read, what to do, and both once", async () => {
    const { addresses } = await lab({ "orders-cdc": { config: shop } });
    for (const [named, why] of [
      ["nope", "topic nope does not exist"],
      [
        "shop.public.orders",
        "topic shop.public.orders is not the one that Connect stores these offsets in: ",
      ],
    ] as const) {
      vi.stubEnv("OFFSET_TOPIC", named);
      const { code, stdout } = await run(...addresses, "--connector", "orders-cdc");
      expect(code).toBe(0);
      expect(stdout.split(why)).toHaveLength(2);
      expect(stdout.split("Correct clusters[].offsetTopic, or OFFSET_TOPIC")).toHaveLength(2);
      expect(stdout).toMatch(/flush interval +unknown: the offset topic is not read\n/);
    }
  });

  test("at least, where a topic is gone or records after the commit were deleted", async () => {
    const topics = ["shop.public.orders", "shop.public.gone"];
    const gone = await lab({ "orders-cdc": { config: shop, topics } });
    const one = await run(...gone.addresses, "--connector", "orders-cdc");
    expect(one.stdout).toMatch(/at least \d+ events .*would be produced again/);
    expect(one.stdout).toContain("Not counted is what topic shop.public.gone held");
    expect(one.stdout).not.toContain(", exact");
    const table = tableTopic();
    const [partition] = table.partitions;
    const trimmed = {
      ...table,
      partitions: [
        { ...partition, earliest: 8n, log: partition?.log?.slice(8), times: partition?.times?.slice(8) },
      ],
    };
    const cut = await lab(undefined, {
      "shop.public.orders": trimmed as FakeTopic,
      "connect-offsets": offsetTopic(),
    });
    const report = replayReportSchema.parse(
      JSON.parse((await run(...cut.addresses, "--connector", "orders-cdc", "--json")).stdout),
    );
    expect(report).toMatchObject({ bound: "at-least", byTime: { high: null }, events: 2 });
    expect(report.byPosition?.notes.map((n) => n.slug)).toContain("deleted-in-window");
  });

  test("3, with the reason, when neither method has a figure", async () => {
    const { addresses } = await lab(undefined, {
      "connect-offsets": offsetTopic(),
      "shop.public.orders": { ...tableTopic(), metadataError: 29 },
    });
    const { code, stdout } = await run(...addresses, "--connector", "orders-cdc");
    expect(code).toBe(3);
    expect(stdout).toContain("What a crash now would produce again is not known.");
    expect(stdout).toMatch(/not seen +shop\.public\.orders: /);
  });

  test("tells of a stopped connector what its next start costs, and of none stored", async () => {
    const { addresses } = await lab({ "orders-cdc": { config: shop, state: "STOPPED" } });
    expect((await run(...addresses, "--connector", "orders-cdc")).stdout).toMatch(
      /When it starts again, at most 5 events \(4 s of writes\) will be produced again\./,
    );
    const none = await lab(
      { "orders-cdc": { config: shop, offsets: [] } },
      { "shop.public.orders": tableTopic(), "connect-offsets": offsetTopic("another") },
    );
    expect((await run(...none.addresses, "--connector", "orders-cdc")).stdout).toMatch(
      /it would start as new, for no offset is stored: at most 10 records so far; a start would read the tables again\./,
    );
  });
});

describe("tidemark replay refuses", () => {
  test("wrong arguments and settings with 2", async () => {
    for (const [argv, said] of [
      [[], "which connector? --connector NAME. See tidemark replay --help."],
      [["--conector", "a"], "Unknown option '--conector'."],
      [["--connect", "ftp://x", "--connector", "a"], "http"],
      [["--config", "/no/such/file", "--connector", "a"], "/no/such/file"],
    ] as const) {
      const { code, stderr, stdout } = await run(...argv);
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toMatch(/^tidemark replay: /);
      expect(stderr).toContain(said);
    }
  });

  test("no brokers", async () => {
    const { connect } = await lab();
    const { code, stderr } = await run("--connect", connect.url, "--connector", "orders-cdc");
    expect([code, stderr]).toEqual([
      2,
      "tidemark replay: no brokers are given: --brokers LIST, or kafka.brokers of the cluster. See tidemark replay --help.\n",
    ]);
  });

  test("a sink, another's source, and an unknown connector with 3", async () => {
    const { addresses } = await lab({
      "orders-cdc": { config: shop },
      lake: { config: { "connector.class": "io.debezium.connector.jdbc.JdbcSinkConnector" }, type: "sink" },
      mirror: { config: { "connector.class": "org.apache.kafka.connect.mirror.MirrorSourceConnector" } },
    });
    const refused = async (name: string) => {
      const { code, stderr } = await run(...addresses, "--connector", name);
      return `${code} ${stderr}`;
    };
    expect(await refused("lake")).toBe(
      '3 tidemark replay: "lake" is a sink connector: it has no source position and no replay window.\n',
    );
    expect(await refused("mirror")).toMatch(
      /^3 .*no Debezium source connector that Tidemark knows \(org\.apache/,
    );
    expect(await refused("order-cdc")).toBe(
      '3 tidemark replay: there is no connector "order-cdc"; did you mean "orders-cdc"?\n',
    );
    expect(await refused("x")).toBe('3 tidemark replay: there is no connector "x".\n');
  });

  test("Connect or brokers that do not answer with 3", async () => {
    const away = await run("--connect", "http://127.0.0.1:1", "--brokers", "127.0.0.1:1", "--connector", "a");
    expect(away.code).toBe(3);
    expect(away.stderr).toMatch(/refused the connection\. Check that the Connect worker runs/);
    const { connect } = await lab();
    const blind = await run(
      "--connect",
      connect.url,
      "--brokers",
      "127.0.0.1:1",
      "--connector",
      "orders-cdc",
    );
    expect(blind.code).toBe(3);
    expect(blind.stderr + blind.stdout).toMatch(/connection refused/);
  });

  test("two clusters that both have it, unless --cluster says which", async () => {
    const [a, b] = [await lab(), await lab()];
    const file = join(mkdtempSync(join(tmpdir(), "tidemark-")), "tidemark.yaml");
    const cluster = (name: string, { connect, broker }: typeof a) =>
      `  - name: ${name}\n    connect: { urls: ["${connect.url}"] }\n    kafka: { brokers: ["${broker.address}"] }\n`;
    writeFileSync(file, `clusters:\n${cluster("eu", a)}${cluster("us", b)}`);
    const both = await run("--config", file, "--connector", "orders-cdc");
    expect([both.code, both.stderr.includes("--cluster")]).toEqual([2, true]);
    const one = await run("--config", file, "--cluster", "us", "--connector", "orders-cdc", "--json");
    expect([one.code, replayReportSchema.parse(JSON.parse(one.stdout)).cluster]).toEqual([0, "us"]);
    expect((await run("--config", file, "--cluster", "ap", "--connector", "x")).stderr).toContain("eu, us");
  });
});

test("--help tells the arguments and the exit codes", async () => {
  const { code, stdout } = await run("--help");
  expect(code).toBe(0);
  for (const word of ["--connector", "--brokers", "--cluster", "Exit code: 0 known, 2"])
    expect(stdout).toContain(word);
});
