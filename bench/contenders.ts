import { execFileSync, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Cost } from "./measured";

/** One reader of a topic, run as a process of its own. */
export interface Contender {
  name: string;
  /** Null when it cannot run here. */
  read: ((broker: string, topic: string, events: number) => Promise<Cost> | Cost) | null;
}

function inNode(program: string): Contender["read"] {
  return (broker, topic, events) => {
    const file = fileURLToPath(new URL(program, import.meta.url));
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ["--import", "tsx", file, broker, topic, String(events)],
      { encoding: "utf8", timeout: 600_000 },
    );
    if (status !== 0) throw new Error(`${program} ended with ${status}: ${stderr}`);
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

export const contenders = (): Contender[] => [
  { name: "tidemark", read: inNode("read-tidemark.ts") },
  { name: "kafkajs", read: inNode("read-kafkajs.ts") },
  { name: "kcat", read: haveKcat() ? readWithKcat : null },
];
