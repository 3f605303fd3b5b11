import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { CheckLimits } from "@/lib/checks/check";
import { judgeConnector } from "@/lib/checks/judge";
import type { JudgedConnector } from "@/lib/checks/judged";
import { saveCluster } from "@/lib/store/clusters";
import type { Database } from "@/lib/store/database";
import { applyJudgements } from "@/lib/store/findings";
import { saveBeat } from "@/lib/store/loops";
import { startTestServer } from "@/lib/store/test-server";
import { scene } from "@/lib/views/scene";
import { servePages } from "./serve-pages";

/** The cluster of the scenes. */
export const SCENE = "eu-1";

const feedMs = 4_000;

/** What a collector of the scene's cluster tells of itself. */
export async function saveWatch(db: Database, began: Date, now: Date): Promise<void> {
  for (const cluster of scene(now).clusters.filter((c) => c.name === SCENE)) await saveCluster(db, cluster);
  await saveBeat(db, { kind: "collect", pid: 1, version: "0.1.0", startedAt: began, beatAt: now });
}

/** Judges the connectors as a collector would. */
export async function judgeScene(
  db: Database,
  connectors: readonly JudgedConnector[],
  limits: CheckLimits,
  now: Date,
): Promise<void> {
  const fleet = connectors.map((c) => ({ ...c, config: c.report.value?.config ?? null }));
  await applyJudgements(
    db,
    SCENE,
    connectors.map((c) => ({
      connector: c.connector,
      verdicts: judgeConnector({ ...c, fleet }, limits, now),
    })),
    now,
  );
}

/** Feeds a database again and again, until `stop`. */
export function keepFeeding(feed: () => Promise<void>): { stop(): Promise<void> } {
  const ended = new AbortController();
  const playing = (async () => {
    while (!ended.signal.aborted) {
      await sleep(feedMs, undefined, { signal: ended.signal }).catch(() => undefined);
      if (!ended.signal.aborted) await feed();
    }
  })();
  return {
    async stop() {
      ended.abort();
      await playing;
    },
  };
}

/** The built pages over a database of their own, in which a scene is played. */
export async function startScene<P extends { stop(): Promise<void> }>(
  play: (db: Database) => Promise<P>,
): Promise<P & { url: string }> {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-scene-"));
  const server = await startTestServer();
  const { url: databaseUrl, db } = await server.create();
  const playing = await play(db);
  const { url, child } = await servePages(databaseUrl, folder);
  return {
    ...playing,
    url,
    async stop() {
      await playing.stop();
      const gone = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      await gone;
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
