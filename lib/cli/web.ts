import { createServer, type Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Settings } from "@/lib/config/settings";
import { openDatabase } from "@/lib/store/database";
import { saveBeat } from "@/lib/store/loops";
import type { CommandStreams } from "./decode";
import { ownPackage } from "./package-root";
import { databaseUrlOf } from "./start-database";
import { untilTold } from "./start-guard";
import {
  addressOf,
  CommandFault,
  needLoopback,
  serviceArguments,
  serviceSettings,
  told,
} from "./start-settings";

const usage = `Usage: tidemark web [--config FILE] [--host HOST] [--port PORT] [--dev]

Serves the pages. Needs DATABASE_URL, or the database of a running \`tidemark start\`.
`;

const beatEveryMs = 5_000;

/** `tidemark web`. Exit code: 0 stopped, 1 could not start, 2 wrong settings or options. */
export function webCommand(argv: string[], { stdout, stderr }: CommandStreams): Promise<number> {
  const signal = untilTold();
  return told(stderr, async () => {
    const options = serviceArguments(argv, "web");
    if (options.help) {
      stdout.write(usage);
      return 0;
    }
    const chosen = serviceSettings(options);
    const { settings } = chosen;
    needLoopback(settings);
    const url = await databaseUrlOf(settings, "web");
    // What the pages read: they run in this process.
    process.env.DATABASE_URL = url;
    if (chosen.file) process.env.TIDEMARK_CONFIG = chosen.file;
    const server = await servePages(settings, options.dev);
    if (process.connected) process.send?.("ready");
    else stdout.write(`Tidemark is at ${addressOf(settings)}\n`);
    await beatUntil(signal, url);
    server.close();
    server.closeAllConnections();
    return 0;
  });
}

async function servePages({ listen }: Settings, dev: boolean): Promise<Server> {
  process.env.NEXT_TELEMETRY_DISABLED = "1";
  Object.assign(process.env, { NODE_ENV: dev ? "development" : "production" });
  const { default: next } = await import("next");
  const app = next({ dev, dir: ownPackage().root, hostname: listen.host, port: listen.port });
  await app.prepare();
  const handle = app.getRequestHandler();
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      console.error(error);
      response.destroy();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const why =
        error.code === "EADDRINUSE" ? "is taken by another program" : `cannot be used (${error.code})`;
      reject(
        new CommandFault(`Port ${listen.port} of ${listen.host} ${why}. Choose another with --port.`, 1),
      );
    });
    server.listen(listen.port, listen.host, resolve);
  });
  return server;
}

/** Says from time to time that the pages are served. A database that is away is the pages' own to tell. */
async function beatUntil(signal: AbortSignal, url: string): Promise<void> {
  const db = openDatabase(url);
  const beat = {
    kind: "web" as const,
    pid: process.pid,
    version: ownPackage().version,
    startedAt: new Date(),
  };
  while (!signal.aborted) {
    await saveBeat(db, { ...beat, beatAt: new Date() }).catch(() => undefined);
    await sleep(beatEveryMs, undefined, { signal }).catch(() => undefined);
  }
  await db.close();
}
