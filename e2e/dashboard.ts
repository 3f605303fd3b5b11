import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { stringify } from "yaml";
import type { ConnectorView } from "@/lib/views/connector";

const checkout = join(import.meta.dirname, "..");

/** A part of a running dashboard that a test can kill. */
export type Part = "collect" | "web" | "postgres";

/** The dashboard as `tidemark start` runs it: built, with a database of its own. */
export interface Dashboard {
  url: string;
  /** Everything that its processes printed. */
  output(): string;
  /** The answer of one address of its API. @throws when it is not 200 */
  get<T>(path: string): Promise<T>;
  connector(cluster: string, name: string): Promise<ConnectorView>;
  /** Kills one part with SIGKILL. Only processes of this dashboard can be named. */
  kill(part: Part): void;
  /** Stops one part in its tracks with SIGSTOP: alive, and silent. */
  freeze(part: Part): void;
  /** Kills one part with SIGKILL, and again each time it is started, until the function that it returns is called. */
  holdDown(part: Part): () => void;
  pidOf(part: Part): number;
  stop(): Promise<void>;
}

/** Starts the built dashboard on a free port, with these settings, and waits until it answers. */
export async function startDashboard(
  settings: Record<string, unknown>,
  dataDir: string,
  options: { port?: number } = {},
): Promise<Dashboard> {
  mkdirSync(dataDir, { recursive: true });
  const port = options.port ?? (await freePort());
  const file = join(dataDir, "tidemark.yaml");
  writeFileSync(file, stringify({ ...settings, listen: { port }, dataDir }));
  const child = spawn(
    process.execPath,
    [join(checkout, "dist/tidemark.js"), "start", "--attached", "--config", file],
    { cwd: dataDir, stdio: ["pipe", "pipe", "pipe"], env: cleanEnvironment() },
  );
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
  const url = `http://127.0.0.1:${port}`;
  await ready(child, () => output);
  const pidOf = (part: Part) => partPid(part, child.pid ?? 0, dataDir);
  const get = async <T>(path: string): Promise<T> => {
    const answer = await fetch(`${url}${path}`, { signal: AbortSignal.timeout(15_000) });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as T;
  };
  return {
    url,
    output: () => output,
    get,
    connector: (cluster, name) =>
      get(`/api/v1/clusters/${encodeURIComponent(cluster)}/connectors/${encodeURIComponent(name)}`),
    kill: (part) => process.kill(pidOf(part), "SIGKILL"),
    freeze: (part) => process.kill(pidOf(part), "SIGSTOP"),
    holdDown(part) {
      const timer = setInterval(() => {
        try {
          process.kill(pidOf(part), "SIGKILL");
        } catch {
          // It is down.
        }
      }, 50);
      return () => clearInterval(timer);
    },
    pidOf,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      await gone;
    },
  };
}

/** The settings of this machine's user must not reach a test. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const names = ["PATH", "HOME", "LANG", "TMPDIR", "USER"];
  const kept = Object.entries(process.env).filter(([name]) => names.includes(name));
  return { ...Object.fromEntries(kept), NODE_ENV: "production" };
}

async function ready(child: ChildProcess, output: () => string): Promise<void> {
  const until = Date.now() + 90_000;
  while (!output().includes("Tidemark is at")) {
    if (child.exitCode !== null) throw new Error(`tidemark start ended (${child.exitCode}):\n${output()}`);
    if (Date.now() > until) throw new Error(`tidemark start did not get ready:\n${output()}`);
    await sleep(100);
  }
}

function partPid(part: Part, supervisor: number, dataDir: string): number {
  if (part === "postgres") {
    const file = readdirSync(dataDir, { recursive: true })
      .map(String)
      .find((path) => path.endsWith("postmaster.pid"));
    if (!file) throw new Error(`no postmaster.pid under ${dataDir}`);
    const postmaster = Number(readFileSync(join(dataDir, file), "utf8").split("\n")[0]);
    // The file outlives a killed server, and its number may be another's by then.
    if (!commandOf(postmaster).some((word) => word.startsWith(dataDir)))
      throw new Error("postgres does not run");
    return postmaster;
  }
  const pid = readdirSync("/proc")
    .map(Number)
    .find((candidate) => candidate > 0 && isPart(candidate, supervisor, part));
  if (!pid) throw new Error(`${part} does not run`);
  return pid;
}

function isPart(pid: number, supervisor: number, part: Part): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
    return parent === supervisor && commandOf(pid).includes(part);
  } catch {
    return false;
  }
}

function commandOf(pid: number): string[] {
  return readFileSync(`/proc/${pid}/cmdline`, "latin1").split("\0");
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}

/** Asks again and again until `look` gives something else than null. @throws with what was asked for */
export async function eventually<T>(
  what: string,
  timeoutMs: number,
  look: () => Promise<T | null | undefined | false>,
): Promise<T> {
  const until = Date.now() + timeoutMs;
  let last: unknown = null;
  for (;;) {
    try {
      const seen = await look();
      if (seen !== null && seen !== undefined && seen !== false) return seen;
    } catch (error) {
      last = error;
    }
    if (Date.now() > until)
      throw new Error(`not within ${timeoutMs / 1000} s: ${what}${last ? ` (${String(last)})` : ""}`);
    await sleep(200);
  }
}
