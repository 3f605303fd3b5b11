import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openLab } from "@/lab/open-lab";
import { statusOf } from "@/lab/status";
import { readRecord } from "@/lib/debezium/events/read-record";
import type { Content, RecordReading } from "@/lib/debezium/events/record-reading";
import { isJsonObject, type JsonObject, type JsonValue, parseJson, stringifyJson } from "@/lib/debezium/json";
import { openKafka } from "@/lib/kafka/connection";
import type { LogReader } from "@/lib/kafka/log/log-reader";
import { openLogReader } from "@/lib/kafka/log/open-log-reader";
import { openRegistry, type SchemaRegistry } from "@/lib/kafka/registry";

/** A change as it was read, its connector's own marks taken off. */
interface Told {
  key: JsonValue;
  reading: RecordReading;
}

const lab = openLab(mkdtempSync(join(tmpdir(), "lab-avro-")));
const TABLES = ["orders", "order_lines", "customers", "audit_nopk"] as const;
let connection: ReturnType<typeof openKafka>;
let reader: LogReader;
let registry: SchemaRegistry;

beforeAll(async () => {
  await lab.up({ avro: true, mariadb: false });
  connection = openKafka({ name: "lab", connect: { urls: [lab.connectUrl] }, kafka: lab.kafkaSettings() });
  reader = openLogReader(connection);
  registry = openRegistry({ url: lab.registryUrl ?? "" });
  await lab.burst(300);
  await lab.caughtUp(60_000);
});
afterAll(async () => {
  await registry?.close();
  await connection?.close();
  await lab.reset();
});

describe("a connector that writes Avro, read through a real schema registry", () => {
  test.each(TABLES)("%s: each change tells what the JSON of the same change tells", async (table) => {
    const json = changes(await readTopic(`shop.public.${table}`, byJson));
    expect(json.length).toBeGreaterThan(20);
    // The two connectors run side by side.
    await expect
      .poll(async () => changes(await readTopic(`avro.public.${table}`, byRegistry)).length, {
        timeout: 60_000,
      })
      .toBe(json.length);
    const avro = changes(await readTopic(`avro.public.${table}`, byRegistry));
    expect(inOrder(avro)).toEqual(inOrder(json));
    expect(new Set(json.map(({ reading }) => reading.kind === "change" && reading.op)).size).toBe(3);
  });

  test("rows that the snapshot read, with their keys", async () => {
    const rows = (all: Told[]) =>
      all.filter(({ reading }) => reading.kind === "change" && reading.op === "r");
    const json = rows(await readTopic("shop.public.customers", byJson));
    const avro = rows(await readTopic("avro.public.customers", byRegistry));
    expect(avro.map(({ key }) => key)).toEqual(json.map(({ key }) => key));
    expect(avro.every(({ reading }) => reading.kind === "change" && reading.snapshot === "initial")).toBe(
      true,
    );
  });

  test("the transaction topic and heartbeats", async () => {
    const transactions = (await readTopic("avro.transaction", byRegistry)).map(({ reading }) => reading);
    expect(transactions.length).toBeGreaterThan(10);
    expect(transactions.every(({ kind }) => kind === "transaction")).toBe(true);
    const heartbeats = await readTopic("__debezium-heartbeat.avro", byRegistry);
    expect(heartbeats.at(-1)).toMatchObject({ key: { serverName: "avro" }, reading: { kind: "heartbeat" } });
  });

  test("a schema that the registry does not have, and a registry that is down, say so; schemas outlive a restart", async () => {
    const url = lab.registryUrl ?? "";
    const unknown = await registry.schema(999_999);
    expect(unknown.failure).toMatchObject({ kind: "not-found" });
    expect(unknown.failure?.sentence).toContain("could not read schema 999999: ");
    const wrongPath = openRegistry({ url: new URL(url).origin });
    expect((await wrongPath.schema(1)).failure).toMatchObject({ kind: "invalid-answer" });
    const before = await registry.schema(2);
    await lab.crash("registry", { stayDown: true });
    const fresh = openRegistry({ url });
    expect((await fresh.schema(2)).failure).toMatchObject({ kind: "unreachable" });
    // What it knows it goes on reading.
    expect(await registry.schema(2)).toEqual(before);
    await lab.start("registry");
    const after = openRegistry({ url });
    expect(await after.schema(2)).toEqual(before);
    await Promise.all([wrongPath.close(), fresh.close(), after.close()]);
  });

  test("the lab's status has the registry and the connector", async () => {
    const status = await statusOf(lab);
    expect(status?.registryUrl).toBe(lab.registryUrl);
    expect(status?.processes.map(({ name, running }) => ({ name, running }))).toContainEqual({
      name: "registry",
      running: true,
    });
    expect(status?.connectors?.map(({ name }) => name)).toEqual(["orders-avro-cdc", "orders-cdc"]);
  });
});

type Decode = (bytes: Buffer) => Promise<Content>;

const byJson: Decode = async (bytes) => bytes;
const byRegistry: Decode = async (bytes) => {
  const decoded = await registry.decode(bytes);
  if (decoded?.failure) throw new Error(decoded.failure.sentence);
  if (!decoded) throw new Error("not in a registry's form");
  return { decoded: decoded.value };
};

async function readTopic(topic: string, decode: Decode): Promise<Told[]> {
  const { value: topics } = await reader.describe([topic]);
  const described = topics?.get(topic);
  if (!described || !("partitions" in described)) throw new Error(`no topic ${topic}`);
  const told: Told[] = [];
  for (const { partition } of described.partitions) {
    for await (const batch of reader.read({ topic, partition, from: 0, isolation: "read_committed" })) {
      for (const { key, value, headers } of batch.records()) {
        const content = value && (await decode(value));
        const keyContent = key && (await decode(key));
        const reading = readRecord({ key: keyContent, value: content, headers }, { topic });
        told.push({ key: plain(keyContent), reading });
      }
    }
  }
  return told;
}

function plain(content: Content): JsonValue {
  if (content === null) return null;
  return content instanceof Uint8Array ? parseJson(Buffer.from(content).toString()) : content.decoded;
}

/** Changes without reads of snapshots, and without what differs from one connector to the other. */
function changes(all: Told[]): Told[] {
  return all
    .filter(({ reading }) => reading.kind === "change" && reading.op !== "r")
    .map(({ key, reading }) => ({ key, reading: withoutOwn(reading) }));
}

/** Its name, when it handled the event, and the commit before as this connector remembers it. */
function withoutOwn(reading: RecordReading): RecordReading {
  if (reading.kind !== "change") return reading;
  const { name: _, sequence, ...source } = reading.source;
  const lsn = (JSON.parse(String(sequence)) as string[])[1];
  return { ...reading, processedAt: null, source: { ...source, lsnOfSequence: lsn ?? null } };
}

/** The one topic has eight partitions, the other one; and a delete and an insert can share an LSN. */
function inOrder(all: Told[]): Told[] {
  const mark = ({ key, reading }: Told) => `${stringifyJson(key)} ${reading.kind === "change" && reading.op}`;
  return all.toSorted((a, b) => lsnOf(a) - lsnOf(b) || (mark(a) < mark(b) ? -1 : 1));
}

function lsnOf({ reading }: Told): number {
  const source: JsonObject = reading.kind === "change" && isJsonObject(reading.source) ? reading.source : {};
  return Number(source.lsn);
}
