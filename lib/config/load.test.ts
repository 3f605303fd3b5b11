import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Loaded, loadSettings } from "./load";
import { SettingsError, type SettingsFault } from "./settings-error";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-settings-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(text: string, name = "tidemark.yaml"): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

const load = (env: Record<string, string> = {}, file?: string): Loaded => loadSettings({ file, env, folder });

function faults(env: Record<string, string> = {}, file?: string): readonly SettingsFault[] {
  try {
    load(env, file);
  } catch (error) {
    if (error instanceof SettingsError) return error.faults;
    throw error;
  }
  throw new Error("the settings were taken");
}

const places = (env: Record<string, string> = {}) => faults(env).map((fault) => fault.place);

const one = `clusters:
  - name: production
    connect:
      urls: [http://c1:8083]
    kafka:
      brokers: [k1:9092]
`;
const two = `${one}  - name: staging
    connect: { urls: [http://c2:8083] }
`;

describe("where settings come from", () => {
  test("nothing at all: defaults, and no cluster", () => {
    const { settings, file } = load();
    expect(file).toBeNull();
    expect(settings.clusters).toEqual([]);
    expect(settings.listen).toEqual({ host: "127.0.0.1", port: 3000 });
    expect(settings.poll.topics).toBe(30);
  });

  test("tidemark.yaml in the folder, before it TIDEMARK_CONFIG, before that the named one", () => {
    expect(load().file).toBeNull();
    write(one);
    expect(load().settings.clusters[0]?.name).toBe("production");
    write(one.replace("production", "second"), "second.yaml");
    expect(load({ TIDEMARK_CONFIG: "second.yaml" }).settings.clusters[0]?.name).toBe("second");
    write(one.replace("production", "third"), "third.yaml");
    expect(load({ TIDEMARK_CONFIG: "second.yaml" }, "third.yaml").settings.clusters[0]?.name).toBe("third");
  });

  test("a named file that is not there is a fault, an empty one is not", () => {
    expect(faults({ TIDEMARK_CONFIG: "absent.yaml" })).toEqual([
      { place: join(folder, "absent.yaml"), problem: "cannot be read (there is no such file)", right: null },
    ]);
    write("");
    expect(load().settings.clusters).toEqual([]);
  });

  test("two variables make one cluster", () => {
    const { settings } = load({
      CONNECT_URL: "http://a:8083, http://b:8083/",
      KAFKA_BROKERS: "k1:9092,k2:9092",
    });
    expect(settings.clusters).toEqual([
      {
        name: "default",
        connect: { urls: ["http://a:8083", "http://b:8083/"] },
        kafka: { brokers: ["k1:9092", "k2:9092"], tls: false },
      },
    ]);
  });

  test("the environment wins over the one cluster of the file and leaves the rest of it", () => {
    write(one);
    const [cluster] = load({ KAFKA_BROKERS: "other:9092", KAFKA_TLS: "true", CLUSTER_NAME: "renamed" })
      .settings.clusters;
    expect(cluster).toEqual({
      name: "renamed",
      connect: { urls: ["http://c1:8083"] },
      kafka: { brokers: ["other:9092"], tls: true },
    });
  });

  test("with several clusters in the file it is not clear which is meant", () => {
    write(two);
    expect(faults({ KAFKA_BROKERS: "other:9092", PORT: "4000" })).toEqual([
      {
        place: "environment variable KAFKA_BROKERS",
        problem: "is set, but the file names 2 clusters, so it is not clear which one is meant",
        right: `\${env:KAFKA_BROKERS} in the file, at the cluster that is meant`,
      },
    ]);
  });

  test("an empty variable counts as not set; numbers and booleans come as text", () => {
    const { settings } = load({
      PORT: "4000",
      HOST: "",
      POLL_OFFSETS_SECONDS: "2.5",
      CONNECT_URL: "http://a:8083",
      KAFKA_BROKERS: "k:9092",
      KAFKA_TLS: "false",
      KAFKA_SASL_MECHANISM: "SCRAM-SHA-256",
      KAFKA_SASL_USERNAME: "u",
      KAFKA_SASL_PASSWORD: "p",
    });
    expect(settings.listen).toEqual({ host: "127.0.0.1", port: 4000 });
    expect(settings.poll.offsets).toBe(2.5);
    expect(settings.clusters[0]?.kafka?.tls).toBe(false);
    expect(settings.clusters[0]?.kafka?.sasl?.mechanism).toBe("scram-sha-256");
  });

  test("KAFKA_TLS_CA_FILE turns TLS on beside KAFKA_TLS=true, and contradicts KAFKA_TLS=false", () => {
    const ca = write("pem", "ca.pem");
    const env = { CONNECT_URL: "http://a:8083", KAFKA_BROKERS: "k:9092", KAFKA_TLS_CA_FILE: ca };
    expect(load({ ...env, KAFKA_TLS: "true" }).settings.clusters[0]?.kafka?.tls).toEqual({
      ca,
      rejectUnauthorized: true,
    });
    expect(places({ ...env, KAFKA_TLS: "false" })).toEqual(["environment variable KAFKA_TLS_CA_FILE"]);
  });
});

describe("limits of replay windows", () => {
  test("from the file, for a cluster and a connector too; from the environment for all", () => {
    write(`${one}    replay: { events: 0 }
    connectors:
      eu.orders: { replay: { seconds: "\${env:ORDERS_SECONDS}", bytes: null } }
checks: { replay: { bytes: 5 } }
`);
    const { settings } = load({
      CHECK_REPLAY_EVENTS: "0",
      CHECK_REPLAY_SECONDS: "2.5",
      ORDERS_SECONDS: "900",
    });
    expect(settings.checks.replay).toEqual({ events: 0, bytes: 5, seconds: 2.5 });
    expect(settings.clusters[0]).toMatchObject({
      replay: { events: 0 },
      connectors: { "eu.orders": { replay: { seconds: 900, bytes: null } } },
    });
  });

  test("every fault is told with its place, below a connector's name too", () => {
    write(`${one}    replay: 5
    connectors:
      orders: { replay: { events: 1.5, byte: 1, seconds: -1 } }
      audit: { limits: {} }
      empty:
checks: { replay: { events: many } }
poll: { replayWindow: 0 }
`);
    const lines = new SettingsError(faults()).message.split("\n").slice(1);
    const number = "a whole number of events, or 0 for no limit";
    expect(lines).toEqual([
      "- tidemark.yaml:13:9 poll.replayWindow: is the number 0, which is too small; right would be a number of seconds from 0.1 to 86400",
      `- tidemark.yaml:12:21 checks.replay.events: is the text "many"; right would be ${number}`,
      "- tidemark.yaml:7:5 clusters[0].replay: is a number; right would be a map of events, bytes and seconds",
      `- tidemark.yaml:9:27 clusters[0].connectors.orders.replay.events: is the number 1.5; right would be ${number}`,
      "- tidemark.yaml:9:49 clusters[0].connectors.orders.replay.seconds: is the number -1, which is too small; right would be a number of seconds, or 0 for no limit",
      "- tidemark.yaml:9:40 clusters[0].connectors.orders.replay.byte: there is no such setting; did you mean bytes?",
      "- tidemark.yaml:10:16 clusters[0].connectors.audit.limits: there is no such setting; right would be one of replay",
      "- tidemark.yaml:11:7 clusters[0].connectors.empty: is empty; right would be a map with replay",
    ]);
  });
});

describe("secrets", () => {
  test("from a file named by *_FILE, its line end taken off", () => {
    const secret = write("s3cret \n", "secret");
    const env = { CONNECT_URL: "http://a:8083", CONNECT_USERNAME: "u", CONNECT_PASSWORD_FILE: secret };
    expect(load(env).settings.clusters[0]?.connect.basicAuth?.password).toBe("s3cret ");
  });

  test("both forms are a fault; so is a file that cannot be read, told once", () => {
    const env = { CONNECT_URL: "http://a:8083", CONNECT_USERNAME: "u" };
    expect(places({ ...env, CONNECT_PASSWORD: "x", CONNECT_PASSWORD_FILE: "/y" })[0]).toBe(
      "environment variables CONNECT_PASSWORD and CONNECT_PASSWORD_FILE",
    );
    expect(faults({ ...env, CONNECT_PASSWORD_FILE: "/no/such" })).toEqual([
      {
        place: "environment variable CONNECT_PASSWORD_FILE",
        problem: "refers to the file /no/such, which cannot be read (there is no such file)",
        right: null,
      },
    ]);
  });

  test("references in the file, whole or in part, for numbers too; $${ is literal", () => {
    const secret = write("from-file\n", "secret");
    write(`listen: { port: "\${env:MY_PORT}" }
databaseUrl: postgresql://u:\${env:PW}@h/db
clusters:
  - name: a
    connect:
      urls: [http://c1:8083]
      basicAuth: { username: "$\${u}", password: "\${file:${secret}}" }
`);
    const { settings } = load({ MY_PORT: "4000", PW: "pw" });
    expect(settings.listen.port).toBe(4000);
    expect(settings.databaseUrl).toBe("postgresql://u:pw@h/db");
    expect(settings.clusters[0]?.connect.basicAuth).toEqual({ username: `\${u}`, password: "from-file" });
  });

  test("a reference to nothing is a fault with its place", () => {
    write(`databaseUrl: \${env:ABSENT}\ndataDir: \${file:/no/such}\nlisten:\n  host: \${sys:x}\n`);
    expect(faults()).toEqual([
      {
        place: "tidemark.yaml:1:1 databaseUrl",
        problem: "refers to the environment variable ABSENT, which is not set",
        right: null,
      },
      {
        place: "tidemark.yaml:2:1 dataDir",
        problem: "refers to the file /no/such, which cannot be read (there is no such file)",
        right: null,
      },
      {
        place: "tidemark.yaml:4:3 listen.host",
        problem: `has a \${…} that is no reference`,
        right: `\${env:NAME} or \${file:/path}; a literal \${ is written $\${`,
      },
    ]);
  });

  test("no fault repeats one, wherever it stands", () => {
    const file = write("SECRET7\nSECRET7", "secret");
    write(`databaseUrl: mysql://u:SECRET1@h
listen: { port: "\${env:PW}" }
clusters:
  - name: "\${file:${file}}"
    connect:
      urls: ["http://u:SECRET2@c1:8083", "ftp://x/?token=SECRET3"]
      basicAuth: { username: u, password: [SECRET4] }
    kafka:
      brokers: ["u:SECRET5@k1:9092"]
      sasl: { mechanism: plain, username: u, password: 77712345 }
`);
    const text = new SettingsError(faults({ PW: "SECRET6" })).message;
    expect(text).not.toMatch(/SECRET|77712345/);
    expect(faults({ PW: "SECRET6" })).toHaveLength(8);
    expect(text).toContain(
      "holds a user name or password: they belong into basicAuth (username, password), not into the address",
    );
    expect(text).toContain("they belong into kafka.sasl");
  });

  test("nor does one of a text where a map belongs", () => {
    write(`listen: SECRET0
poll: SECRET1
clusters:
  - name: a
    connect: { urls: [http://c1:8083], basicAuth: "u:SECRET2", tls: "SECRET3" }
    kafka: { brokers: [k1:9092], sasl: "plain u SECRET4", tls: "SECRET5" }
    schemaRegistry: SECRET6
  - SECRET7
`);
    const found = faults();
    expect(JSON.stringify(found)).not.toMatch(/SECRET/);
    expect(found.map(({ problem }) => problem)).toEqual(Array(8).fill("is a text that does not fit"));
  });

  test("only from regular files of at most 64 kB", () => {
    const fifo = join(folder, "fifo");
    execFileSync("mkfifo", [fifo]);
    const large = write("x".repeat(65_537), "large");
    for (const [file, why] of [
      ["/dev/zero", "is no regular file"],
      [fifo, "is no regular file"],
      [large, "is larger than 64 kB"],
      [folder, "cannot be read (it is a folder)"],
    ]) {
      write(`dataDir: "\${file:${file}}"\n`);
      expect(faults()[0]?.problem).toBe(`refers to the file ${file}, which ${why}`);
    }
  });

  test("nor does a fault of YAML itself", () => {
    write(`databaseUrl: "SECRET1\nclusters: [\n  SECRET2: SECRET3: *SECRET4\n`);
    const text = new SettingsError(faults()).message;
    expect(text).not.toMatch(/SECRET/);
    expect(text).toMatch(/tidemark\.yaml:\d+:\d+: is not YAML: /);
  });
});

describe("faults", () => {
  test("every one at once, each with its place and what would be right", () => {
    write(`listen:
  prot: 80
clusters:
  - name: my cluster
    connect:
      url: http://c1:8083
    kafka:
      brokers:
        - k1:9092
        - PLAINTEXT://k2:9092
        - k3
      tls: maybe
      sasl: { mechanism: gssapi, username: 5, password: x }
    groupID: x
  - name: b
    connect: { urls: [] }
  - name: b
    connect: { urls: [http://c:1] , tls: { cert: /no/such.pem } }
poll: { topics: 0 }
colour: red
`);
    const lines = new SettingsError(faults({ PORT: "http" })).message.split("\n").slice(1);
    expect(lines).toEqual([
      '- environment variable PORT: is the text "http"; right would be a whole number from 1 to 65535',
      "- tidemark.yaml:2:3 listen.prot: there is no such setting; did you mean port?",
      "- tidemark.yaml:19:9 poll.topics: is the number 0, which is too small; right would be a number of seconds from 0.1 to 86400",
      '- tidemark.yaml:4:5 clusters[0].name: is the text "my cluster"; right would be up to 63 letters, digits, dots, dashes or underscores, the first a letter or digit',
      "- tidemark.yaml:6:7 clusters[0].connect.urls: is missing; right would be a list of addresses such as [http://connect-1:8083]",
      "- tidemark.yaml:6:7 clusters[0].connect.url: there is no such setting; did you mean urls?",
      "- tidemark.yaml:10:11 clusters[0].kafka.brokers[1]: has a scheme: a broker is host:port only; TLS and SASL have settings of their own; right would be host:port, such as broker-1:9092",
      "- tidemark.yaml:11:11 clusters[0].kafka.brokers[2]: is not host:port; right would be host:port, such as broker-1:9092",
      "- tidemark.yaml:12:7 clusters[0].kafka.tls: is a text that does not fit; right would be true, false, or a map of ca, cert, key and rejectUnauthorized",
      '- tidemark.yaml:13:15 clusters[0].kafka.sasl.mechanism: is the text "gssapi"; right would be plain, scram-sha-256 or scram-sha-512',
      "- tidemark.yaml:13:34 clusters[0].kafka.sasl.username: is the number 5; right would be the same in quotes",
      "- tidemark.yaml:14:5 clusters[0].groupID: there is no such setting; did you mean groupId?",
      "- tidemark.yaml:16:16 clusters[1].connect.urls: is empty; right would be a list of addresses such as [http://connect-1:8083]",
      "- tidemark.yaml:18:42 clusters[2].connect.tls.key: is missing: mutual TLS takes cert and key together; right would be the path of a PEM file",
      "- tidemark.yaml:20:1 colour: there is no such setting; right would be one of listen, dataDir, databaseUrl, poll, checks, scan, clusters",
      '- tidemark.yaml:17:5 clusters[2].name: is "b", as is clusters[1].name; right would be a name that no other cluster has',
      "- tidemark.yaml:18:44 clusters[2].connect.tls.cert: names the file /no/such.pem, which cannot be read (there is no such file); right would be the path of a PEM file",
    ]);
  });

  test("what the environment began and did not finish is told by the variable's name", () => {
    expect(places({ KAFKA_BROKERS: "k:9092" })).toEqual(["environment variable CONNECT_URL"]);
    expect(places({ CONNECT_URL: "http://a:8083", CONNECT_PASSWORD: "x" })).toEqual([
      "environment variable CONNECT_USERNAME",
    ]);
    write(one);
    expect(places({ KAFKA_SASL_USERNAME: "u" })).toEqual([
      "environment variable KAFKA_SASL_MECHANISM",
      "environment variable KAFKA_SASL_PASSWORD",
    ]);
  });

  test("of a comma list: which entry", () => {
    expect(places({ CONNECT_URL: "http://a:8083,b:8083", KAFKA_BROKERS: "k1:9092,k2,k3:0" })).toEqual([
      "environment variable CONNECT_URL, entry 2",
      "environment variable KAFKA_BROKERS, entry 2",
      "environment variable KAFKA_BROKERS, entry 3",
    ]);
  });

  test("a broken file hides no fault of the environment", () => {
    write("clusters: [\n");
    const found = places({ PORT: "x", KAFKA_BROKERS: "k" });
    expect(found[0]).toMatch(/^tidemark\.yaml:\d+:\d+$/);
    expect(found).toContain("environment variable PORT");
  });

  test("a list, a text and a key given twice are no map of settings", () => {
    write("- a\n");
    expect(places()).toEqual(["tidemark.yaml:1:1"]);
    write("dataDir: a\ndataDir: b\n");
    expect(faults()).toEqual([
      { place: "tidemark.yaml:2:1", problem: "is not YAML: Map keys must be unique", right: null },
    ]);
  });

  test("an alias to what it stands in is refused", () => {
    for (const text of ["listen: &l\n  host: *l\n", "clusters: &c [*c]\n", "&r\nlisten: *r\n"]) {
      write(text);
      expect(faults()[0]?.problem).toMatch(/alias|not YAML/);
    }
  });

  test("aliases that multiply are refused", () => {
    const levels = Array.from({ length: 9 }, (_, i) => `l${i + 1}: &l${i + 1} [${`*l${i},`.repeat(9)}]`);
    write(`l0: &l0 [x]\n${levels.join("\n")}\n`);
    expect(faults()[0]?.problem).toBe("has an alias that cannot be followed");
  });
});
