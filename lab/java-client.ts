import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { java } from "./broker";
import { downloadsFolder } from "./downloads";
import { LabFault } from "./fault";
import type { Lab } from "./lab";
import { CHECKOUT } from "./places";
import { markedEnvironment } from "./processes";
import { clientProperties } from "./tools";

/** A record to be written. */
export interface JavaRecord {
  /** Milliseconds since 1970. */
  timestamp: number;
  key: Buffer | null;
  value: Buffer | null;
  /** In this order; a name can occur twice. */
  headers: { name: string; value: Buffer | null }[];
}

/** A producer of Kafka's own client; the first step that names it decides how it is made. */
export interface JavaProducer {
  name: string;
  codec: "none" | "gzip" | "snappy" | "lz4" | "zstd";
  idempotent: boolean;
  /** Null for one without transactions. Two producers of one id fence each other off. */
  transactionalId: string | null;
}

export type JavaStep =
  | { do: "begin" | "commit" | "abort" }
  /** One record batch of one partition, as long as it is under 900 kB. */
  | { do: "batch"; topic: string; partition: number; records: readonly JavaRecord[] };

/** Kafka's own Java client, as a program that writes what it is told. */
export interface JavaClient {
  /** Done when the broker has acknowledged it. @returns the offsets of a batch's records. @throws LabFault */
  run(producer: JavaProducer, step: JavaStep): Promise<number[]>;
  /** Ends the program. A transaction that is open stays so, as after a crash. */
  close(): Promise<void>;
}

const ANSWER_MS = 60_000;

/** Starts the program; it needs a JDK, which compiles it first. Logs in as `admin` where the lab asks for a login. */
export function openJavaClient(lab: Lab): JavaClient {
  const program = join(CHECKOUT, "lab", "java", "Produce.java");
  const jars = join(downloadsFolder(), "kafka", "*");
  const options = ["-Xmx128m", "-XX:TieredStopAtLevel=1", "-Dlog4j2.level=ERROR", "-cp", jars];
  const login = lab.state.secure ? [clientProperties(lab)] : [];
  const child = spawn(java(), [...options, program, lab.brokers.join(","), ...login], {
    stdio: ["pipe", "pipe", "pipe"],
    env: markedEnvironment(lab.places),
  });
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-4_000);
  });
  child.stdin.on("error", () => {});
  const waiting: { resolve(line: string): void; reject(error: Error): void }[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => waiting.shift()?.resolve(line));
  const fail = (why: string) => {
    for (const one of waiting.splice(0)) one.reject(new LabFault(`Kafka's Java client ${why}${hint(said)}`));
  };
  child.once("error", (error) => fail(`could not be started: ${error.message}`));
  child.once("close", (code) => fail(`ended with code ${code}.`));

  function ask(line: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => fail(`did not answer within ${ANSWER_MS / 1_000} s.`), ANSWER_MS);
      const settled = () => clearTimeout(late);
      waiting.push({
        resolve: (answer) => [settled(), resolve(answer)],
        reject: (error) => [settled(), reject(error)],
      });
      if (child.exitCode !== null) fail(`has ended with code ${child.exitCode}.`);
      else child.stdin.write(`${line}\n`);
    });
  }

  return {
    async run({ name, ...producer }, step) {
      const answer = JSON.parse(await ask(JSON.stringify({ producer: name, ...producer, ...encoded(step) })));
      if (answer.error) throw new LabFault(`Kafka's Java client failed: ${answer.error}`);
      return answer.offsets ?? [];
    },
    async close() {
      child.stdin.end();
      if (child.exitCode === null && child.signalCode === null) await once(child, "close");
    },
  };
}

function encoded(step: JavaStep): object {
  if (step.do !== "batch") return step;
  const base64 = (bytes: Buffer | null) => bytes?.toString("base64") ?? null;
  const records = step.records.map(({ timestamp, key, value, headers }) => ({
    timestamp,
    key: base64(key),
    value: base64(value),
    headers: headers.map((header) => [header.name, base64(header.value)]),
  }));
  return { ...step, records };
}

function hint(said: string): string {
  if (!said.includes("jdk.compiler")) return `\n${said.trim()}`;
  return "\nThis Java has no compiler. Get a JDK: sudo apt-get install openjdk-17-jdk-headless (Debian), brew install openjdk (macOS).";
}
