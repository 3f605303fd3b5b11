import { setTimeout as sleep } from "node:timers/promises";
import { LabFault } from "./fault";

/** Takes one line for a person. */
export type Log = (line: string) => void;

/** Says that a long step runs, again every 10 s with its seconds, and what it took. */
export async function step<T>(log: Log, name: string, work: () => Promise<T>): Promise<T> {
  const began = Date.now();
  const seconds = () => ((Date.now() - began) / 1_000).toFixed(1);
  log(`${name} …`);
  const timer = setInterval(() => log(`${name} … ${seconds()} s`), 10_000);
  try {
    const result = await work();
    log(`${name}: done in ${seconds()} s`);
    return result;
  } finally {
    clearInterval(timer);
  }
}

/**
 * Asks until the answer is not null.
 * @throws what `gaveUp` makes after `timeoutMs`; whatever `ask` throws ends it at once.
 */
export async function until<T>(
  ask: () => Promise<T | null>,
  timeoutMs: number,
  gaveUp: () => Error = () => new LabFault(`Nothing after ${timeoutMs / 1_000} s.`),
  pauseMs = 150,
): Promise<T> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer !== null) return answer;
    if (Date.now() > end) throw gaveUp();
    await sleep(pauseMs);
  }
}
