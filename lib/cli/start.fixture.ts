import { createServer } from "node:http";
import { openDatabase } from "@/lib/store/database";
import { readBeats } from "@/lib/store/loops";
import { collectCommand } from "./collect";
import { untilTold } from "./start-guard";
import { runStart } from "./start-run";
import { serviceArguments, serviceSettings } from "./start-settings";

/** `tidemark start` with a small server in place of the pages, which takes a build to serve. */
async function supervise(): Promise<void> {
  const self = process.argv[1] ?? "";
  await runStart({
    chosen: serviceSettings(serviceArguments([], "start")),
    programs: { web: [self, "web"], collect: [self, "collect"] },
    signal: untilTold(9_500),
    log: (line) => console.log(line),
    onReady: () => console.log("ready"),
  });
}

/** Answers with its pid and what it reads from the database; 503 when it cannot be read. */
function web(): void {
  untilTold().addEventListener("abort", () => process.exit(0));
  const db = openDatabase(process.env.DATABASE_URL ?? "");
  const server = createServer((_, response) => {
    readBeats(db).then(
      (beats) => response.end(JSON.stringify({ pid: process.pid, beats })),
      () => response.writeHead(503).end(),
    );
  });
  server.listen(Number(process.env.PORT), "127.0.0.1", () => process.send?.("ready"));
}

const [verb] = process.argv.slice(2);
if (verb === "web") web();
else if (verb === "collect") process.exitCode = await collectCommand([], process);
else await supervise();
if (verb !== "web") process.exit();
