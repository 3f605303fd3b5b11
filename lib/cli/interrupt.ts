import { setMaxListeners } from "node:events";

/** The process's signals, as a command needs them. */
export interface SignalSource {
  on(signal: "SIGINT" | "SIGTERM", listener: () => void): unknown;
  off(signal: "SIGINT" | "SIGTERM", listener: () => void): unknown;
}

/**
 * Ctrl-C as a wish to hear what is known so far: aborts the signal. A second one ends the process at once, as without this.
 * `done` gives the signals back.
 */
export function openInterrupt(source: SignalSource = process): { signal: AbortSignal; done: () => void } {
  const controller = new AbortController();
  // Each read that is under way listens; Node would warn on standard error of more than ten.
  setMaxListeners(0, controller.signal);
  const done = () => {
    source.off("SIGINT", stop);
    source.off("SIGTERM", stop);
  };
  function stop(): void {
    done();
    controller.abort();
  }
  source.on("SIGINT", stop);
  source.on("SIGTERM", stop);
  return { signal: controller.signal, done };
}
