import { spawn } from "node:child_process";
import { join } from "node:path";
import type { Lab } from "./lab";
import { isFree } from "./ports";
import type { Log } from "./progress";
import { loginEnvironment } from "./tools";

const checkout = join(import.meta.dirname, "..");
const CHANGES_A_SECOND = 20;

/** The dashboard over a lab, and a writer, until `signal` aborts. The lab is up and stays the caller's. */
export async function demo(lab: Lab, signal: AbortSignal, log: Log): Promise<number> {
  const port = process.env.PORT ?? String(await freePort(3000));
  log("starting the dashboard …");
  const dashboard = spawn(process.execPath, [join(checkout, "dist/tidemark.js"), "start", "--attached"], {
    cwd: checkout,
    // Its standard input ends when we do, however we end: then it ends too.
    stdio: ["pipe", "inherit", "inherit"],
    env: {
      ...process.env,
      PORT: port,
      CLUSTER_NAME: "lab",
      CONNECT_URL: lab.connectUrl,
      KAFKA_BROKERS: lab.brokers.join(","),
      ...loginEnvironment(lab),
    },
  });
  const gone = new Promise<number>((resolve) => {
    dashboard.once("error", () => resolve(1));
    dashboard.once("exit", (code) => resolve(code ?? 1));
  });
  const stop = new AbortController();
  const stopped = AbortSignal.any([signal, stop.signal]);
  const writing = keepWriting(lab, stopped, log);
  signal.addEventListener("abort", () => dashboard.kill("SIGTERM"));
  if (signal.aborted) dashboard.kill("SIGTERM");
  const code = await gone;
  stop.abort();
  await writing;
  return signal.aborted ? 0 : code;
}

/** Writes until stopped; a database that someone crashes for a look is written to again when it is back. */
async function keepWriting(lab: Lab, signal: AbortSignal, log: Log): Promise<void> {
  while (!signal.aborted) {
    try {
      await lab.write({ rate: CHANGES_A_SECOND, signal });
    } catch (error) {
      log(`the writer pauses: ${error instanceof Error ? error.message : String(error)}`);
      await new Promise((resolve) => setTimeout(resolve, 2_000));
    }
  }
}

async function freePort(first: number): Promise<number> {
  for (let port = first; port < first + 100; port++) {
    if (await isFree(port)) return port;
  }
  return first;
}
