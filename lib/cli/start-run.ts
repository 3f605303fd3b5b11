import { setTimeout as sleep } from "node:timers/promises";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "@/lib/store/embedded-postgres";
import { keepPart, type RunningPart } from "./start-children";
import { migrateWhenThere } from "./start-database";
import { childEnvironment, type ServiceSettings } from "./start-settings";

/** How often the embedded database is looked at, and how long parts may take to end. In milliseconds. */
const limits = { watch: 2_000, stop: 4_000 };

export interface StartOptions {
  chosen: ServiceSettings;
  /** The programs of the two parts, with their arguments. */
  programs: { web: readonly [string, ...string[]]; collect: readonly [string, ...string[]] };
  signal: AbortSignal;
  log: (line: string) => void;
  /** The pages answer, for the first time. */
  onReady(): void;
}

/**
 * Runs database, pages and collector until `signal` aborts, each started again when it ends; then ends them in order.
 * @throws EmbeddedPostgresFault, DataDirInUse, MigrationFault when it cannot begin
 */
export async function runStart(options: StartOptions): Promise<void> {
  const { settings } = options.chosen;
  const { signal, log } = options;
  const embedded = settings.databaseUrl
    ? null
    : await startEmbeddedPostgres({ dataDir: settings.dataDir, log });
  try {
    const url = () => settings.databaseUrl ?? embedded?.url ?? "";
    await migrateWhenThere(url(), signal, log);
    if (signal.aborted) return;
    const parts = startParts(options, url);
    await Promise.all([aborted(signal), embedded && watch(embedded, parts, signal, log)]);
    log("Stopping.");
    await Promise.all(parts.map((part) => part.stop(limits.stop)));
  } finally {
    await embedded?.stop();
  }
}

function startParts({ chosen, programs, log, onReady }: StartOptions, url: () => string): RunningPart[] {
  let told = false;
  const ready = () => {
    if (!told) onReady();
    told = true;
  };
  const env = () => childEnvironment(chosen, url());
  const [web, ...webArgs] = programs.web;
  const [collect, ...collectArgs] = programs.collect;
  return [
    keepPart({ name: "web", program: web, args: webArgs, env, onReady: ready }, log),
    keepPart({ name: "collect", program: collect, args: collectArgs, env }, log),
  ];
}

/** Starts the database again when it is gone. On another port, the parts must learn its new address. */
async function watch(
  embedded: EmbeddedPostgres,
  parts: readonly RunningPart[],
  signal: AbortSignal,
  log: (line: string) => void,
): Promise<void> {
  let url = embedded.url;
  let said = "";
  while (!signal.aborted) {
    await sleep(limits.watch, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    try {
      await embedded.ensure();
      said = "";
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      if (why !== said) log(why);
      said = why;
      continue;
    }
    if (embedded.url !== url) for (const part of parts) part.restart();
    url = embedded.url;
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
