import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Settings } from "@/lib/config/settings";
import type { CommandStreams } from "./decode";
import { ownPackage } from "./package-root";
import { untilTold } from "./start-guard";
import { runStart } from "./start-run";
import {
  addressOf,
  CommandFault,
  needLoopback,
  serviceArguments,
  serviceSettings,
  told,
} from "./start-settings";

const usage = `Usage: tidemark start [--config FILE] [--host HOST] [--port PORT] [--attached] [--dev]

Runs everything on this machine until Ctrl-C: an embedded PostgreSQL (unless DATABASE_URL is set), the pages and the
collector. What ends is started again.

  --config FILE  settings (default: TIDEMARK_CONFIG, else tidemark.yaml if it is there)
  --host HOST    where the pages are served (default 127.0.0.1)
  --port PORT    (default 3000)
  --attached     end when standard input ends: for a parent that may be killed
  --dev          serve the pages from their sources
`;

/** `tidemark start`. Exit code: 0 stopped, 1 could not start, 2 wrong settings or options. */
export function startCommand(argv: string[], { stdin, stdout, stderr }: CommandStreams): Promise<number> {
  return told(stderr, async () => {
    const options = serviceArguments(argv, "start");
    if (options.help) {
      stdout.write(usage);
      return 0;
    }
    const chosen = serviceSettings(options);
    const { settings } = chosen;
    needLoopback(settings);
    if (!options.dev) needBuild();
    await needFreePort(settings);
    const ended = new AbortController();
    if (options.attached) stdin.resume().once("end", () => ended.abort());
    const program = process.argv[1] ?? "";
    await runStart({
      chosen,
      programs: {
        web: [program, "web", ...(options.dev ? ["--dev"] : [])],
        collect: [program, "collect"],
      },
      signal: AbortSignal.any([untilTold(9_500), ended.signal]),
      log: (line) => stdout.write(`[start] ${line}\n`),
      onReady: () => stdout.write(`Tidemark is at ${addressOf(settings)}\n`),
    });
    return 0;
  });
}

/** @throws CommandFault (1) */
function needBuild(): void {
  const { root } = ownPackage();
  if (existsSync(join(root, ".next/BUILD_ID"))) return;
  throw new CommandFault("The pages are not built yet: run `npm run build`, or add --dev.", 1);
}

/** A port that our own killed predecessor still holds is free again in a moment. */
const portPatienceMs = 4_000;

/** @throws CommandFault (1) when the port stays taken, or the host is not of this machine */
async function needFreePort({ listen }: Settings): Promise<void> {
  const until = Date.now() + portPatienceMs;
  for (;;) {
    const problem = await listenProblem(listen);
    if (problem === null) return;
    if (problem === "EADDRINUSE" && Date.now() < until) {
      await sleep(250);
      continue;
    }
    throw new CommandFault(portSentence(problem, listen), 1);
  }
}

function portSentence(problem: string, { host, port }: Settings["listen"]): string {
  if (problem === "EADDRINUSE") {
    return `Port ${port} of ${host} is taken by another program. Choose another: tidemark start --port ${port < 65_535 ? port + 1 : 3000}, or set PORT.`;
  }
  const why = problem === "EACCES" ? "ports under 1024 need more rights" : problem;
  return `Pages cannot be served at ${host}, port ${port} (${why}). Choose others with --host and --port.`;
}

function listenProblem({ host, port }: Settings["listen"]): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen(port, host, () => server.close(() => resolve(null)));
  });
}
