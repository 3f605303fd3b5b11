import { type ChildProcess, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { stringify } from "yaml";
import { freePort } from "./dashboard";

/** The limits that the connectors of the scenes are judged by. */
export const sceneLimits = { events: 25_000, bytes: 268_435_456, spanMs: 300_000 };

/** The built pages over a database. */
export async function servePages(
  databaseUrl: string,
  folder: string,
): Promise<{ url: string; child: ChildProcess }> {
  const port = await freePort();
  const file = join(folder, "tidemark.yaml");
  writeFileSync(
    file,
    stringify({
      listen: { port },
      dataDir: folder,
      checks: { replay: { events: sceneLimits.events } },
    }),
  );
  const program = join(import.meta.dirname, "../dist/tidemark.js");
  const child = spawn(process.execPath, [program, "web", "--config", file], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, DATABASE_URL: databaseUrl, NODE_ENV: "production" },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
  const until = Date.now() + 60_000;
  while (!output.includes("Tidemark is at")) {
    if (child.exitCode !== null || Date.now() > until)
      throw new Error(`tidemark web did not get ready:\n${output}`);
    await sleep(100);
  }
  return { url: `http://127.0.0.1:${port}`, child };
}
