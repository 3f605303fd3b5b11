import { setTimeout as sleep } from "node:timers/promises";
import type { Failure } from "@/lib/observed/observation";

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;
/** The longest that a broker's wish to be left alone is heeded at once, and without any record in between. */
const LONGEST_HOLD_MS = 60_000;
const HELD_MS = 300_000;

/** Failures that may heal by themselves: a leader that moves, a broker that starts again. */
export function mayPass(failure: Failure): boolean {
  return failure.kind === "unreachable" || failure.kind === "timeout" || failure.kind === "server-error";
}

/** How long to try again what may heal by itself: pauses of 50 ms, doubled up to 2 s, until the time is over. */
export class Patience {
  private pause = FIRST_PAUSE_MS;
  private until: number;
  private held = 0;

  constructor(
    milliseconds: number,
    private readonly signal?: AbortSignal,
  ) {
    this.until = Date.now() + milliseconds;
  }

  /** Waits; false when the time is over. @throws the signal's reason */
  async again(): Promise<boolean> {
    if (Date.now() + this.pause > this.until) return false;
    await sleep(this.pause, undefined, { signal: this.signal });
    this.pause = Math.min(this.pause * 2, LONGEST_PAUSE_MS);
    return true;
  }

  /** Waits as a broker asked (throttle_time_ms of KIP-219), off the clock; false after five minutes of it. */
  async hold(milliseconds: number): Promise<boolean> {
    if (this.held >= HELD_MS) return false;
    const wait = Math.min(milliseconds, LONGEST_HOLD_MS);
    await sleep(wait, undefined, { signal: this.signal });
    this.held += wait;
    this.until += wait;
    return true;
  }
}

/** The work's outcome, or the signal's reason as soon as it is aborted: the work then ends unseen. */
export async function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
    work.catch(() => {});
  }
}
