import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Settings } from "@/lib/config/settings";
import { isConnectionFault, shortCause } from "@/lib/store/database-faults";
import { runningEmbeddedPostgres } from "@/lib/store/embedded-postgres";
import { migrate } from "@/lib/store/migrate";
import { ownPackage } from "./package-root";
import { CommandFault } from "./start-settings";

/** The database that is set, or the embedded one that runs. @throws CommandFault (1) when there is neither */
export async function databaseUrlOf(settings: Settings, command: string): Promise<string> {
  const url = settings.databaseUrl ?? (await runningEmbeddedPostgres(settings.dataDir));
  if (url) return url;
  throw new CommandFault(
    `tidemark ${command} needs a database: set DATABASE_URL, or run \`tidemark start\` with the same data directory (${settings.dataDir}).`,
    1,
  );
}

/** Brings the database to this version, waiting for it while it cannot be reached. @throws MigrationFault */
export async function migrateWhenThere(
  url: string,
  signal: AbortSignal,
  log: (line: string) => void,
): Promise<void> {
  let said = "";
  while (!signal.aborted) {
    try {
      await migrate(url, join(ownPackage().root, "prisma/migrations"), log);
      return;
    } catch (error) {
      if (!isConnectionFault(error)) throw error;
      const why = shortCause(error);
      if (why !== said) log(`Waiting for the database: ${why}.`);
      said = why;
      await sleep(1_000, undefined, { signal }).catch(() => undefined);
    }
  }
}
