import { type ChildProcess, fork } from "node:child_process";
import { parentVariable } from "./start-guard";

/** A part of Tidemark that runs as a process of its own and is started again when it ends. */
export interface Part {
  name: string;
  program: string;
  args: readonly string[];
  env(): NodeJS.ProcessEnv;
  /** The child sent `ready`. */
  onReady?(): void;
}

export interface RunningPart {
  name: string;
  /** Ends the child; it is started again, with a new environment. */
  restart(): void;
  /** Ends it for good: SIGTERM, and SIGKILL after `withinMs`. */
  stop(withinMs: number): Promise<void>;
}

/** Pauses before the next start in milliseconds: at once, then longer, until a run has lasted. */
const pauses = [0, 500, 1_000, 2_000, 4_000, 8_000, 10_000];
const lastingMs = 30_000;

/** Starts a part and keeps it running. */
export function keepPart(part: Part, log: (line: string) => void): RunningPart {
  let child: ChildProcess | null = null;
  let timer: NodeJS.Timeout | null = null;
  let stopping = false;
  let inARow = 0;

  const start = () => {
    timer = null;
    const startedAt = Date.now();
    const one = fork(part.program, [...part.args], {
      env: { ...part.env(), [parentVariable]: String(process.pid) },
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    child = one;
    one.on("message", (message) => {
      if (message === "ready") part.onReady?.();
    });
    const ended = (how: string) => {
      if (child !== one) return;
      child = null;
      if (stopping) return;
      if (Date.now() - startedAt > lastingMs) inARow = 0;
      const pause = pauses[Math.min(inARow, pauses.length - 1)] ?? 0;
      inARow += 1;
      log(`${part.name} ended (${how}); starting it again${pause ? ` in ${pause / 1000} s` : ""}.`);
      timer = setTimeout(start, pause);
    };
    one.once("error", (error) => ended(error.message));
    one.once("exit", (code, signal) => ended(signal ?? `exit code ${code}`));
  };
  start();

  return {
    name: part.name,
    restart() {
      inARow = 0;
      child?.kill("SIGTERM");
    },
    async stop(withinMs) {
      stopping = true;
      if (timer) clearTimeout(timer);
      const one = child;
      if (!one) return;
      const gone = new Promise<void>((resolve) => one.once("exit", () => resolve()));
      one.kill("SIGTERM");
      const last = setTimeout(() => one.kill("SIGKILL"), withinMs);
      await gone;
      clearTimeout(last);
    },
  };
}
