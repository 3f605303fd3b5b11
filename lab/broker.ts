import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { Kafka, logLevel, type SASLOptions } from "kafkajs";
import { brokerProperties } from "./broker-properties";
import { makeCertificate } from "./certificate";
import type { Downloads } from "./downloads";
import { faultWithLog, LabFault, sayError } from "./fault";
import { type KafkaUser, kafkaSettings } from "./login";
import { CHECKOUT, type Places } from "./places";
import { isAlive, launch, logOf, markedEnvironment } from "./processes";
import { until } from "./progress";
import { type LabState, requireState, secretsOf } from "./state";

const LOGGING = `-Dlog4j2.configurationFile=${join(CHECKOUT, "lab", "log4j2.xml")}`;

/** The java program to use: that of `JAVA_HOME`, else of the path. */
export function java(): string {
  return process.env.JAVA_HOME ? join(process.env.JAVA_HOME, "bin", "java") : "java";
}

/** Arguments of a Java program of Kafka's, with this much heap. */
export function javaArguments(downloads: Downloads, heapMb: number, main: string): string[] {
  // One compiler level only: a third less processor time until all is up.
  const heap = [`-Xmx${heapMb}m`, "-Xms64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"];
  return [...heap, "-cp", join(downloads.kafka, "*"), LOGGING, main];
}

/** Starts the broker, formatting its folder before the first time, and waits until it answers. @throws LabFault */
export async function startBroker(places: Places, state: LabState, downloads: Downloads): Promise<void> {
  const folder = join(places.data, "kafka");
  const settings = join(places.run, "broker.properties");
  mkdirSync(folder, { recursive: true });
  if (state.secure) await prepareLogins(places);
  writeFileSync(settings, brokerProperties(places, state), { mode: 0o600 });
  if (!existsSync(join(folder, "meta.properties"))) await format(places, downloads, settings);
  const recorded = await launch(places, "broker", {
    command: java(),
    args: [...javaArguments(downloads, 256, "kafka.Kafka"), settings],
  });
  const log = logOf(places, "broker");
  const admin = kafkaClient(places).admin();
  try {
    await until(
      async () => {
        if (!isAlive(recorded)) throw faultWithLog("The broker ended while it started.", log);
        const cluster = await admin
          .connect()
          .then(() => admin.describeCluster())
          .catch(() => null);
        // Another broker may sit on the port.
        return cluster?.clusterId === clusterIdOf(places) ? true : null;
      },
      90_000,
      () => faultWithLog("The broker does not answer after 90 s.", log),
    );
  } finally {
    await admin.disconnect();
  }
}

/** The id of the lab's Kafka cluster, given when its folder was formatted. */
export function clusterIdOf(places: Places): string | null {
  const file = join(places.data, "kafka", "meta.properties");
  if (!existsSync(file)) return null;
  return /^cluster\.id=(.+)$/m.exec(readFileSync(file, "utf8"))?.[1] ?? null;
}

/** A quiet client of the lab's broker, logged in as `user` where the lab asks for a login. */
export function kafkaClient(places: Places, user: KafkaUser = "admin"): Kafka {
  const { brokers, sasl } = kafkaSettings(places, requireState(places), user);
  return new Kafka({
    clientId: "tidemark-lab",
    brokers,
    ...(sasl ? { sasl: sasl as SASLOptions } : {}),
    logLevel: logLevel.NOTHING,
    connectionTimeout: 3_000,
    requestTimeout: 15_000,
    retry: { retries: 3, initialRetryTime: 100, maxRetryTime: 1_000 },
  });
}

async function prepareLogins(places: Places): Promise<void> {
  if (!secretsOf(places).kafkaAdmin) {
    throw new LabFault(
      "An earlier checkout made this lab, and its broker has no users. Throw it away: npm run lab -- reset",
    );
  }
  await makeCertificate(places);
}

/** Each folder gets the users, so that a lab can have its access control turned on later. */
function scramUsers(places: Places): string[] {
  const { kafkaAdmin, tidemark } = secretsOf(places);
  if (!kafkaAdmin) return [];
  const users = { admin: kafkaAdmin, tidemark };
  return Object.entries(users).flatMap(([name, password]) =>
    ["SCRAM-SHA-512", "SCRAM-SHA-256"].flatMap((mechanism) => [
      "--add-scram",
      `${mechanism}=[name=${name},password=${password}]`,
    ]),
  );
}

async function format(places: Places, downloads: Downloads, settings: string): Promise<void> {
  const id = Buffer.from(crypto.getRandomValues(new Uint8Array(16)))
    .toString("base64url")
    .replace(/^-/, "A");
  const args = [
    ...javaArguments(downloads, 128, "kafka.tools.StorageTool"),
    "format",
    "-t",
    id,
    "-c",
    settings,
    ...scramUsers(places),
  ];
  try {
    await promisify(execFile)(java(), args, { env: markedEnvironment(places), timeout: 60_000 });
  } catch (error) {
    throw new LabFault(`The broker's folder could not be formatted: ${sayError(error)}`);
  }
}
