import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Cost } from "./measured";
import { sumOf } from "./replays";

/** One reader of a topic, run as a process of its own. */
export interface Contender {
  name: string;
  /** Null when it cannot run here. */
  read: ((broker: string, topic: string, events: number, truth?: number) => Cost) | null;
}

/** As plain JavaScript, the way Tidemark runs: what compiles while it runs would be measured with it. */
export async function bundled(program: string, folder: string): Promise<string> {
  const outfile = join(folder, program.replace(".ts", ".mjs"));
  await build({
    entryPoints: [fileURLToPath(new URL(program, import.meta.url))],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    packages: "external",
    alias: { "@": fileURLToPath(new URL("..", import.meta.url)) },
  });
  return outfile;
}

/** The longest that a reader may take. */
const LONGEST_MS = 3_600_000;

/** @param heap megabytes, for those that remember much */
function inNode(file: string, heap = 4_096): Contender["read"] {
  return (broker, topic, events, truth = 0) => {
    const asked = [`--max-old-space-size=${heap}`, file, broker, topic, String(events), String(truth)];
    const { status, stdout, stderr } = spawnSync(process.execPath, asked, {
      encoding: "utf8",
      timeout: LONGEST_MS,
    });
    if (status !== 0) throw new Error(`${file} ended with ${status}: ${stderr}`);
    return JSON.parse(stdout) as Cost;
  };
}

/** kcat reads and throws away: only its time counts, and it finds nothing. */
function readWithKcat(broker: string, topic: string, events: number): Cost {
  const start = process.hrtime.bigint();
  execFileSync("kcat", ["-C", "-b", broker, "-t", topic, "-p", "0", "-o", "beginning", "-e", "-q"], {
    stdio: "ignore",
    timeout: 600_000,
  });
  const seconds = Number(process.hrtime.bigint() - start) / 1e9;
  return { events, duplicates: 0, seconds, cpuSeconds: 0, memory: 0 };
}

/** What a person types: of each event its transaction, LSN, key and operation, sorted, and those that stand there twice. */
const PIPE = [
  `kcat -C -b "$BROKER" -t "$TOPIC" -p 0 -o beginning -e -q -f '{"key":%k,"value":%s}\\n'`,
  `jq -r '[.value.source.txId, .value.source.lsn, .key.id, .value.op] | @tsv'`,
  "sort",
  "uniq -d",
].join(" | ");

function readWithPipe(broker: string, topic: string, events: number): Cost {
  const start = process.hrtime.bigint();
  const { status, stdout, stderr } = spawnSync("bash", ["-o", "pipefail", "-c", PIPE], {
    encoding: "utf8",
    env: { ...process.env, BROKER: broker, TOPIC: topic },
    maxBuffer: 1 << 30,
    timeout: LONGEST_MS,
  });
  const seconds = Number(process.hrtime.bigint() - start) / 1e9;
  if (status !== 0) throw new Error(`the pipe ended with ${status}: ${stderr}`);
  const lines = stdout.trimEnd().split("\n");
  // It does not tell how many it read.
  return { events, duplicates: lines.length, identities: sumOf(lines), seconds, cpuSeconds: 0, memory: 0 };
}

const have = (program: string) => spawnSync("which", [program], { stdio: "ignore" }).status === 0;

/** @param folder inside the checkout, where the readers' programs are put. */
export async function openContenders(folder: string): Promise<Contender[]> {
  return [
    { name: "tidemark", read: inNode(await bundled("read-tidemark.ts", folder)) },
    { name: "kafkajs", read: inNode(await bundled("read-kafkajs.ts", folder)) },
    { name: "kcat", read: have("kcat") ? readWithKcat : null },
  ];
}

/** Those that look at every record for any duplicate. */
export async function openScanners(folder: string): Promise<Contender[]> {
  return [
    { name: "scan", read: inNode(await bundled("read-scan.ts", folder)) },
    { name: "set", read: inNode(await bundled("read-set.ts", folder)) },
  ];
}

/** Those that find what was produced again: by looking here and there, or at every record. */
export async function openFinders(folder: string): Promise<Contender[]> {
  return [
    { name: "bisection", read: inNode(await bundled("read-bisection.ts", folder)) },
    { name: "pipe", read: have("kcat") && have("jq") ? readWithPipe : null },
    { name: "set", read: inNode(await bundled("read-set.ts", folder), 16_384) },
    { name: "scan", read: inNode(await bundled("read-scan.ts", folder)) },
  ];
}
