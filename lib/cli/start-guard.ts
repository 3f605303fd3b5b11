/** The variable by which `tidemark start` tells a child its own process id. */
export const parentVariable = "TIDEMARK_PARENT";
const lookEveryMs = 1_000;

/**
 * The signal by which a process of Tidemark ends in order. A child of `tidemark start` ends on its word (SIGTERM), or
 * when the parent is gone, however it went: else it would hold the port. Ctrl-C reaches parent and child; the parent decides.
 * Call it first: a child whose parent is already gone ends here, with code 1.
 * @param withinMs after this the process is ended, whatever still runs
 */
export function untilTold(withinMs = 3_000): AbortSignal {
  const parent = takeParent();
  if (parent !== null && !isThere(parent)) process.exit(1);
  const told = new AbortController();
  const end = () => {
    if (told.signal.aborted) return;
    told.abort();
    setTimeout(() => process.exit(1), withinMs).unref();
  };
  process.on("SIGTERM", end);
  process.on("SIGHUP", end);
  process.on("SIGINT", () => {
    if (parent === null) end();
  });
  if (parent !== null) {
    process.on("disconnect", end);
    setInterval(() => {
      if (!isThere(parent)) end();
    }, lookEveryMs).unref();
  }
  return told.signal;
}

/** The process id that this child was told; taken out, so that what it starts itself is not told the same. */
function takeParent(): number | null {
  const text = process.env[parentVariable];
  delete process.env[parentVariable];
  return text ? Number(text) : null;
}

/** The channel alone does not tell: one that closed before anybody looked is gone without a trace. */
function isThere(parent: number): boolean {
  return process.connected === true && process.ppid === parent;
}
