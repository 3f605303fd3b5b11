import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { Kafka, logLevel } from "kafkajs";
import type { Downloads } from "./downloads";
import { faultWithLog, LabFault, sayError } from "./fault";
import { CHECKOUT, type Places } from "./places";
import type { LabPorts } from "./ports";
import { isAlive, launch, logOf, markedEnvironment } from "./processes";
import { until } from "./progress";

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
export async function startBroker(places: Places, ports: LabPorts, downloads: Downloads): Promise<void> {
  const folder = join(places.data, "kafka");
  const settings = join(places.run, "broker.properties");
  mkdirSync(folder, { recursive: true });
  writeFileSync(settings, brokerProperties(ports, folder));
  if (!existsSync(join(folder, "meta.properties"))) await format(places, downloads, settings);
  const recorded = await launch(places, "broker", {
    command: java(),
    args: [...javaArguments(downloads, 256, "kafka.Kafka"), settings],
  });
  const log = logOf(places, "broker");
  const admin = kafkaClient(ports).admin();
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

/** A quiet client of the lab's broker. */
export function kafkaClient(ports: LabPorts): Kafka {
  return new Kafka({
    clientId: "tidemark-lab",
    brokers: [`127.0.0.1:${ports.kafka}`],
    logLevel: logLevel.NOTHING,
    connectionTimeout: 3_000,
    requestTimeout: 15_000,
    retry: { retries: 3, initialRetryTime: 100, maxRetryTime: 1_000 },
  });
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
  ];
  try {
    await promisify(execFile)(java(), args, { env: markedEnvironment(places), timeout: 60_000 });
  } catch (error) {
    throw new LabFault(`The broker's folder could not be formatted: ${sayError(error)}`);
  }
}

function brokerProperties(ports: LabPorts, folder: string): string {
  return `process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:${ports.controller}
listeners=PLAINTEXT://127.0.0.1:${ports.kafka},CONTROLLER://127.0.0.1:${ports.controller}
advertised.listeners=PLAINTEXT://127.0.0.1:${ports.kafka}
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
log.dirs=${folder}
num.partitions=1
default.replication.factor=1
offsets.topic.replication.factor=1
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=4
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
group.initial.rebalance.delay.ms=0
log.retention.check.interval.ms=5000
log.cleaner.backoff.ms=5000
# With the usual 128 MB the broker does not start in a heap this small.
log.cleaner.dedupe.buffer.size=8388608
`;
}
