import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import {
  type Behaviour,
  type ConnectDouble,
  drip,
  hang,
  hangInBody,
  json,
  redirect,
  reset,
  startConnectDouble,
  startTcpDouble,
  text,
  truncated,
} from "@/lib/connect/testing/connect-double";
import type { Failure } from "@/lib/observed/observation";
import { openRegistry, type RegistryOptions, type SchemaRegistry } from "./registry";

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
});

async function double(behaviour: Behaviour): Promise<ConnectDouble> {
  const made = await startConnectDouble({ behaviour });
  opened.push(made);
  return made;
}

function registryAt(url: string, options: RegistryOptions = {}, login?: [string, string]): SchemaRegistry {
  const basicAuth = login ? { username: login[0], password: login[1] } : undefined;
  const registry = openRegistry({ url, ...(basicAuth ? { basicAuth } : {}) }, { answerMs: 300, ...options });
  opened.push(registry);
  return registry;
}

async function setUp(behaviour: Behaviour, options: RegistryOptions = {}) {
  const server = await double(behaviour);
  return { server, registry: registryAt(server.url, options) };
}

/** Answers by path; what is not listed is not found, as Confluent's registry says it. */
function paths(answers: Record<string, unknown>): Behaviour {
  return (request, response) => {
    const answer = answers[request.url ?? ""];
    const missing = json({ error_code: 40403, message: "Schema 9 not found" }, 404);
    return (answer === undefined ? missing : json(answer))(request, response);
  };
}

const long = { schema: '"long"' };
const record = Buffer.from([0, 0, 0, 0, 7, 2]);

async function failureOf(registry: SchemaRegistry, id = 7): Promise<Failure> {
  const { failure } = await registry.schema(id);
  if (!failure) throw new Error("there is no failure");
  return failure;
}

describe("a schema by its id", () => {
  test("with its type, under a path prefix, as Confluent's API has it", async () => {
    const answers = { "/apis/ccompat/v7/schemas/ids/7": { ...long, schemaType: "JSON", references: [] } };
    const server = await double(paths(answers));
    const registry = registryAt(`${server.url}/apis/ccompat/v7/`);
    expect(await registry.schema(7)).toEqual({ value: { type: "JSON", schema: '"long"', references: [] } });
  });

  test("without a type it is Avro; it is asked for once, by however many at a time", async () => {
    const { server, registry } = await setUp(paths({ "/schemas/ids/7": long }));
    await Promise.all([registry.schema(7), registry.schema(7)]);
    expect(await registry.schema(7)).toEqual({ value: { type: "AVRO", schema: '"long"', references: [] } });
    expect(server.requests).toEqual(["/schemas/ids/7"]);
  });

  test("logs in with basic authentication, and only then", async () => {
    const seen: (string | undefined)[] = [];
    const server = await double((request, response) => {
      seen.push(request.headers.authorization);
      return json(long)(request, response);
    });
    await registryAt(server.url, {}, ["üser", "p:w"]).schema(1);
    await registryAt(server.url).schema(1);
    expect(seen).toEqual([`Basic ${Buffer.from("üser:p:w").toString("base64")}`, undefined]);
  });

  test("with the schemas it refers to, each behind those it needs itself, each asked for once", async () => {
    const to = (...subjects: string[]) => ({
      references: subjects.map((subject) => ({ name: subject, subject, version: 3 })),
    });
    const { server, registry } = await setUp(
      paths({
        "/schemas/ids/7": { ...long, ...to("a/b", "c") },
        "/subjects/a%2Fb/versions/3": { schema: '"a"', ...to("c") },
        "/subjects/c/versions/3": { schema: '"c"' },
      }),
    );
    expect((await registry.schema(7)).value?.references).toEqual(['"c"', '"a"']);
    expect(server.requests).toHaveLength(3);
  });

  test("references in a circle end, and more than 100 are refused", async () => {
    const circle = { schema: '"c"', references: [{ name: "c", subject: "c", version: 1 }] };
    const { registry, server } = await setUp(
      paths({ "/schemas/ids/7": circle, "/subjects/c/versions/1": circle }),
    );
    expect((await registry.schema(7)).value?.references).toEqual(['"c"']);
    server.set((request, response) => {
      const version = Number(/versions\/(\d+)/.exec(request.url ?? "")?.[1] ?? 0) + 1;
      return json({ schema: '"c"', references: [{ name: "c", subject: "c", version }] })(request, response);
    });
    expect(await failureOf(registry, 8)).toMatchObject({ kind: "too-large" });
  });

  test("keeps the 1,000 used last", async () => {
    const { server, registry } = await setUp(json(long));
    for (let id = 1; id <= 1_000; id++) await registry.schema(id);
    await registry.schema(1);
    await registry.schema(1_001);
    const before = server.requests.length;
    await registry.schema(1);
    expect(server.requests.length).toBe(before);
    await registry.schema(2);
    expect(server.requests.slice(before)).toEqual(["/schemas/ids/2"]);
  });
});

describe("values", () => {
  test("are read with their schema", async () => {
    const { registry } = await setUp(paths({ "/schemas/ids/7": long }));
    expect(await registry.decode(record)).toEqual({ value: 1 });
  });

  test("in another form are left to others, and nothing is asked", async () => {
    const { server, registry } = await setUp(hang);
    expect(await registry.decode(Buffer.from('{"op":"c"}'))).toBeNull();
    expect(server.requests).toEqual([]);
  });

  test("that are not what the schema says are a failure with the schema's id", async () => {
    const { registry } = await setUp(paths({ "/schemas/ids/7": long }));
    expect((await registry.decode(Buffer.from([0, 0, 0, 0, 7])))?.failure).toEqual({
      kind: "invalid-answer",
      sentence: "schema 7: the value is not what its schema says: it ends 1 bytes too early",
      remedy: null,
    });
  });

  test("in Protobuf are not read, and say what is", async () => {
    const { registry } = await setUp(
      paths({ "/schemas/ids/7": { schema: "syntax …", schemaType: "PROTOBUF" } }),
    );
    expect((await registry.decode(record))?.failure).toEqual({
      kind: "not-supported",
      sentence: "schema 7 is PROTOBUF, which is not read",
      remedy: "Let the connector write with AvroConverter or JsonConverter.",
    });
  });

  test("without a registry say what to set", async () => {
    const registry = openRegistry(undefined);
    const failure = {
      kind: "not-configured",
      sentence: "no schema registry is configured for this cluster",
      remedy: "Set schemaRegistry.url for it (SCHEMA_REGISTRY_URL).",
    };
    expect(await registry.decode(record)).toEqual({ failure });
    expect(await registry.schema(1)).toEqual({ failure });
    expect(await registry.decode(Buffer.from("{}"))).toBeNull();
  });
});

describe("failures", () => {
  test.each<[string, Behaviour, Failure["kind"], string]>([
    ["an unknown id", paths({}), "not-found", "could not read schema 7: Schema 9 not found"],
    [
      "another service's 404",
      text("<h1>Not here</h1>", "text/html", 404),
      "invalid-answer",
      "answered, but not as a schema registry (HTTP 404, text/html)",
    ],
    [
      "JSON that is no registry's 404",
      json({ status: 404, path: "/schemas" }, 404),
      "invalid-answer",
      "answered, but not as a schema registry (HTTP 404, application/json)",
    ],
    [
      "a path that the registry does not know",
      json({ error_code: 404, message: "HTTP 404 Not Found" }, 404),
      "invalid-answer",
      "answered, but not as a schema registry (HTTP 404, application/json)",
    ],
    ["HTML", text("<html>", "text/html"), "invalid-answer", "not as a schema registry (HTTP 200, text/html)"],
    ["no JSON", json("{oops"), "invalid-answer", "says it is JSON and is not"],
    ["a list", json([]), "invalid-answer", "not as a schema registry"],
    ["another form", json({ id: 7 }), "invalid-answer", "the answer has not the form of a schema registry's"],
    [
      "references in another form",
      json({ ...long, references: ["a"] }),
      "invalid-answer",
      "could not read the references of a schema",
    ],
    ["a login wanted", text("", "text/plain", 401), "unauthorised", "not authorised (401)"],
    ["a right wanted", json({}, 403), "forbidden", "forbidden (403)"],
    [
      "a failed registry",
      json({ error_code: 50001, message: "store <b>down</b>\nat X" }, 500),
      "server-error",
      "could not read schema 7: the schema registry failed (500): store",
    ],
    ["a redirect", redirect("/login?token=secret"), "redirected", "and redirects are not followed"],
    ["no answer", hang, "timeout", "did not answer within 0.3 s"],
    ["half an answer", hangInBody, "timeout", "did not answer within 0.3 s"],
    ["a slow answer", drip('{"schema":"\\"long\\""}', 60), "timeout", "did not answer within 0.3 s"],
    ["an answer that breaks off", truncated, "unreachable", "broke off the connection"],
    ["a closed connection", reset, "unreachable", "broke off the connection"],
    ["too much", json({ schema: "x".repeat(3_000) }), "too-large", "could not read schema 7: the answer of"],
  ])("%s", async (_, behaviour, kind, sentence) => {
    const { registry } = await setUp(behaviour, { maxBytes: 2_048 });
    const failure = await failureOf(registry);
    expect(failure.kind).toBe(kind);
    expect(failure.sentence).toContain(sentence);
    expect(JSON.stringify(failure)).not.toMatch(/secret|<|\n/);
    expect((await registry.decode(record))?.failure).toEqual(failure);
  });

  test("a redirect is not followed", async () => {
    const { server, registry } = await setUp(redirect("/schemas/ids/8"));
    await registry.schema(7);
    expect(server.requests).toEqual(["/schemas/ids/7"]);
  });

  test("nothing listens, no such host, no HTTP, no TLS", async () => {
    const tcp = await startTcpDouble("SSH-2.0-x\r\n\r\n");
    opened.push(tcp);
    const gone = await startTcpDouble("");
    await gone.close();
    const cases: [string, string][] = [
      [gone.url, "refused the connection"],
      ["http://no-such-host.invalid", "has a host name that does not exist"],
      [tcp.url, "answered, but not in HTTP"],
      [tcp.url.replace("http:", "https:"), "does not speak TLS"],
    ];
    for (const [url, sentence] of cases) {
      const failure = await failureOf(registryAt(url, { answerMs: 5_000 }));
      expect(failure).toMatchObject({ kind: "unreachable", sentence: expect.stringContaining(sentence) });
      expect(failure.remedy).toContain("schemaRegistry.url");
    }
  });

  test("a certificate that is not trusted", async () => {
    const folder = join(import.meta.dirname, "../connect/testing/tls");
    const tls = {
      key: readFileSync(join(folder, "server-key.pem"), "utf8"),
      cert: readFileSync(join(folder, "server.pem"), "utf8"),
    };
    const server = await startConnectDouble({ behaviour: json(long), tls });
    opened.push(server);
    const failure = await failureOf(registryAt(server.url, { answerMs: 5_000 }));
    expect(failure.sentence).toContain("that is not trusted");
    expect(failure.remedy).toContain("NODE_EXTRA_CA_CERTS");
  });

  test("of one id is remembered for a while, not asked for with each record", async () => {
    let at = 0;
    const { server, registry } = await setUp(paths({ "/schemas/ids/8": long }), {
      failureMs: 1_000,
      now: () => at,
    });
    for (let one = 0; one < 50; one++) await registry.decode(record);
    expect(server.requests).toEqual(["/schemas/ids/7"]);
    expect((await registry.schema(8)).failure).toBeUndefined();
    server.set(paths({ "/schemas/ids/7": long }));
    at = 999;
    expect((await failureOf(registry)).kind).toBe("not-found");
    at = 1_000;
    expect(await registry.decode(record)).toEqual({ value: 1 });
  });

  test("a connection that was closed meanwhile is opened again", async () => {
    const { server, registry } = await setUp(json(long));
    await registry.schema(1);
    const port = Number(new URL(server.url).port);
    await server.close();
    opened.splice(opened.indexOf(server), 1);
    opened.unshift(await startConnectDouble({ behaviour: json(long), port }));
    expect((await registry.schema(2)).failure).toBeUndefined();
  });
});
