/** Nothing is said of what takes no longer than this, and then again after as long. Milliseconds. */
const EVERY_MS = 3_000;

/** Tells who waits what is being done, on a stream for people. */
export interface Progress {
  stage(text: string): void;
  end(): void;
}

export function openProgress(command: string, write: (line: string) => void): Progress {
  let now: string | null = null;
  let began = Date.now();
  const timer = setInterval(() => {
    if (now === null) return;
    write(`${command}: ${now} (${Math.round((Date.now() - began) / 1000)} s)\n`);
  }, EVERY_MS);
  timer.unref();
  return {
    stage(text) {
      now = text;
      began = Date.now();
    },
    end: () => clearInterval(timer),
  };
}
