import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { stringify } from "yaml";
import { judgeConnector } from "@/lib/checks/judge";
import type { JudgedConnector } from "@/lib/checks/judged";
import { mergeRollups, rollUp } from "@/lib/measure/replay-window/roll-up";
import type { WindowRollup } from "@/lib/observed/window-series";
import { saveCluster } from "@/lib/store/clusters";
import { type CommitOf, saveCommits } from "@/lib/store/commits";
import { saveConnectorParts } from "@/lib/store/connectors";
import type { Database } from "@/lib/store/database";
import { applyJudgements } from "@/lib/store/findings";
import { saveBeat } from "@/lib/store/loops";
import { saveRestart } from "@/lib/store/restarts";
import { startTestServer } from "@/lib/store/test-server";
import { keepWindowPartitions } from "@/lib/store/window-partitions";
import { saveRollups } from "@/lib/store/window-rollups";
import { savePoints } from "@/lib/store/window-series";
import { scene } from "@/lib/views/scene";
import {
  offsetCommits,
  seriesOf,
  type WindowSeries,
  type WindowState,
  windowStates,
} from "@/lib/views/scene-series";
import { windowConnectors } from "@/lib/views/scene-windows";
import { freePort } from "./dashboard";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
/** How far back a roll-up's longest interval of the dial looks. */
const lookBack = 5 * minute;
const feedMs = 4_000;

/** The cluster of the scene. */
export const SCENE = "eu-1";

/** The limits that the connectors of the scene are judged by. */
export const sceneLimits = { events: 25_000, bytes: 268_435_456, spanMs: 300_000 };

const nameOf = (state: WindowState) => `${state}-cdc`;

/** The minutes of a series, each of its own points and those of the five minutes before it. */
function minutesOf({ points, commits }: WindowSeries): WindowRollup[] {
  const first = Math.ceil((points[0]?.at ?? 0) / minute) * minute;
  const last = points.at(-1)?.at ?? 0;
  const rollups: WindowRollup[] = [];
  let [from, to] = [0, 0];
  for (let at = first; at + minute <= last; at += minute) {
    while ((points[from]?.at ?? last) < at - lookBack) from += 1;
    while ((points[to]?.at ?? Number.POSITIVE_INFINITY) < at + minute) to += 1;
    const own = commits.filter((c) => c.getTime() >= at && c.getTime() < at + minute).length;
    rollups.push(rollUp(points.slice(from, to), at, at + minute, own));
  }
  return rollups;
}

function hoursOf(minutes: readonly WindowRollup[]): WindowRollup[] {
  const starts = new Set(minutes.map((m) => Math.floor(m.at / hour) * hour));
  return [...starts].map((at) =>
    mergeRollups(
      minutes.filter((m) => m.at >= at && m.at < at + hour),
      at,
    ),
  );
}

function commitsOf(state: WindowState, series: WindowSeries): CommitOf[] {
  const owner = { connector: nameOf(state), partition: '{"server":"shop"}' };
  return offsetCommits(state, series).map((commit) => ({ ...commit, ...owner }));
}

/** The day before the scene began, as a collector would have stored it. */
async function fillPast(db: Database, began: Date): Promise<void> {
  await keepWindowPartitions(db, began);
  for (const state of windowStates) {
    const connector = nameOf(state);
    const series = seriesOf(state, began, { forMs: day });
    const minutes = minutesOf(series);
    await savePoints(
      db,
      SCENE,
      series.points.map((point) => ({ connector, point })),
    );
    await saveRollups(
      db,
      SCENE,
      "minute",
      minutes.map((rollup) => ({ connector, rollup })),
    );
    await saveRollups(
      db,
      SCENE,
      "hour",
      hoursOf(minutes).map((rollup) => ({ connector, rollup })),
    );
    await saveCommits(db, SCENE, commitsOf(state, series));
    for (const restart of series.restarts) await saveRestart(db, restart);
  }
}

async function saveConnector(db: Database, known: JudgedConnector): Promise<void> {
  const { report, times, offsets, commits, topics, ends, history, window } = known;
  await saveConnectorParts(db, SCENE, known.connector, {
    report,
    times,
    offsets,
    commits,
    topics,
    ends,
    history,
    window,
  });
}

/** One round of what a collector does: everything seen again just now, judged, and the newest points. */
async function feed(db: Database, began: Date): Promise<void> {
  const now = new Date();
  const { clusters } = scene(now);
  for (const cluster of clusters.filter((c) => c.name === SCENE)) await saveCluster(db, cluster);
  await saveBeat(db, { kind: "collect", pid: 1, version: "0.1.0", startedAt: began, beatAt: now });
  const connectors = windowConnectors(now, began);
  for (const known of connectors) await saveConnector(db, known);
  const limits = {
    unassignedMs: 300_000,
    silentMs: hour,
    rebalanceMs: 120_000,
    replay: () => sceneLimits,
  };
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
  for (const state of windowStates) {
    const connector = nameOf(state);
    const series = seriesOf(state, now, { began, forMs: day });
    const newest = series.points.filter((p) => p.at > now.getTime() - minute);
    await savePoints(
      db,
      SCENE,
      newest.map((point) => ({ connector, point })),
    );
    await saveCommits(db, SCENE, commitsOf(state, series).slice(-2));
  }
}

/** Fills a database as a collector would, and goes on until `stop`. */
export async function playWindowScene(db: Database): Promise<{ stop(): Promise<void> }> {
  const began = new Date();
  await feed(db, began);
  await fillPast(db, began);
  await feed(db, began);
  const ended = new AbortController();
  const playing = (async () => {
    while (!ended.signal.aborted) {
      await sleep(feedMs, undefined, { signal: ended.signal }).catch(() => undefined);
      if (!ended.signal.aborted) await feed(db, began);
    }
  })();
  return {
    async stop() {
      ended.abort();
      await playing;
    },
  };
}

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

/** The built pages over a database in which a connector stands in each state of the replay window. */
export async function startWindowScene(): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-scene-"));
  const server = await startTestServer();
  const { url: databaseUrl, db } = await server.create();
  const playing = await playWindowScene(db);
  const { url, child } = await servePages(databaseUrl, folder);
  return {
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
