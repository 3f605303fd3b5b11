import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { Kafka, logLevel, type SASLOptions } from "kafkajs";
import { brokerProperties } from "./broker-properties";
import { type BrokerPlace, brokerPlace } from "./brokers";
import { makeCertificate } from "./certificate";
import type { Downloads } from "./downloads";
import { faultWithLog, LabFault, sayError } from "./fault";
import { type KafkaUser, kafkaSettings } from "./login";
import { CHECKOUT, type Places } from "./places";
import { isAlive, launch, logOf, markedEnvironment } from "./processes";
import { until } from "./progress";
import { type BrokerName, type LabState, requireState, secretsOf } from "./state";

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

/** Starts a broker, formatting its folder before the first time, and waits until the cluster has it. @throws LabFault */
export async function startBroker(
  places: Places,
  state: LabState,
  downloads: Downloads,
  name: BrokerName,
): Promise<void> {
  const broker = brokerPlace(places, state, name);
  mkdirSync(broker.folder, { recursive: true });
  if (state.secure) await prepareLogins(places);
  writeFileSync(broker.settings, brokerProperties(places, state, broker), { mode: 0o600 });
  if (!existsSync(join(broker.folder, "meta.properties"))) await format(places, downloads, broker);
  const recorded = await launch(places, name, {
    command: java(),
    args: [...javaArguments(downloads, name === "broker" ? 256 : 160, "kafka.Kafka"), broker.settings],
  });
  const log = logOf(places, name);
  await until(
    async () => {
      if (!isAlive(recorded)) throw faultWithLog(`The ${name} ended while it started.`, log);
      return (await isInCluster(places, broker)) ? true : null;
    },
    90_000,
    () => faultWithLog(`The ${name} does not answer after 90 s.`, log),
  );
}

/** Whether it answers at its own address and is one of the lab's cluster: another broker may sit on the port. */
async function isInCluster(places: Places, { node, port }: BrokerPlace): Promise<boolean> {
  // A new client each time: one goes on asking brokers that were there when it first looked.
  const admin = kafkaClient(places, "admin", [`127.0.0.1:${port}`]).admin();
  try {
    await admin.connect();
    const { clusterId, brokers } = await admin.describeCluster();
    return clusterId === clusterIdOf(places) && brokers.some((one) => one.nodeId === node);
  } catch (error) {
    return lacksLeader(error);
  } finally {
    await admin.disconnect();
  }
}

/** For kafkajs an answer that tells of a partition without a leader, since another broker is down, is a failure. */
function lacksLeader(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ("type" in error && error.type === "LEADER_NOT_AVAILABLE") || lacksLeader(error.cause);
}

/** The id of the lab's Kafka cluster, given when its folder was formatted. */
export function clusterIdOf(places: Places): string | null {
  const file = join(places.data, "kafka", "meta.properties");
  if (!existsSync(file)) return null;
  return /^cluster\.id=(.+)$/m.exec(readFileSync(file, "utf8"))?.[1] ?? null;
}

/** A quiet client of the lab's brokers, logged in as `user` where the lab asks for a login. */
export function kafkaClient(places: Places, user: KafkaUser = "admin", addresses?: string[]): Kafka {
  const { brokers, sasl } = kafkaSettings(places, requireState(places), user);
  return new Kafka({
    clientId: "tidemark-lab",
    brokers: addresses ?? brokers,
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

/** The first broker gives the cluster its id and its users; the others wait for that. */
async function format(places: Places, downloads: Downloads, broker: BrokerPlace): Promise<void> {
  const first = broker.node === 1;
  const id = first ? newClusterId() : await until(async () => clusterIdOf(places), 60_000, notFormatted);
  const args = [
    ...javaArguments(downloads, 128, "kafka.tools.StorageTool"),
    "format",
    "-t",
    id,
    "-c",
    broker.settings,
    ...(first ? scramUsers(places) : []),
  ];
  try {
    await promisify(execFile)(java(), args, { env: markedEnvironment(places), timeout: 60_000 });
  } catch (error) {
    throw new LabFault(`The folder of the ${broker.name} could not be formatted: ${sayError(error)}`);
  }
}

const notFormatted = () =>
  new LabFault("The first broker has no cluster after 60 s, so no other can join it.");

function newClusterId(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(16)))
    .toString("base64url")
    .replace(/^-/, "A");
}
