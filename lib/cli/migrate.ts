import { runningEmbeddedPostgres, startEmbeddedPostgres } from "@/lib/store/embedded-postgres";
import type { CommandStreams } from "./decode";
import { migrateWhenThere } from "./start-database";
import { untilTold } from "./start-guard";
import { serviceArguments, serviceSettings, told } from "./start-settings";

const usage = `Usage: tidemark migrate [--config FILE]

Brings the database to this version: DATABASE_URL, else the embedded one. \`tidemark start\` does it too.
`;

/** `tidemark migrate`. Exit code: 0 done, 1 could not, 2 wrong settings or options. */
export function migrateCommand(argv: string[], { stdout, stderr }: CommandStreams): Promise<number> {
  return told(stderr, async () => {
    const options = serviceArguments(argv, "migrate");
    if (options.help) {
      stdout.write(usage);
      return 0;
    }
    const { settings } = serviceSettings(options);
    const log = (line: string) => stdout.write(`${line}\n`);
    const signal = untilTold();
    const url = settings.databaseUrl ?? (await runningEmbeddedPostgres(settings.dataDir));
    if (url) await migrateWhenThere(url, signal, log);
    else {
      const embedded = await startEmbeddedPostgres({ dataDir: settings.dataDir, log });
      try {
        await migrateWhenThere(embedded.url, signal, log);
      } finally {
        await embedded.stop();
      }
    }
    if (signal.aborted) return 1;
    log("The database is up to date.");
    return 0;
  });
}
