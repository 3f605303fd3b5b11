import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ClusterSettings } from "@/lib/config/settings";
import { openKafka } from "@/lib/kafka/connection";
import { describeCluster } from "@/lib/kafka/describe-cluster";
import { describeHistoryTopic } from "@/lib/kafka/history-topic";
import { openLogReader } from "@/lib/kafka/log/open-log-reader";
import { READ_ONLY } from "./access";
import { createTopic } from "./create-topic";
import type { KafkaSettings } from "./login";
import { openLab } from "./open-lab";
import { statusOf } from "./status";
import { toolEnvironment } from "./tools";

const lab = openLab(mkdtempSync(join(tmpdir(), "lab-secure-")));
const TOPIC = "secure-lab.notes";

/** What Tidemark's own connection makes of one look. */
async function look<T>(
  kafka: KafkaSettings,
  ask: (connection: ReturnType<typeof openKafka>) => Promise<T>,
): Promise<T> {
  const cluster: ClusterSettings = { name: "lab", connect: { urls: [lab.connectUrl] }, kafka };
  const connection = openKafka(cluster);
  try {
    return await ask(connection);
  } finally {
    await connection.close();
  }
}

const describeNotes = (kafka = lab.kafkaSettings()) => look(kafka, (k) => describeHistoryTopic(k, TOPIC));

beforeAll(async () => {
  await lab.up({ secure: true, only: "broker" });
  const admin = lab.kafka().admin();
  await admin.connect();
  await createTopic(admin, { topic: TOPIC, numPartitions: 1, replicationFactor: 1 });
  await admin.disconnect();
});
afterAll(() => lab.reset());

describe("a lab with access control", () => {
  test.each(["scram-sha-512", "scram-sha-256", "plain"] as const)(
    "Tidemark logs in by %s",
    async (mechanism) => {
      for (const tls of [false, true]) {
        const settings = lab.kafkaSettings("tidemark", { mechanism, tls });
        expect(settings.sasl).toMatchObject({ mechanism, username: "tidemark" });
        expect((await describeNotes(settings)).value).toMatchObject({
          exists: true,
          partitions: 1,
          failures: [],
        });
      }
    },
  );

  test("a wrong password is refused, and a login is asked for", async () => {
    const { sasl, ...open } = lab.kafkaSettings();
    if (!sasl) throw new Error("the lab asks for no login");
    for (const mechanism of ["scram-sha-512", "plain"] as const) {
      const wrong = { ...open, sasl: { ...sasl, mechanism, password: "guessed" } };
      expect((await look(wrong, describeCluster)).failure).toMatchObject({ kind: "unauthorised" });
    }
    expect((await look(open, describeCluster)).failure).toMatchObject({ kind: "unreachable" });
  });

  test("TLS: the certificate is not trusted without its file, nor the port without TLS", async () => {
    const settings = lab.kafkaSettings("tidemark", { tls: true });
    const untrusted = await look({ ...settings, tls: true }, describeCluster);
    expect(untrusted.failure?.sentence).toContain("certificate is self-signed: set kafka.tls.ca");
    const plain = await look({ ...settings, tls: false }, describeCluster);
    expect(plain.failure).toMatchObject({ kind: "unreachable" });
  });

  test("tidemark sees what it was granted, is refused without the right, and sees again after the grant", async () => {
    expect((await describeNotes()).value?.failures).toEqual([]);
    await lab.revoke(READ_ONLY);
    await expect(asTidemark((admin) => admin.fetchTopicOffsets(TOPIC))).rejects.toMatchObject({
      type: "TOPIC_AUTHORIZATION_FAILED",
    });
    // A topic that may not be seen looks like one that is not there.
    expect(await asTidemark((admin) => admin.listTopics())).toEqual([]);
    const refused = await describeNotes();
    expect(refused.failure ?? refused.value?.failures[0]?.failure).toMatchObject({ kind: "forbidden" });
    await lab.grant(READ_ONLY);
    expect(await asTidemark((admin) => admin.listTopics())).toContain(TOPIC);
    expect((await describeNotes()).value).toMatchObject({ exists: true, failures: [] });
  });

  test("the log reader is told of a right that was taken away, and reads on when it is back", async () => {
    const producer = lab.kafka().producer({ allowAutoTopicCreation: false });
    await producer.connect();
    await producer.send({ topic: TOPIC, messages: [{ value: "a" }, { value: "b" }] });
    await producer.disconnect();
    const at = { topic: TOPIC, partition: 0 };
    const read = { operation: "READ", topic: "*" } as const;
    await look(lab.kafkaSettings(), async (connection) => {
      const reader = openLogReader(connection);
      const newest = async () => (await reader.newest(at, "read_committed"))?.value?.toString();
      expect(await newest()).toBe("b");
      // Describe is enough for the ends, records need Read.
      await lab.revoke([read]);
      await expect(newest()).rejects.toMatchObject({ at, failure: { kind: "forbidden" } });
      expect(await reader.ends([at], "latest")).toEqual([2]);
      await lab.revoke(READ_ONLY);
      expect(await reader.ends([at], "latest")).toMatchObject([{ kind: "forbidden" }]);
      await lab.grant(READ_ONLY);
      expect(await reader.ends([at], "latest")).toEqual([2]);
      expect(await newest()).toBe("b");
    });
  });

  test("tidemark may not write, create or delete", async () => {
    const producer = lab.kafka("tidemark").producer({ allowAutoTopicCreation: false });
    await producer.connect();
    const sent = producer.send({ topic: TOPIC, messages: [{ value: "x" }] });
    await expect(sent).rejects.toMatchObject({ type: "TOPIC_AUTHORIZATION_FAILED" });
    await producer.disconnect();
    const topics = [{ topic: "secure-lab.other", numPartitions: 1, replicationFactor: 1 }];
    await expect(asTidemark((admin) => admin.createTopics({ topics }))).rejects.toThrow();
    await expect(asTidemark((admin) => admin.deleteTopics({ topics: [TOPIC] }))).rejects.toThrow();
    expect(await asTidemark((admin) => admin.listTopics())).toEqual([TOPIC]);
  });

  test("commands that a page shows log in as admin, and the environment has the login of tidemark", () => {
    const environment = toolEnvironment(lab);
    expect(environment).toMatchObject({
      USER_OF_TIDEMARK: "tidemark",
      KAFKA_SASL_MECHANISM: "scram-sha-512",
      KAFKA_SASL_PASSWORD: lab.kafkaSettings().sasl?.password,
    });
    const listed = execFileSync("sh", ["-c", 'kafka-acls.sh --bootstrap-server "$BROKERS" --list'], {
      env: { ...process.env, ...environment },
      encoding: "utf8",
      timeout: 60_000,
    });
    expect(listed).toContain("principal=User:tidemark, host=*, operation=READ, permissionType=ALLOW");
  });

  test("passwords lie in files for the owner's eyes only, and the status says what there is", async () => {
    const password = lab.kafkaSettings().sasl?.password ?? "";
    expect(readFileSync(lab.places.secrets, "utf8")).toContain(`tidemark=${password}`);
    for (const name of ["broker.properties", "admin.properties", "secrets.properties"])
      expect(statSync(join(lab.places.run, name)).mode & 0o077).toBe(0);
    expect(await statusOf(lab)).toMatchObject({
      secure: true,
      brokerOnly: true,
      processes: [{ name: "broker", running: true }],
    });
  });
});

async function asTidemark<T>(
  ask: (admin: ReturnType<ReturnType<typeof lab.kafka>["admin"]>) => Promise<T>,
): Promise<T> {
  const admin = lab.kafka("tidemark").admin();
  await admin.connect();
  try {
    return await ask(admin);
  } finally {
    await admin.disconnect();
  }
}
