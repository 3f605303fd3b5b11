import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import { parseJson } from "@/lib/debezium/json";
import { type Failure, failureKinds } from "@/lib/observed/observation";
import { type ConnectClientOptions, createConnectClient } from "./client";
import cases from "./testing/cases.json";
import {
  type Behaviour,
  type ConnectDouble,
  connectError,
  type DoubleOptions,
  drip,
  fakeCluster,
  flood,
  hang,
  hangInBody,
  json,
  redirect,
  reset,
  routes,
  startConnectDouble,
  startTcpDouble,
  text,
  truncated,
} from "./testing/connect-double";

const toClose: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of toClose.splice(0).reverse()) await one.close();
});

async function double(behaviour: Behaviour, options: Partial<DoubleOptions> = {}): Promise<ConnectDouble> {
  const started = await startConnectDouble({ behaviour, ...options });
  toClose.push(started);
  return started;
}

type Settings = Parameters<typeof createConnectClient>[0];
function client(urls: string[], options: ConnectClientOptions = {}, settings: Partial<Settings> = {}) {
  const made = createConnectClient({ urls, ...settings }, { answerMs: 2_000, ...options });
  toClose.push(made);
  return made;
}

async function asking(behaviour: Behaviour, options: ConnectClientOptions = {}) {
  const server = await double(behaviour);
  return { server, connect: client([server.url], options) };
}

async function listFailure(behaviour: Behaviour, options: ConnectClientOptions = {}): Promise<Failure> {
  const { connect } = await asking(behaviour, options);
  return failed(await connect.listConnectors());
}

function failed(look: { failure?: Failure | undefined }): Failure {
  if (!look.failure) throw new Error("the look succeeded");
  expect(failureKinds).toContain(look.failure.kind);
  expect(look.failure.sentence.length).toBeLessThan(500);
  return look.failure;
}

const captured = (name: string) =>
  readFileSync(fileURLToPath(new URL(`./testing/captured/${name}.json`, import.meta.url)), "utf8");

describe("answers of a real Connect 4.4.0", () => {
  test("root, list, topics and offsets are read", async () => {
    const { connect } = await asking(
      routes({
        "/": json(captured("rest-root")),
        "/connectors": json(captured("rest-connectors-expand")),
        "/connectors/orders-cdc/topics": json(captured("rest-orders-cdc-topics")),
        "/connectors/orders-cdc/offsets": json(captured("rest-orders-cdc-offsets")),
      }),
    );
    expect((await connect.readRoot()).value).toEqual({
      version: "4.4.0",
      commit: "1156b2752aaa28ea",
      kafkaClusterId: "wV2_KJUeTxSaCmQhFgxtaQ",
    });
    const reports = (await connect.listConnectors()).value ?? [];
    expect(reports.map((r) => [r.name, r.type, r.connector?.state, r.tasks?.map((t) => t.state)])).toEqual([
      ["inventory-cdc", "source", "RUNNING", ["RUNNING"]],
      ["orders-cdc", "source", "RUNNING", ["RUNNING"]],
    ]);
    expect(reports[0]?.connector).toEqual({
      state: "RUNNING",
      workerId: "127.0.0.1:28083",
      version: "3.5.0.Final",
      trace: null,
    });
    expect(reports[1]?.config?.["topic.prefix"]).toBe("shop");
    expect(reports[1]?.config?.["database.password"]).toBe("***");
    expect(reports[1]?.plaintextSecrets).toEqual(["database.password"]);
    expect((await connect.readTopics("orders-cdc")).value).toHaveLength(7);
    const [entry] = (await connect.readOffsets("orders-cdc")).value?.offsets ?? [];
    expect(entry?.partition).toBe('{"server":"shop"}');
    const truth = parseJson(captured("rest-orders-cdc-offsets"));
    expect({ offsets: [{ partition: { server: "shop" }, offset: parseJson(entry?.offset ?? "") }] }).toEqual(
      truth,
    );
  });

  test("offsets keep every digit, and their keys are in one order", async () => {
    const body =
      '{"offsets":[{"partition":{"server":"a"},"offset":{"scn":18446744073709551615,"b":{"y":1,"x":[9007199254740993]},"a":null}}]}';
    const { connect } = await asking(routes({ "/connectors/a/offsets": json(body) }));
    expect((await connect.readOffsets("a")).value?.offsets[0]?.offset).toBe(
      '{"a":null,"b":{"x":[9007199254740993],"y":1},"scn":18446744073709551615}',
    );
  });
});

describe("cases people reported", () => {
  test.each(
    cases["CON-01"].input.map((input, i) => ({ input, expected: cases["CON-01"].expected[i] ?? "" })),
  )("CON-01 $input.body.message", async ({ input, expected }) => {
    const failure = await listFailure(json(input.body, input.status));
    expect(failure.kind).toBe(expected.startsWith("rebalancing") ? "rebalancing" : "conflict");
    if (failure.kind === "rebalancing")
      expect(failure.sentence).toBe("Could not list connectors: the Connect cluster is rebalancing (409).");
  });

  test("CON-02 404 on /offsets: an old worker, or a connector that is gone", async () => {
    const [old, gone] = cases["CON-02"].input;
    const answering = (input: typeof old) =>
      routes({ "/": json(input?.root), [input?.path ?? ""]: json(input?.body, input?.status) });
    const onOld = await asking(answering(old));
    const oldFailure = failed(await onOld.connect.readOffsets("shop"));
    expect(oldFailure.kind).toBe("not-supported");
    expect(oldFailure.sentence).toContain("his Connect version cannot show offsets over REST (needs 3.5)");
    const onNew = await asking(answering(gone));
    expect(failed(await onNew.connect.readOffsets("shop")).kind).toBe("not-found");
  });

  test("CON-02 Confluent's own version numbers, 405, and a path that something swallows", async () => {
    const at = (version: string, status = 404) =>
      routes({
        "/": json({ version }),
        "/connectors/shop/offsets": connectError(status, "HTTP 404 Not Found"),
      });
    const sentence = async (behaviour: Behaviour) =>
      failed(await (await asking(behaviour)).connect.readOffsets("shop")).sentence;
    expect(await sentence(at("7.4.1-ccs"))).toContain("needs 3.5");
    expect(await sentence(at("2.7.1", 405))).toContain("needs 3.5");
    expect(await sentence(at("7.5.0-ccs"))).toContain("has no answer at the path");
    expect(await sentence(at("4.4.0"))).toContain("has no answer at the path");
  });

  test.each(cases["CON-04"].input)("CON-04 $status $type", async ({ status, type, body }) => {
    const failure = await listFailure(text(body, type, status));
    expect(failure.kind).toBe("not-connect");
    const first = /<title>(.*)<\/title>/.exec(body)?.[1] ?? body;
    expect(failure.sentence).toContain(
      `The address answered, but not as Kafka Connect (HTTP ${status}, ${type.split(";")[0]}): ${first}`,
    );
    expect(failure.sentence).not.toMatch(/<|alert|JSON|Unexpected/);
  });

  test("CON-05 names go over the wire as they must, and a slash is not normalised away", async () => {
    const names = cases["CON-05"].input;
    const { connect, server } = await asking(
      fakeCluster(Object.fromEntries(names.map((name) => [name, {}]))),
    );
    for (const name of names) expect((await connect.readOffsets(name)).value).toEqual({ offsets: [] });
    expect(server.requests).toEqual(
      cases["CON-05"].expected.paths.map((path) => path.replace("/status", "/offsets")),
    );
    await connect.readTopics("../../admin");
    expect(server.requests.at(-1)).toBe("/connectors/..%2F..%2Fadmin/topics");
  });

  test("CON-05 a server that refuses the slash", async () => {
    const name = cases["CON-05"].input[0] ?? "";
    const refusing: Behaviour[] = [
      text("<h1>Bad Message 400</h1><pre>reason: Ambiguous URI path separator</pre>", "text/html", 400),
      connectError(404, "HTTP 404 Not Found"),
      connectError(404, "Connector orders not found"),
    ];
    for (const refuse of refusing) {
      const { connect } = await asking((request, response) =>
        (request.url === "/" ? json({ version: "4.4.0" }) : refuse)(request, response),
      );
      const failure = failed(await connect.readOffsets(name));
      expect(failure).toMatchObject({
        kind: "not-supported",
        sentence: "Offsets cannot be fetched for this name.",
      });
    }
    const gone = await asking(connectError(404, `Connector ${name} not found`));
    expect(failed(await gone.connect.readOffsets(name)).kind).toBe("not-found");
  });

  test("CON-06 every state is listed, known or not", async () => {
    const { connect } = await asking(json(cases["CON-06"].input));
    const reports = (await connect.listConnectors()).value ?? [];
    expect(reports.map((r) => [r.name, r.connector?.state, r.tasks?.map((t) => t.state)])).toEqual([
      ["a", "STOPPED", []],
      ["b", "RESTARTING", ["RESTARTING"]],
      ["c", "HIBERNATING", ["RUNNING"]],
    ]);
  });

  test("CON-08 the whole trace is there", async () => {
    const { connect } = await asking(json({ shop: { status: cases["CON-08"].input } }));
    const [report] = (await connect.listConnectors()).value ?? [];
    expect(report?.tasks?.[0]?.trace).toBe(cases["CON-08"].input.tasks[0]?.trace);
  });

  test("CON-12 nothing unmasked comes out, not even inside a trace", async () => {
    const trace =
      "ConnectException: login with s3cr3t! failed\n\tat mongodb://dbz:pa%24s@h1:27017, then pa$s; p";
    const { connect } = await asking(
      json({
        shop: {
          info: { config: cases["CON-12"].input, tasks: [] },
          status: { connector: { state: "FAILED", trace }, tasks: [{ id: 0, state: "FAILED", trace }] },
        },
      }),
    );
    const look = await connect.listConnectors();
    expect(JSON.stringify(look)).not.toMatch(/s3cr3t!|pa%24s|pa\$s|password=\\"p\\"/);
    const report = look.value?.[0];
    expect(report?.config).toMatchObject({
      "database.password": "***",
      "schema.history.internal.consumer.sasl.jaas.config": "***",
      "mongodb.connection.string": "mongodb://dbz:***@h1:27017/?replicaSet=rs0",
      "database.user": "dbz",
      "signal.kafka.topic": "shop-signal",
      "database.sslpassword": cases["CON-12"].input["database.sslpassword"],
      "heartbeat.action.query": "UPDATE hb SET t=now()",
    });
  });

  test("CON-13 halves that are missing are null", async () => {
    const { connect } = await asking(
      json(cases["CON-13"].input[0]?.["/connectors?expand=info&expand=status"]),
    );
    const [a, b] = (await connect.listConnectors()).value ?? [];
    expect(a).toMatchObject({ name: "a", connector: { state: "RUNNING", workerId: null }, config: null });
    expect(b).toMatchObject({ name: "b", connector: null, tasks: null, config: {} });
  });

  test("CON-13 topic tracking is off", async () => {
    const { connect } = await asking(connectError(403, "Topic tracking is disabled."));
    expect(failed(await connect.readTopics("a"))).toMatchObject({
      kind: "not-supported",
      sentence: "Topic tracking is off in this Connect cluster, so it cannot tell a connector's topics.",
    });
    const other = await asking(connectError(403, "Not yours."));
    expect(failed(await other.connect.readTopics("a")).kind).toBe("forbidden");
  });

  test("CON-13 no connectors is an empty list, not authorised is none", async () => {
    const { connect, server } = await asking(json({}));
    expect(await connect.listConnectors()).toEqual({ value: [] });
    server.set(text("", "", 401));
    const look = await connect.listConnectors();
    expect(look.value).toBeUndefined();
    expect(failed(look)).toMatchObject({
      kind: "unauthorised",
      sentence: "Could not list connectors: not authorised (401).",
    });
  });

  test("OFF-22 an empty list of offsets is an answer", async () => {
    const { connect } = await asking(json(cases["OFF-22"].input.offsets));
    expect(await connect.readOffsets("a")).toEqual({ value: { offsets: [] } });
  });
});

describe("every way of failing has its sentence", () => {
  test("a redirect is told and not followed", async () => {
    const target = await double(json({}));
    const failure = await listFailure(redirect(`${target.url}/login?token=SECRET`));
    expect(failure.kind).toBe("redirected");
    expect(failure.sentence).toContain(`redirects to ${target.url}/login (HTTP 302)`);
    expect(failure.sentence).not.toContain("SECRET");
    expect(target.requests).toHaveLength(0);
  });

  test("hang before the headers, hang in the body, and a slow drip", async () => {
    const limit = { answerMs: 300 };
    const before = await listFailure(hang, limit);
    expect(before.kind).toBe("timeout");
    expect(before.sentence).toMatch(/accepted the connection, but did not answer within 0.3 s\.$/);
    const inBody = await listFailure(hangInBody, limit);
    expect(inBody.kind).toBe("timeout");
    expect(inBody.sentence).toMatch(/was not done after 0.3 s \(5 bytes had come\)\.$/);
    const dripping = await listFailure(drip(JSON.stringify(cases["CON-06"].input), 20), limit);
    expect(dripping.sentence).toMatch(/was not done after 0.3 s \(\d+ bytes had come\)\.$/);
  });

  test("refused, no such host, closed without an answer", async () => {
    const server = await startConnectDouble({ behaviour: hang });
    await server.close();
    const refused = failed(await client([server.url]).listConnectors());
    expect(refused).toMatchObject({ kind: "unreachable", sentence: `${server.url} refused the connection.` });
    const nowhere = failed(await client(["http://no-such-host.invalid:8083"]).listConnectors());
    expect(nowhere.kind).toBe("unreachable");
    expect(nowhere.sentence).toMatch(
      /has a host name that (does not exist|could not be looked up just now)\.$/,
    );
    const closed = await listFailure(reset);
    expect(closed.kind).toBe("unreachable");
    expect(closed.sentence).toMatch(/closed the connection without an answer\.$/);
  });

  test("broken off in the middle, and JSON that ends in the middle", async () => {
    const broken = await listFailure(truncated);
    expect(broken.kind).toBe("unreachable");
    expect(broken.sentence).toMatch(/broke off in the middle of its answer, after \d+ bytes\.$/);
    const unfinished = await listFailure(json('{"a":{"status":'));
    expect(unfinished.kind).toBe("invalid-answer");
    expect(unfinished.sentence).toContain("the answer ends in the middle, after 15 bytes");
  });

  test("JSON in name only, an old list of names, an entry of another form", async () => {
    for (const body of ["hello", "{nonsense}", '{"a":{"status":{}}} and more', ""])
      expect((await listFailure(json(body))).kind).toBe("invalid-answer");
    expect(await listFailure(json(["a", "b"]))).toMatchObject({
      kind: "not-supported",
      sentence: "Could not list connectors: this Connect version answers with names only (needs 2.3).",
    });
    expect((await listFailure(json({ error: "no" }))).kind).toBe("invalid-answer");
    const { connect } = await asking(json({ offsets: [{ partition: {} }] }));
    expect(failed(await connect.readOffsets("a")).sentence).toContain("an entry lacks partition or offset");
    expect(failed(await connect.readTopics("a")).sentence).toContain("there is no list of topics");
  });

  test("another service that speaks JSON", async () => {
    const { connect, server } = await asking(json({ name: "elasticsearch" }));
    expect(failed(await connect.readRoot()).kind).toBe("not-connect");
    server.set(connectError(404, "HTTP 404 Not Found"));
    expect(failed(await connect.readRoot()).kind).toBe("not-connect");
    expect(failed(await connect.listConnectors()).kind).toBe("not-connect");
  });

  test("an error of Connect itself, with no secret in it", async () => {
    const failure = await listFailure(connectError(500, "Request timed out. password=SECRET\nat x.Y"));
    expect(failure).toMatchObject({
      kind: "server-error",
      sentence: "Could not list connectors: Kafka Connect failed (500): Request timed out. password=***.",
    });
  });

  test("something that speaks no HTTP", async () => {
    const server = await startTcpDouble("\u0000\u0000\u0000\u0010not http at all\r\n\r\n");
    toClose.push(server);
    expect(failed(await client([server.url]).listConnectors()).kind).toBe("not-connect");
  });

  test.each([
    ["self-signed", "has a self-signed certificate that is not trusted"],
    ["server", "has a certificate of an authority that is not trusted"],
    ["expired", "has a certificate that has expired"],
    ["other-host", "has a certificate that is for another host name"],
  ])("TLS: %s", async (name, sentence) => {
    const server = await double(json({}), { tls: { key: tls("server-key"), cert: tls(name) } });
    const ca = name === "server" ? {} : { ca: tlsPath("ca") };
    const trusting = name === "self-signed" ? {} : { tls: { ...ca, rejectUnauthorized: true } };
    const failure = failed(await client([server.url], {}, trusting).listConnectors());
    expect(failure).toMatchObject({ kind: "unreachable", sentence: `${server.url} ${sentence}.` });
    expect(failure.remedy).not.toBeNull();
    expect(server.requests).toHaveLength(0);
  });

  test("TLS: trusted by its authority, or by no check at all", async () => {
    const server = await double(json({}), { tls: { key: tls("server-key"), cert: tls("server") } });
    const withCa = client([server.url], {}, { tls: { ca: tlsPath("ca"), rejectUnauthorized: true } });
    expect(await withCa.listConnectors()).toEqual({ value: [] });
    const unchecked = client([server.url], {}, { tls: { rejectUnauthorized: false } });
    expect(await unchecked.listConnectors()).toEqual({ value: [] });
  });

  test("TLS: http to a TLS port, https to a plain one, a file that is gone", async () => {
    const secure = await double(json({}), { tls: { key: tls("server-key"), cert: tls("server") } });
    const plain = failed(await client([secure.url.replace("https", "http")]).listConnectors());
    expect(["not-connect", "unreachable"]).toContain(plain.kind);
    const server = await double(json({}));
    const spoken = failed(await client([server.url.replace("http", "https")]).listConnectors());
    expect(spoken.sentence).toMatch(/does not speak TLS|could not agree on TLS/);
    const absent = client([server.url], {}, { tls: { ca: "/no/such.pem", rejectUnauthorized: true } });
    expect(failed(await absent.listConnectors())).toMatchObject({
      kind: "not-configured",
      sentence: "The TLS file /no/such.pem cannot be read (ENOENT).",
    });
  });
});

describe("requests", () => {
  test("basic authentication is sent", async () => {
    let sent: string | undefined;
    const server = await double((request, response) => {
      sent = request.headers.authorization;
      return json({})(request, response);
    });
    await client([server.url], {}, { basicAuth: { username: "ü", password: "p:w" } }).listConnectors();
    expect(sent).toBe(`Basic ${Buffer.from("ü:p:w").toString("base64")}`);
  });

  test("a path prefix is kept", async () => {
    const server = await double(json({}));
    await client([`${server.url}/connect/`]).listConnectors();
    expect(server.requests).toEqual(["/connect/connectors?expand=status&expand=info"]);
  });

  test("a server that hangs never has more than one request for a path", async () => {
    const { connect, server } = await asking(hang, { answerMs: 300 });
    for (let i = 0; i < 3; i++) {
      const looks = await Promise.all(Array.from({ length: 20 }, () => connect.listConnectors()));
      expect(looks.every((look) => look.failure?.kind === "timeout")).toBe(true);
    }
    expect(server.requests).toHaveLength(3);
    expect([...server.mostOpen.values()]).toEqual([1]);
  });

  test("many paths at once wait for their turn, and their clock with them", async () => {
    const slow: Behaviour = async (request, response) => {
      await new Promise((resolve) => setTimeout(resolve, 100));
      return json({ offsets: [] })(request, response);
    };
    const { connect } = await asking(slow, { answerMs: 400 });
    const looks = await Promise.all(Array.from({ length: 40 }, (_, i) => connect.readOffsets(`c${i}`)));
    expect(looks.every((look) => look.value?.offsets.length === 0)).toBe(true);
  });

  test("the next worker answers when one does not; the last good one is asked first", async () => {
    const away = await startConnectDouble({ behaviour: hang });
    await away.close();
    const proxy = await double(text("<title>502 Bad Gateway</title>", "text/html", 502));
    const good = await double(json({}));
    const connect = client([away.url, proxy.url, good.url]);
    expect(await connect.listConnectors()).toEqual({ value: [] });
    expect(await connect.listConnectors()).toEqual({ value: [] });
    expect([proxy.requests.length, good.requests.length]).toEqual([1, 2]);
    good.set(hang);
    const failure = failed(await client([away.url, proxy.url]).listConnectors());
    expect(failure.kind).toBe("unreachable");
    expect(failure.sentence).toMatch(
      /^None of 2 workers answered\. .*refused the connection\. .*502 Bad Gateway\.$/,
    );
  });

  test("the cluster's own answer is not asked for again", async () => {
    const one = await double(
      connectError(409, "Cannot complete request because of a conflicting operation (e.g. worker rebalance)"),
    );
    const other = await double(json({}));
    expect(failed(await client([one.url, other.url]).listConnectors()).kind).toBe("rebalancing");
    expect(other.requests).toHaveLength(0);
  });

  test("a worker that comes back is asked again by itself, also over a closed connection", async () => {
    const first = await startConnectDouble({ behaviour: json({}) });
    const port = Number(new URL(first.url).port);
    const connect = client([first.url]);
    expect(await connect.listConnectors()).toEqual({ value: [] });
    await first.close();
    expect(failed(await connect.listConnectors()).kind).toBe("unreachable");
    await double(json({}), { port });
    expect(await connect.listConnectors()).toEqual({ value: [] });
  });
});

describe("answers without end", () => {
  const MB = 1024 * 1024;
  const bytes = 200 * MB;

  test.each([
    ["a value", { bytes }],
    ["announced", { bytes, announced: true }],
    ["compressed", { bytes, gzip: true }],
    ["no JSON", { bytes, of: "noise" as const }],
  ])("200 MB, %s: given up, memory flat", async (_name, kind) => {
    const { connect, server } = await asking(flood({ bytes: MB, of: "noise" }), { answerMs: 10_000 });
    await connect.listConnectors(); // What the first request loads is not what is measured.
    server.set(flood(kind));
    const before = process.memoryUsage().rss;
    let peak = before;
    const watch = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().rss);
    }, 5);
    const failures: Failure[] = [];
    for (let i = 0; i < 3; i++) failures.push(failed(await connect.listConnectors()));
    clearInterval(watch);
    expect(new Set(failures.map((f) => f.kind))).toEqual(
      new Set(["of" in kind && kind.of === "noise" ? "invalid-answer" : "too-large"]),
    );
    expect((Math.max(peak, process.memoryUsage().rss) - before) / MB).toBeLessThan(40);
  });

  test.each([
    ["bytes", { maxBytes: MB / 2, answerMs: 10_000 }, "larger than 512 kB"],
    ["number", { answerMs: 10_000 }, "lists more than 10,000 connectors, and reading was stopped"],
  ])("an endless list of connectors ends at its bound by %s", async (_by, options, sentence) => {
    const failure = await listFailure(flood({ bytes, of: "connectors" }), options);
    expect(failure.kind).toBe("too-large");
    expect(failure.sentence).toContain(sentence);
  });

  test("an endless error page is read only to its title", async () => {
    const { connect } = await asking((_request, response) => {
      response.writeHead(503, { "content-type": "text/html" });
      response.write("<title>Sorry</title>");
      const more = setInterval(() => response.write("x".repeat(65_536)), 1);
      response.once("close", () => clearInterval(more));
    });
    expect(failed(await connect.listConnectors()).sentence).toContain("(HTTP 503, text/html): Sorry");
  });

  test("a long list that is well is read whole", async () => {
    const status = { connector: { state: "RUNNING" }, tasks: [], padding: "é".repeat(2_000) };
    const many = Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`c${i}`, { status }]));
    const { connect } = await asking(json(many), { answerMs: 10_000 });
    expect((await connect.listConnectors()).value).toHaveLength(2_000);
  });
});

function tlsPath(name: string): string {
  return fileURLToPath(new URL(`./testing/tls/${name}.pem`, import.meta.url));
}
function tls(name: string): string {
  return readFileSync(tlsPath(name), "utf8");
}

describe("one odd entry hides no other connector", () => {
  const good = '"good":{"status":{"type":"source","connector":{"state":"RUNNING"},"tasks":[]}}';
  const deep = `${"[".repeat(6_000)}${"]".repeat(6_000)}`;
  test.each([
    ["empty", "{}"],
    ["null", "null"],
    ["a text", '"x"'],
    ["nested too deep", `{"info":{"config":{"a":${deep}}}}`],
    ["nested too deep, with a long number", `{"info":{"config":{"a":${deep},"n":12345678901234567890}}}`],
    ["a key twice", '{"status":{"a":12345678901234567890,"a":1}}'],
  ])("%s", async (_, entry) => {
    const { connect } = await asking(routes({ "/connectors": json(`{"x":${entry},${good}}`) }));
    const reports = (await connect.listConnectors()).value;
    expect(reports?.map(({ name }) => name)).toEqual(["x", "good"]);
    expect(reports?.[0]).toMatchObject({ connector: null, tasks: null, config: null });
    expect(reports?.[1]?.connector?.state).toBe("RUNNING");
  });

  test("what is not JSON is still refused, and so is a list of nothing known", async () => {
    for (const body of [`{"x":{"a":1,,},${good}}`, '{"error":"x","code":1}'])
      expect((await listFailure(routes({ "/connectors": json(body) }))).kind).toBe("invalid-answer");
  });

  test("an answer nested too deep is no broken connection", async () => {
    const body = `{"offsets":[{"partition":{},"offset":{"a":${deep},"n":12345678901234567890}}]}`;
    const { connect } = await asking(routes({ "/connectors/a/offsets": json(body) }));
    expect(failed(await connect.readOffsets("a")).kind).toBe("invalid-answer");
  });

  test("names that Connect cannot have are left out and never asked for", async () => {
    const { connect } = await asking(
      routes({ "/connectors": json(`{"a\\u0000b":{},"c\\ud800":{},${good}}`) }),
    );
    expect((await connect.listConnectors()).value?.map(({ name }) => name)).toEqual(["good"]);
    expect(failed(await connect.readTopics("c\ud800")).kind).toBe("not-found");
    expect(failed(await connect.readOffsets("a\0b")).kind).toBe("not-found");
  });
});
