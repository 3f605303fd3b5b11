// npm run demo: a real pipeline on this machine and the dashboard over it, until Ctrl-C.
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { build, installPackages, needNode, root, say } from "./install.mjs";

needNode();
installPackages();
build();

const children = [];
let stopping = false;

/** Starts a child whose standard input is a pipe of ours: when we are killed it sees the end of it and ends too. */
function start(args, env = {}) {
  const child = spawn(process.execPath, args, {
    cwd: root,
    stdio: ["pipe", "inherit", "inherit"],
    env: { ...process.env, ...env },
  });
  children.push(child);
  child.on("exit", (code) => {
    if (!stopping) stopAll(code || 1);
  });
  return child;
}

async function stopAll(code) {
  if (stopping) return;
  stopping = true;
  // The dashboard first: it would report a pipeline that goes away under it.
  for (const child of [...children].reverse()) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill("SIGTERM");
    await new Promise((resolve) => child.once("exit", resolve));
  }
  process.exit(code);
}
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => stopAll(0));

const labDir = process.env.TIDEMARK_LAB_DIR ?? join(root, ".lab");
const stateFile = join(labDir, "run", "state.json");

say("starting the lab: Kafka, Kafka Connect, Debezium, PostgreSQL, MariaDB");
start(["scripts/lab.mjs", "up", "--attached", "--write", "20"], { TIDEMARK_LAB_DIR: labDir });
const state = await untilReady(stateFile);

say("starting the dashboard");
start(["dist/tidemark.js", "start"], {
  CLUSTER_NAME: "lab",
  CONNECT_URL: state.connectUrl,
  KAFKA_BROKERS: state.brokers,
  DATA_DIR: process.env.DATA_DIR ?? join(root, "data"),
});

/** The lab writes `ready` into its state file when both connectors run. */
async function untilReady(file) {
  for (;;) {
    if (existsSync(file)) {
      try {
        const state = JSON.parse(readFileSync(file, "utf8"));
        if (state.ready) return state;
      } catch {
        // Being written: read again.
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}
