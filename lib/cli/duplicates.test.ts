import { mkdtempSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { startConnectDouble } from "../connect/testing/connect-double";
import { type FakeTopic, startFakeBroker } from "../kafka/testing/fake-broker";
import { duplicatesCommand } from "./duplicates";
import { duplicatesReportSchema } from "./duplicates-report";
import { fakeTopic } from "./testing/fake-topic";
import {
  changes,
  firstAt,
  type LaidDown,
  laidRecords,
  ordersTopic,
  recordLines,
} from "./testing/record-lines";
import { streamsOf } from "./testing/streams";

const opened: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const close of opened.splice(0)) await close();
});

/** Nobody presses Ctrl-C. */
const quiet = { on: () => undefined, off: () => undefined };

async function run(
  argv: readonly string[],
  stdin = "",
  signals = quiet as Parameters<typeof duplicatesCommand>[2],
) {
  const { io, written } = streamsOf(stdin);
  const code = await duplicatesCommand([...argv], io, signals);
  return { code, ...written };
}

/** 12 changes again in partition 0, 5 in partition 1. */
const crashed: LaidDown[] = [
  ...changes(0, 30, 1, 0),
  ...changes(100, 120, 1, 1),
  ...changes(18, 40, 2, 0),
  ...changes(115, 130, 2, 1),
];

async function brokerWith(topics: { [name: string]: FakeTopic }) {
  const broker = await startFakeBroker(topics);
  opened.push(broker.stop);
  return broker;
}

const orders = (records: readonly LaidDown[] = crashed, more: Partial<FakeTopic> = {}) =>
  brokerWith({ [ordersTopic]: fakeTopic(laidRecords(records), more) });

const json = (stdout: string) => duplicatesReportSchema.parse(JSON.parse(stdout));

describe("tidemark duplicates --method bisect", () => {
  test("tells the answer first, then each replay, and 1", async () => {
    const broker = await orders();
    const { code, stdout, stderr } = await run(["--brokers", broker.address, "--topic", ordersTopic]);
    expect([code, stderr]).toEqual([1, ""]);
    expect(stdout.split("\n").slice(0, 5)).toEqual([
      `${ordersTopic}: 17 duplicates among 87 offsets (19.54 %), in 2 replays.`,
      "",
      "  partition             offsets  changes  began (UTC)",
      `  ${ordersTopic}-0  30–41         12  2026-09-14 06:30:50`,
      `  ${ordersTopic}-1  20–24          5  2026-09-14 06:31:12`,
    ]);
    expect(stdout).toMatch(/method +bisect: where runs begin/);
    expect(stdout).toContain("Complete: every record was read, since there are few.");
    expect(stdout).not.toContain("\u00a0");
    expect(broker.metadataAsked.every((m) => !m.mayCreate)).toBe(true);
  });

  test("--json keeps its contract", async () => {
    const broker = await orders();
    const { code, stdout } = await run(["--brokers", broker.address, "--topic", ordersTopic, "--json"]);
    const report = json(stdout);
    expect(report).toMatchObject({
      topic: ordersTopic,
      method: "bisect",
      exitCode: code,
      interrupted: false,
      range: {
        from: null,
        to: null,
        partitions: [
          { partition: 0, from: "0", to: "52", measuredTo: "52" },
          { partition: 1, from: "0", to: "35", measuredTo: "35" },
        ],
      },
      records: 87,
      events: null,
      duplicates: 17,
      bound: "exact",
      rate: 17 / 87,
      interval: null,
      reReads: null,
      keyOrderViolations: null,
      sure: "whole",
      notMeasurable: [],
    });
    expect(report.replays).toMatchObject([
      { partition: 0, firstOffset: "30", lastOffset: "41", count: 12, cause: "unknown", firstCopyOf: "18" },
      { partition: 1, firstOffset: "20", lastOffset: "24", count: 5, evidence: "run-id", lastCopyOf: "19" },
    ]);
    expect(report.replays?.[0]?.runBefore).not.toBe(report.replays?.[0]?.runAfter);
    expect(report.bytesRead).toBeGreaterThan(0);
  });

  test("none found is 0", async () => {
    const broker = await orders(changes(0, 40, 1));
    const { code, stdout } = await run(["--brokers", broker.address, "--topic", ordersTopic]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^shop\.public\.orders: no duplicate among 40 offsets\.\n/);
  });

  test("one partition, and a range: a replay that reaches into it is told of whole", async () => {
    const broker = await orders();
    const args = ["--brokers", broker.address, "--topic", ordersTopic, "--json"];
    expect(json((await run([...args, "--partition", "1"])).stdout).duplicates).toBe(5);
    const at = (second: number) => new Date(firstAt + second * 1_000).toISOString();
    const late = json((await run([...args, "--from", at(55), "--to", at(60)])).stdout);
    expect(late.range.partitions).toMatchObject([
      { from: "35", to: "40" },
      { from: "20", to: "20" },
    ]);
    // As far as it reaches beyond the range, it is not told of.
    expect(late).toMatchObject({ duplicates: 10, records: 5, rate: 1, exitCode: 1 });
    const text = (await run([...args.slice(0, -1), "--from", at(55)])).stdout;
    expect(text).toContain("A replay that began before the range is told of whole.");
    expect(json((await run([...args, "--from", at(90)])).stdout)).toMatchObject({
      duplicates: 0,
      exitCode: 0,
    });
    expect(json((await run([...args, "--to", at(50)])).stdout)).toMatchObject({ duplicates: 0, exitCode: 0 });
  });

  test("asks Connect, where it is named, whose records count", async () => {
    const broker = await orders();
    const name = "orders-cdc";
    const config = {
      "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
      "topic.prefix": "another",
    };
    const asked: string[] = [];
    const connect = await startConnectDouble({
      behaviour: (request, response) => {
        asked.push(request.url ?? "");
        response.setHeader("content-type", "application/json");
        if (request.url?.includes("/topics"))
          return void response.end(JSON.stringify({ [name]: { topics: [ordersTopic] } }));
        const state = { state: "RUNNING", worker_id: "w:1" };
        const status = { name, connector: state, tasks: [{ id: 0, ...state }], type: "source" };
        response.end(
          JSON.stringify({ [name]: { status, info: { name, config, tasks: [], type: "source" } } }),
        );
      },
    });
    opened.push(connect.close);
    const args = ["--brokers", broker.address, "--topic", ordersTopic, "--json"];
    const { stdout } = await run([...args, "--connect", connect.url]);
    // None of the records is that connector's.
    expect(json(stdout).duplicates).toBe(0);
    expect(asked.length).toBeGreaterThan(0);
    expect(json((await run(args)).stdout).duplicates).toBe(17);
  });
});

describe("tidemark duplicates --method scan", () => {
  test("counts the same, with what only reading everything tells", async () => {
    const broker = await orders();
    const args = ["--brokers", broker.address, "--topic", ordersTopic, "--method", "scan"];
    const report = json((await run([...args, "--json"])).stdout);
    expect(report).toMatchObject({
      method: "scan",
      exitCode: 1,
      records: 87,
      events: 87,
      duplicates: 17,
      bound: "exact",
      share: 1,
      reReads: 0,
      keyOrderViolations: 0,
      replays: null,
      range: { partitions: [{ measuredTo: "52" }, { measuredTo: "35" }] },
    });
    const { stdout } = await run(args);
    expect(stdout).toContain("17 duplicates among 87 events");
    expect(stdout).toContain("--method bisect tells.");
    const ranged = json(
      (await run([...args, "--from", new Date(firstAt + 55_000).toISOString(), "--json"])).stdout,
    );
    expect(ranged.bound).toBe(ranged.share < 1 ? "about" : "at-least");
  });
});

describe("tidemark duplicates --file", () => {
  test("reads standard input, asks nobody, and tells replays", async () => {
    const { code, stdout, stderr } = await run(["--file", "-"], recordLines(crashed));
    expect([code, stderr]).toEqual([1, ""]);
    expect(stdout).toMatch(
      /^shop\.public\.orders: 17 duplicates among 87 events \(19\.54 %\), in 2 replays\.\n/,
    );
    expect(stdout).toMatch(/re-reads +0 rows that a snapshot read, no duplicates/);
    const report = json(
      (await run(["--file", "-", "--partition", "1", "--json"], recordLines(crashed))).stdout,
    );
    expect(report).toMatchObject({ method: "whole", duplicates: 5 });
  });

  test("names the broken line, with 3", async () => {
    const { code, stderr } = await run(["--file", "-"], `${recordLines(changes(0, 2, 1))}{"topic"\n`);
    expect(code).toBe(3);
    expect(stderr).toMatch(/^tidemark duplicates: line 3 of standard input is no JSON: /);
  });
});

describe("Ctrl-C", () => {
  test("ends with what is known so far, said as such", async () => {
    const listeners = new Set<() => void>();
    const signals = {
      on: (_: string, listener: () => void) => listeners.add(listener),
      off: (_: string, listener: () => void) => listeners.delete(listener),
    };
    const broker = await orders();
    broker.onFetch = () => {
      for (const listener of [...listeners]) listener();
      return undefined;
    };
    for (const method of ["bisect", "scan"]) {
      const args = ["--brokers", broker.address, "--topic", ordersTopic, "--method", method, "--json"];
      const report = json((await run(args, "", signals)).stdout);
      expect(report.interrupted).toBe(true);
      expect(report.exitCode).toBe(report.duplicates > 0 ? 1 : 3);
      expect(listeners.size).toBe(0);
    }
    const { stdout } = await run(["--brokers", broker.address, "--topic", ordersTopic], "", signals);
    expect(stdout).toMatch(/measured before it was interrupted|interrupted before anything was measured/);
    expect(stdout).toContain("Interrupted: measured are ");
  });
});

describe("what cannot be told is not called none, with 3", () => {
  const valuesOf = (values: readonly (string | Buffer)[]) =>
    brokerWith({
      things: fakeTopic([
        values.map((value, i) => ({
          timestamp: firstAt + i,
          key: Buffer.from('{"serverName":"shop"}'),
          value: Buffer.from(value),
          headers: [],
        })),
      ]),
    });

  test.each([
    ["not Debezium's", ['{"id":1}', '{"id":2}'], /add\.fields=/],
    ["heartbeats", ['{"ts_ms":1}', '{"ts_ms":2}'], /topic that a Debezium connector writes/],
    [
      "Avro without a registry",
      [Buffer.from([0, 0, 0, 0, 42, 2, 3]), Buffer.from([0, 0, 0, 0, 42, 4])],
      /egistry/,
    ],
  ])("records that are %s", async (_, values, remedy) => {
    const broker = await valuesOf(values);
    for (const method of ["bisect", "scan"]) {
      const { code, stdout } = await run([
        "--brokers",
        broker.address,
        "--topic",
        "things",
        "--method",
        method,
        "--json",
      ]);
      const report = json(stdout);
      expect([method, code, report.sentence]).toEqual([
        method,
        3,
        "things: how many duplicates there are is not known.",
      ]);
      expect(report.notMeasurable.map((one) => one.remedy).join()).toMatch(remedy);
    }
  });

  test("a topic that is missing, with the nearest name", async () => {
    const broker = await orders();
    const refused = async (topic: string) => {
      const { code, stderr } = await run(["--brokers", broker.address, "--topic", topic]);
      return `${code} ${stderr}`;
    };
    expect(await refused("shop.public.order")).toBe(
      '3 tidemark duplicates: there is no topic "shop.public.order"; did you mean "shop.public.orders"?\n',
    );
    expect(await refused("x")).toBe('3 tidemark duplicates: there is no topic "x".\n');
    expect(broker.metadataAsked.every((m) => !m.mayCreate)).toBe(true);
  });

  test("no rights, with the command that grants them", async () => {
    const broker = await orders(crashed, { metadataError: 29 });
    const { code, stderr } = await run(["--brokers", broker.address, "--topic", ordersTopic]);
    expect(code).toBe(3);
    expect(stderr).toMatch(/not allowed to see it .*kafka-acls\.sh/i);
  });

  test("no broker, and a web server in its place", async () => {
    const dead = await run(["--brokers", "127.0.0.1:1", "--topic", ordersTopic]);
    expect([dead.code, dead.stderr]).toEqual([
      3,
      expect.stringMatching(/cannot be reached \(connection refused\)\. Check kafka\.brokers/),
    ]);
    const web = createServer((_, response) => void response.end("<html>"));
    await new Promise<void>((resolve) => web.listen(0, "127.0.0.1", resolve));
    opened.push(() => new Promise((resolve) => web.close(resolve)));
    const { port } = web.address() as AddressInfo;
    const html = await run(["--brokers", `127.0.0.1:${port}`, "--topic", ordersTopic]);
    expect(html.code).toBe(3);
    expect(html.stderr).toMatch(/does not speak Kafka's protocol|closed the connection/);
  });
});

describe("wrong arguments, with 2", () => {
  test.each([
    [[], "which topic? --topic T, or --file FILE. See tidemark duplicates --help."],
    [["--topik", "a"], "Unknown option '--topik'."],
    [["--topic", "a", "--brokers", "nope"], "host:port"],
    [["--topic", "a", "--brokers", "b:1", "--method", "guess"], 'no method "guess"; bisect or scan'],
    [["--topic", "a", "--brokers", "b:1", "--partition", "-1"], "--partition"],
    [["--topic", "a", "--brokers", "b:1", "--from", "yesterday"], "--from yesterday is no time"],
    [["--topic", "a", "--brokers", "b:1", "--from", "-1h", "--to", "-2h"], "--from is not before --to"],
    [["--topic", "a", "--brokers", "b:1", "--type", "postgres"], 'no type "postgres"'],
    [["--file", "x", "--brokers", "b:1"], "leave --brokers out"],
    [["--topic", "a", "--config", "/no/such/file"], "/no/such/file"],
  ])("%j", async (argv, said) => {
    const { code, stderr, stdout } = await run(argv);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^tidemark duplicates: /);
    expect(stderr).toContain(said);
  });

  test("a partition that there is not", async () => {
    const broker = await orders();
    const { code, stderr } = await run([
      "--brokers",
      broker.address,
      "--topic",
      ordersTopic,
      "--partition",
      "7",
    ]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining("has partitions 0 to 1, and none with number 7"),
    ]);
  });

  test("several clusters, unless --cluster says which", async () => {
    const broker = await orders();
    const file = join(mkdtempSync(join(tmpdir(), "tidemark-")), "tidemark.yaml");
    const cluster = (name: string) =>
      `  - name: ${name}\n    connect: { urls: ["http://127.0.0.1:1"] }\n    kafka: { brokers: ["${broker.address}"] }\n`;
    writeFileSync(file, `clusters:\n${cluster("eu")}${cluster("us")}`);
    const args = ["--config", file, "--topic", ordersTopic];
    expect(await run(args)).toMatchObject({ code: 2, stderr: expect.stringContaining("--cluster") });
    expect(await run([...args, "--cluster", "ap"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("eu, us"),
    });
    expect(await run([...args, "--cluster", "us"])).toMatchObject({ code: 1 });
  });

  test("--help tells the arguments and the exit codes", async () => {
    const { code, stdout } = await run(["--help"]);
    expect(code).toBe(0);
    for (const word of [
      "--topic",
      "--brokers",
      "--file",
      "bisect",
      "scan",
      "-2h",
      "Exit code: 0 none found, 1",
    ])
      expect(stdout).toContain(word);
  });
});
