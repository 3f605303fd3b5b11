import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Cost } from "./measured";

/** One reader of a topic, run as a process of its own. */
export interface Contender {
  name: string;
  /** Null when it cannot run here. */
  read: ((broker: string, topic: string, events: number, truth?: number) => Promise<Cost> | Cost) | null;
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

function inNode(file: string): Contender["read"] {
  return (broker, topic, events, truth = 0) => {
    const asked = [file, broker, topic, String(events), String(truth)];
    const { status, stdout, stderr } = spawnSync(process.execPath, asked, {
      encoding: "utf8",
      timeout: 600_000,
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

function haveKcat(): boolean {
  return spawnSync("kcat", ["-V"], { stdio: "ignore" }).status === 0;
}

/** @param folder inside the checkout, where the readers' programs are put. */
export async function openContenders(folder: string): Promise<Contender[]> {
  return [
    { name: "tidemark", read: inNode(await bundled("read-tidemark.ts", folder)) },
    { name: "kafkajs", read: inNode(await bundled("read-kafkajs.ts", folder)) },
    { name: "kcat", read: haveKcat() ? readWithKcat : null },
  ];
}

/** Those that look at every record for any duplicate. */
export async function openScanners(folder: string): Promise<Contender[]> {
  return [
    { name: "scan", read: inNode(await bundled("read-scan.ts", folder)) },
    { name: "set", read: inNode(await bundled("read-set.ts", folder)) },
  ];
}
