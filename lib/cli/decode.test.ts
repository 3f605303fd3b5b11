import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable, Writable } from "node:stream";
import { text as textOf } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decodeReportSchema } from "../debezium/decode-report";
import { decodeCommand } from "./decode";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "decode-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

async function run(argv: string[], input = "") {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const [out, err] = [textOf(stdout), textOf(stderr)];
  const code = await decodeCommand(argv, { stdin: Readable.from([input]), stdout, stderr });
  stdout.end();
  stderr.end();
  return { code, out: await out, err: await err };
}

const rest =
  '{"offsets":[{"partition":{"server":"shop"},"offset":{"lsn":26120704,"txId":1}},{"partition":{"server":"shop2"},"offset":{"lsn":9007199254741001}}]}';

describe("tidemark decode", () => {
  test("text for a person: position first, then fields, then warnings", async () => {
    const { code, out } = await run([], '{"lsn":26120704,"snapshot":true}');
    expect(code).toBe(0);
    const order = ["PostgreSQL", "position", "0/18E9200", "phase", "lsn", "! offset-snapshot-unfinished"];
    const places = order.map((text) => out.indexOf(text));
    expect(places).not.toContain(-1);
    expect([...places].sort((a, b) => a - b)).toEqual(places);
  });

  test("--json is the contract, digits kept; --config tells the partition", async () => {
    const config = file(
      "config.json",
      '{"name":"x","config":{"topic.prefix":"shop2","connector.class":"io.debezium.connector.postgresql.PostgresConnector"}}',
    );
    const { code, out } = await run(["--json", "--config", config, file("offsets.json", rest)]);
    expect(code).toBe(0);
    const report = decodeReportSchema.strict().parse(JSON.parse(out));
    expect(report.partitions.map((p) => [p.used, p.position.text])).toEqual([
      [false, "0/18E9200"],
      [true, "200000/9"],
    ]);
    expect(report.partitions[1]?.position.fields[0]?.raw).toBe("9007199254741001");
  });

  test("an empty list says what a stop would cost", async () => {
    const { code, out } = await run([], '{"offsets":[]}');
    expect(code).toBe(0);
    expect(out).toContain("no position stored yet");
  });

  test("records of two connectors give a list", async () => {
    const { out } = await run(
      ["--json"],
      '["a",{"server":"x"}]\t{"lsn":1}\n["b",{"server":"y"}]\t{"file":"b.1","pos":4}',
    );
    expect(JSON.parse(out)).toMatchObject([
      { name: "a", connector: "postgresql" },
      { name: "b", connector: "MySQL or MariaDB" },
    ]);
  });

  test("records of a topic: what each is, and --json by the contract", async () => {
    const lines = [
      '{"topic":"shop.public.orders","partition":0,"offset":"7","timestamp":"1795957676075","headers":{"__debezium.context.runId":"01a2276a-675c-7f10-b960-d5d68b86b810"},"key":{"id":1},"value":{"op":"u","source":{"connector":"postgresql","lsn":9007199254740993,"txId":5,"schema":"public","table":"orders"}}}',
      '{"topic":"shop.public.orders","partition":0,"offset":"8","key":{"id":1},"value":null}',
      '{"topic":"shop.public.orders","partition":0,"offset":"9","key":{"id":1},"value":{"id":1}}',
    ].join("\n");
    const path = file("records.jsonl", lines);
    const { code, out } = await run(["--file", path]);
    expect(code).toBe(0);
    for (const words of [
      "PostgreSQL: 3 records",
      "change: update in public.orders",
      "200000/1",
      "begun 2026-11-29T13:06:54.428Z",
      "tombstone",
      "not readable: JSON without Debezium's envelope",
      "add.fields=",
    ])
      expect(out).toContain(words);
    expect(out).not.toContain("no position stored");
    const json = await run(["--file", path, "--json"]);
    const report = decodeReportSchema.strict().parse(JSON.parse(json.out));
    expect(report.records?.map((r) => [r.offset, r.kind])).toEqual([
      ["7", "change"],
      ["8", "tombstone"],
      ["9", "unreadable"],
    ]);
  });

  test("another answer of Kafka Connect is told for what it is", async () => {
    const { code, err } = await run([], '{"name":"c","connector":{"state":"RUNNING"},"tasks":[]}');
    expect(code).toBe(2);
    expect(err).toContain("is the status of a connector, and holds no offset");
  });

  test("control characters do not reach the terminal", async () => {
    const { out } = await run([], '{"lsn":1,"x\\u001b[31m":"\\u001b]0;hi\\u0007"}');
    expect(out).toContain("\\u001b[31m");
    expect(out.includes("\u001b")).toBe(false);
  });

  test("--help", async () => {
    expect((await run(["--help"])).out).toContain("Usage: tidemark decode");
  });

  test.each([
    [[], "", /The input is empty/],
    [[], "{", /Not JSON at line 1/],
    [["--type", "access"], "", /there is no type "access"/],
    [["--nonsense"], "", /Unknown option '--nonsense'/],
    [["a", "b"], "", /one FILE is read/],
    [["/nowhere/offsets.json"], "", /There is no file \/nowhere\/offsets.json/],
    [["/"], "", /cannot be read/],
    [["--config", "/nowhere.json"], '{"lsn":1}', /There is no file/],
  ])("%j with %j: exit code 2 and one line", async (argv, input, message) => {
    const { code, out, err } = await run(argv, input);
    expect(code).toBe(2);
    expect(out).toBe("");
    expect(err).toMatch(message);
    expect(err.trim().split("\n")).toHaveLength(1);
  });

  test("too much input is refused", async () => {
    const chunk = Buffer.alloc(1024 * 1024, 32);
    const stdin = Readable.from(Array.from({ length: 17 }, () => chunk));
    const stderr = new PassThrough();
    expect(await decodeCommand([], { stdin, stdout: new PassThrough(), stderr })).toBe(2);
    expect(stderr.read()?.toString()).toContain("over 16 MiB");
  });

  test("control and direction characters are escaped everywhere", async () => {
    const bad = "\u001b\u009b\u202e\u2066\u2028\u200f";
    const raw = /(?!\n)[\p{Cc}\u200f\u2028\u202e\u2066]/u;
    const input = `{"lsn":1,"${bad.slice(1)}":"${bad.slice(1)}"}`;
    const text = await run([], input);
    expect(text.out).toContain("\\u009b\\u202e\\u2066");
    expect(text.out).not.toMatch(raw);
    const json = await run(["--json"], input);
    expect(json.out).not.toMatch(raw);
    expect(JSON.parse(json.out).partitions[0].position.fields[1].text).toBe(bad.slice(1));
    for (const [argv, stdin] of [
      [[], `{"a":1,"${bad.slice(1)}":1,"${bad.slice(1)}":2}`],
      [[], bad],
      [["--type", bad], ""],
      [[`/nowhere/${bad}`], ""],
    ] satisfies [string[], string][]) {
      const { code, err } = await run(argv, stdin);
      expect(code).toBe(2);
      expect(err).not.toMatch(raw);
    }
  });

  test("an offset with 200,000 keys", async () => {
    const keys = Array.from({ length: 200_000 }, (_, i) => `"k${i}":1`);
    const { code, out } = await run([], `{"lsn":1,${keys.join()}}`);
    expect(code).toBe(0);
    expect(out).toContain("200001 keys; the first 2000 are explained");
  }, 10_000);

  test("nesting that is too deep", async () => {
    const { code, err } = await run([], `{"lsn":1,"x":${"[".repeat(5000)}${"]".repeat(5000)}}`);
    expect(code).toBe(2);
    expect(err).toContain("nested too deeply");
  });

  test.each([
    ["ENOSPC", "no space is left"],
    ["EPIPE", "its reader has gone"],
    ["EIO", "cannot be written (EIO)"],
  ])("output that fails with %s", async (code, sentence) => {
    const fault = Object.assign(new Error("x"), { code });
    const later = new Writable({ write: (_chunk, _encoding, done) => done(fault) });
    const atOnce = new Writable({
      write() {
        throw fault;
      },
    });
    for (const stdout of [later, atOnce]) {
      const stderr = new PassThrough();
      const stdin = Readable.from(['{"lsn":1}']);
      expect(await decodeCommand([], { stdin, stdout, stderr })).toBe(2);
      expect(stderr.read()?.toString()).toContain(sentence);
    }
  });
});
