import { setTimeout as sleep } from "node:timers/promises";

/** Seconds of a budget that may be used at once: what a pause is shorter than is not worth one. */
const burst = 0.25;

/** Keeps to so many bytes a second, over the whole time. */
export class BytePace {
  #due = 0;

  /** @param perSecond bytes; null: no limit */
  constructor(
    private readonly perSecond: number | null,
    private readonly now: () => number = () => performance.now() / 1000,
  ) {}

  /** Waits as long as these bytes may take, or until the signal. */
  async took(bytes: number, signal?: AbortSignal): Promise<void> {
    if (this.perSecond === null) return;
    const now = this.now();
    this.#due = Math.max(this.#due, now - burst) + bytes / this.perSecond;
    const wait = this.#due - now;
    if (wait <= 0) return;
    await sleep(wait * 1000, undefined, { signal }).catch(() => undefined);
  }
}
