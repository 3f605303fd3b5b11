/**
 * The signal by which a process of Tidemark ends in order. A child of `tidemark start` ends on its word (SIGTERM), or
 * when the parent is gone, however it went: else it would hold the port. Ctrl-C reaches parent and child; the parent decides.
 * @param withinMs after this the process is ended, whatever still runs
 */
export function untilTold(withinMs = 3_000): AbortSignal {
  const told = new AbortController();
  const end = () => {
    if (told.signal.aborted) return;
    told.abort();
    setTimeout(() => process.exit(1), withinMs).unref();
  };
  const hasParent = process.channel !== undefined && process.channel !== null;
  process.on("SIGTERM", end);
  process.on("SIGHUP", end);
  process.on("SIGINT", () => {
    if (!hasParent) end();
  });
  if (hasParent) {
    process.on("disconnect", end);
    if (!process.connected) end();
  }
  return told.signal;
}
