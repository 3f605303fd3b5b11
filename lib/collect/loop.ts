import { setTimeout as sleep } from "node:timers/promises";
import type { Failure } from "@/lib/observed/observation";
import type { LoopRun } from "@/lib/observed/process";
import { pauseMs } from "./backoff";

export interface Loop {
  name: string;
  cluster: string | null;
  intervalMs: number;
  /** Keeps its interval after failures: for a loop that asks nothing while another one finds the cluster away. */
  steady?: boolean;
  /** One pass. Returns why it failed, or null. May throw: that is a failure too. */
  run(): Promise<Failure | null>;
}

/** A fault that no room foresaw, told without ending the loop. */
function unforeseen(error: unknown): Failure {
  const text = error instanceof Error ? error.message : String(error);
  return {
    kind: "internal",
    sentence: text.split("\n")[0]?.slice(0, 300) || "an error without a message",
    remedy: null,
  };
}

/** Runs a loop until `signal` aborts. No failure of one run ends it, and none reaches another loop. */
export async function keepRunning(
  loop: Loop,
  record: (run: LoopRun) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  let runs = 0;
  let failures = 0;
  let inARow = 0;
  while (!signal.aborted) {
    const startedAt = new Date();
    const failure = await loop.run().catch(unforeseen);
    const endedAt = new Date();
    runs += 1;
    failures += failure ? 1 : 0;
    inARow = failure && !loop.steady ? inARow + 1 : 0;
    const pause = pauseMs(loop.intervalMs, inARow, Math.random());
    const nextAt = new Date(Math.max(startedAt.getTime() + pause, endedAt.getTime() + 100));
    await record({
      process: "collect",
      cluster: loop.cluster,
      name: loop.name,
      startedAt,
      endedAt,
      nextAt,
      failure,
      runs,
      failures,
    });
    await sleep(Math.max(100, nextAt.getTime() - Date.now()), undefined, { signal }).catch(() => undefined);
  }
}
