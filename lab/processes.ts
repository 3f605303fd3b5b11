import { execFileSync, spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Places } from "./places";
import { changeState, type ProcessName, type RecordedProcess, readState } from "./state";

const MARKER = "TIDEMARK_LAB_MARKER";

/** When a process started, as the system counts it; null when there is none or it is only waiting to be buried. */
export function startTimeOf(pid: number): string | null {
  if (!existsSync("/proc/self/stat")) return startTimeByPs(pid);
  try {
    // The name in parentheses may hold blanks: count fields from behind it. Field 3 is the state, 22 the start time.
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" || fields[0] === "X" ? null : (fields[19] ?? null);
  } catch {
    return null;
  }
}

/**
 * Whether this very process is stopped by SIGSTOP: it lives and answers nothing. Field 3 of its stat is `T` then, as in
 * the first letter that `ps` shows.
 */
export function isFrozen(recorded: RecordedProcess | undefined): boolean {
  if (!isAlive(recorded)) return false;
  try {
    if (!existsSync("/proc/self/stat"))
      return execFileSync("ps", ["-o", "stat=", "-p", String(recorded.pid)], { encoding: "utf8" }).startsWith(
        "T",
      );
    const stat = readFileSync(`/proc/${recorded.pid}/stat`, "latin1");
    return stat.charAt(stat.lastIndexOf(")") + 2) === "T";
  } catch {
    return false;
  }
}

function startTimeByPs(pid: number): string | null {
  try {
    const line = execFileSync("ps", ["-o", "stat=,lstart=", "-p", String(pid)], { encoding: "utf8" }).trim();
    return line === "" || line.startsWith("Z") ? null : line.replace(/^\S+\s+/, "");
  } catch {
    return null;
  }
}

/** Whether this very process still runs: the number alone may have been given to another. */
export function isAlive(recorded: RecordedProcess | undefined): recorded is RecordedProcess {
  return recorded !== undefined && startTimeOf(recorded.pid) === recorded.startTime;
}

export interface Launch {
  command: string;
  args: readonly string[];
  environment?: Record<string, string>;
  /** Another user to run as, where root may not. */
  user?: { uid: number; gid: number };
}

let forbidden = false;

/** From now on this program starts no process of the lab: it is ending. */
export function forbidLaunches(): void {
  forbidden = true;
}

/**
 * The environment that marks a helper of the lab, so that it is found when its parent was killed.
 * @throws when the lab is being ended by this program
 */
export function markedEnvironment(places: Places): NodeJS.ProcessEnv {
  if (forbidden) throw new Error("nothing more is started: the lab is being ended");
  const marker = readState(places)?.marker;
  return marker ? { ...process.env, [MARKER]: marker } : { ...process.env };
}

/** The log of a process; the one of the run before has `.previous` behind its name. */
export function logOf(places: Places, name: ProcessName): string {
  return join(places.logs, `${name}.log`);
}

/**
 * Starts a process of the lab in a session of its own and records it at once.
 * @throws the system's error when the program cannot be run.
 */
export async function launch(places: Places, name: ProcessName, what: Launch): Promise<RecordedProcess> {
  const environment = markedEnvironment(places);
  mkdirSync(places.logs, { recursive: true });
  const log = logOf(places, name);
  if (existsSync(log)) renameSync(log, `${log}.previous`);
  const output = openSync(log, "a");
  const child = spawn(what.command, what.args, {
    cwd: "/",
    detached: true,
    stdio: ["ignore", output, output],
    env: { ...environment, ...what.environment },
    ...what.user,
  });
  closeSync(output);
  const recorded = child.pid ? { pid: child.pid, startTime: startTimeOf(child.pid) ?? "" } : null;
  if (recorded) {
    changeState(places, (state) => {
      state.processes[name] = recorded;
    });
  }
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", reject);
  });
  child.unref();
  if (!recorded) throw new Error(`${what.command} did not start`);
  return recorded;
}

/** Waits until a process is gone. @returns false when it is still there after `timeoutMs`. */
export async function waitGone(recorded: RecordedProcess, timeoutMs: number): Promise<boolean> {
  const end = Date.now() + timeoutMs;
  while (isAlive(recorded)) {
    if (Date.now() > end) return false;
    await sleep(50);
  }
  return true;
}

/** Ends a recorded process: asks, waits up to `patienceMs`, then kills. Does nothing when it is gone. */
export async function endProcess(
  recorded: RecordedProcess | undefined,
  signal: NodeJS.Signals = "SIGTERM",
  patienceMs = 10_000,
): Promise<void> {
  if (!isAlive(recorded)) return;
  send(recorded.pid, signal);
  // A frozen one would not notice that it is asked to end.
  send(recorded.pid, "SIGCONT");
  if (await waitGone(recorded, signal === "SIGKILL" ? 5_000 : patienceMs)) return;
  if (isAlive(recorded)) send(recorded.pid, "SIGKILL");
  await waitGone(recorded, 5_000);
}

export function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone between the look and the signal.
  }
}

/** Processes that carry the mark of one `up`, recorded or not. Empty where there is no /proc. */
export function markedProcesses(marker: string): RecordedProcess[] {
  if (!existsSync("/proc/self/environ")) return [];
  const wanted = `${MARKER}=${marker}\0`;
  const found: RecordedProcess[] = [];
  for (const entry of readdirSync("/proc")) {
    const pid = Number(entry);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    try {
      if (!readFileSync(`/proc/${pid}/environ`, "latin1").includes(wanted)) continue;
    } catch {
      continue;
    }
    const startTime = startTimeOf(pid);
    if (startTime !== null) found.push({ pid, startTime });
  }
  return found;
}
