import { runCollector } from "@/lib/collect/collector";
import { openDatabase } from "@/lib/store/database";
import type { CommandStreams } from "./decode";
import { ownPackage } from "./package-root";
import { databaseUrlOf } from "./start-database";
import { untilTold } from "./start-guard";
import { serviceArguments, serviceSettings, told } from "./start-settings";

const usage = `Usage: tidemark collect [--config FILE]

Looks at the clusters and stores what it sees. Needs DATABASE_URL, or the database of a running \`tidemark start\`.
`;

/** `tidemark collect`. Exit code: 0 stopped, 1 could not start, 2 wrong settings or options. */
export function collectCommand(argv: string[], { stdout, stderr }: CommandStreams): Promise<number> {
  const signal = untilTold();
  return told(stderr, async () => {
    const options = serviceArguments(argv, "collect");
    if (options.help) {
      stdout.write(usage);
      return 0;
    }
    const { settings } = serviceSettings(options);
    const db = openDatabase(await databaseUrlOf(settings, "collect"));
    const log = (line: string) => stdout.write(`[collect] ${line}\n`);
    try {
      await runCollector({ settings, db, version: ownPackage().version, signal, log });
    } finally {
      await db.close();
    }
    return 0;
  });
}
