// Runs lab/main.ts with tsx: signals go down to it, its exit code comes back. Plain Node, so that it can say what is missing.
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const checkout = dirname(dirname(fileURLToPath(import.meta.url)));

if (
  !existsSync(join(checkout, "node_modules", "tsx")) ||
  !existsSync(join(checkout, "node_modules", "kafkajs"))
) {
  console.error("The packages are not installed: run npm ci first.");
  process.exit(1);
}

const child = spawn(
  process.execPath,
  ["--import", "tsx", join(checkout, "lab", "main.ts"), ...process.argv.slice(2)],
  // The channel tells the program when this process is gone, however it went.
  { cwd: checkout, stdio: ["inherit", "inherit", "inherit", "ipc"] },
);
child.on("error", (error) => {
  console.error(`The lab could not be started: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  process.exitCode = code ?? (signal === "SIGINT" ? 130 : signal === "SIGTERM" ? 143 : 137);
  clearInterval(watching);
});

// A terminal sends Ctrl-C to both; the second one does no harm.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));

// Whoever started this may be killed: hang up, so that the program ends what should not outlive it. npm starts scripts
// through a shell, which may survive npm.
const above = ancestors();
const watching = setInterval(() => {
  if (above.some(({ pid, started }) => startedAt(pid) !== started) && child.connected) child.disconnect();
}, 1_000);
if (process.channel) process.on("disconnect", () => child.connected && child.disconnect());

function ancestors() {
  const found = [];
  let pid = process.ppid;
  for (let level = 0; level < 3 && pid > 1; level++) {
    const started = startedAt(pid);
    if (started === null) break;
    found.push({ pid, started });
    const isShellOfNpm = process.env.npm_lifecycle_event && / -c /.test(commandLine(pid));
    if (!isShellOfNpm) break;
    pid = parentOf(pid);
  }
  return found;
}

/** Without /proc the number itself stands for the process: the parent's change is all that can be seen. */
function startedAt(pid) {
  if (!existsSync("/proc/self/stat")) return process.ppid;
  const fields = statOf(pid);
  return fields === null || fields[0] === "Z" ? null : fields[19];
}

function parentOf(pid) {
  return Number(statOf(pid)?.[1] ?? 0);
}

function statOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return null;
  }
}

function commandLine(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ");
  } catch {
    return "";
  }
}
