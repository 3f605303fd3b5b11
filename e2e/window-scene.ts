import type { JudgedConnector } from "@/lib/checks/judged";
import { mergeRollups, rollUp } from "@/lib/measure/replay-window/roll-up";
import type { WindowRollup } from "@/lib/observed/window-series";
import { type CommitOf, saveCommits } from "@/lib/store/commits";
import { saveConnectorParts } from "@/lib/store/connectors";
import type { Database } from "@/lib/store/database";
import { saveRestart } from "@/lib/store/restarts";
import { keepWindowPartitions } from "@/lib/store/window-partitions";
import { saveRollups } from "@/lib/store/window-rollups";
import { savePoints } from "@/lib/store/window-series";
import {
  offsetCommits,
  seriesOf,
  type WindowSeries,
  type WindowState,
  windowStates,
} from "@/lib/views/scene-series";
import { windowConnectors } from "@/lib/views/scene-windows";
import { judgeScene, keepFeeding, SCENE, saveWatch, startScene } from "./scene-play";
import { sceneLimits } from "./serve-pages";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
/** How far back a roll-up's longest interval of the dial looks. */
const lookBack = 5 * minute;

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
async function fillPast(db: Database, began: Date, { restarts }: MoreOfIt): Promise<void> {
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
    for (const restart of restarts ? series.restarts : []) await saveRestart(db, restart);
  }
}

async function saveConnector(db: Database, known: JudgedConnector): Promise<void> {
  const { report, times, offsets, commits, topics, ends, history, window, duplicates } = known;
  await saveConnectorParts(db, SCENE, known.connector, {
    report,
    times,
    offsets,
    commits,
    topics,
    ends,
    history,
    window,
    ...(duplicates ? { duplicates } : {}),
  });
}

/** One round of what a collector does: everything seen again just now, judged, and the newest points. */
async function feed(db: Database, began: Date, more: MoreOfIt): Promise<void> {
  const now = new Date();
  await saveWatch(db, began, now);
  const connectors = windowConnectors(now, began).map((known) => more.of(known, now, began));
  for (const known of connectors) await saveConnector(db, known);
  const limits = {
    unassignedMs: 300_000,
    silentMs: hour,
    rebalanceMs: 120_000,
    replay: () => sceneLimits,
    duplicates: { rate: 0.01 },
  };
  await judgeScene(db, connectors, limits, now);
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

/** What else a scene knows of these connectors. */
export interface MoreOfIt {
  /** Whether the last hour's restarts are told. */
  restarts: boolean;
  of(known: JudgedConnector, now: Date, began: Date): JudgedConnector;
  fillPast(db: Database, began: Date): Promise<void>;
}

const nothingMore: MoreOfIt = { restarts: true, of: (known) => known, fillPast: async () => {} };

/** Fills a database as a collector would, and goes on until `stop`. */
async function playWindowScene(db: Database, more: MoreOfIt): Promise<{ stop(): Promise<void> }> {
  const began = new Date();
  await feed(db, began, more);
  await fillPast(db, began, more);
  await more.fillPast(db, began);
  await feed(db, began, more);
  return keepFeeding(() => feed(db, began, more));
}

/** The built pages over a database in which a connector stands in each state of the replay window. */
export const startWindowScene = (more = nothingMore) => startScene((db) => playWindowScene(db, more));
