import type { PartitionDuplicates } from "@/lib/observed/duplicates";
import { saveConnectorParts } from "@/lib/store/connectors";
import type { Database } from "@/lib/store/database";
import {
  askMeasurement,
  cancelMeasurement,
  endMeasurement,
  saveProgress,
  takeMeasurement,
} from "@/lib/store/measurements";
import { saveReplays } from "@/lib/store/replays";
import { saveRestart } from "@/lib/store/restarts";
import { duplicatesConnectors, scanOf } from "@/lib/views/scene-duplicates";
import { duplicatesRestarts, duplicatesStates, replaysOf } from "@/lib/views/scene-replays";
import { judgeScene, keepFeeding, SCENE, saveWatch, startScene } from "./scene-play";

const owner = "collect-1";

const limits = {
  unassignedMs: 300_000,
  silentMs: 3_600_000,
  rebalanceMs: 120_000,
  replay: () => ({ events: null, bytes: null, spanMs: null }),
  duplicates: { rate: 0.005 },
};

/** One round of what a collector does: everything seen again just now, and judged. */
async function feed(db: Database, began: Date): Promise<void> {
  const now = new Date();
  await saveWatch(db, began, now);
  const connectors = duplicatesConnectors(now, began);
  for (const known of connectors) {
    const { report, times, offsets, topics, ends, duplicates } = known;
    await saveConnectorParts(db, SCENE, known.connector, {
      report,
      times,
      offsets,
      topics,
      ends,
      duplicates,
    });
  }
  await judgeScene(db, connectors, limits, now);
}

/** Replays and restarts as they were when the scene began: they do not move with the time. */
async function fillPast(db: Database, began: Date): Promise<void> {
  for (const state of duplicatesStates) {
    await saveReplays(db, replaysOf(state, began));
    for (const restart of duplicatesRestarts(state, began)) await saveRestart(db, restart);
  }
}

/** A partition in which two replays were found, and one of which nothing can be said. */
function partitions(topic: string, began: Date): PartitionDuplicates[] {
  const replays = replaysOf("two", began).map((replay) => ({ ...replay, topic }));
  const partition = {
    topic,
    topicId: "q1Hc3mYQRbOCUoqvSgz5yw",
    from: 0,
    falls: [],
    runs: [],
    sure: "complete" as const,
    spacing: null,
    uncommittedCopies: 1_449,
  };
  return [
    {
      ...partition,
      partition: 0,
      to: 51_902_126,
      replays,
      notMeasurable: [],
      bytesRead: 4_200_000,
      reads: 410,
    },
    {
      ...partition,
      partition: 1,
      uncommittedCopies: 0,
      to: 1_204,
      replays: [],
      notMeasurable: [
        { slug: "unreadable", reason: "12 records are no Debezium events", count: 12, remedy: null },
      ],
      bytesRead: 80_000,
      reads: 9,
    },
  ];
}

/** Ids of measurements by what became of them. */
export interface SceneMeasurements {
  running: string;
  bisected: string;
  scanned: string;
  failed: string;
  cancelled: string;
}

/** Measurements as people would have asked for them and a collector left them. One goes on running. */
async function fillMeasurements(db: Database, began: Date): Promise<SceneMeasurements> {
  const range = { from: null, to: null };
  const ask = (topic: string, method: "bisect" | "scan", agoMs: number) =>
    askMeasurement(db, { cluster: SCENE, topic, method, ...range }, new Date(began.getTime() - agoMs));
  const take = async (topic: string, method: "bisect" | "scan", agoMs: number, tookMs: number) => {
    const { id } = await ask(topic, method, agoMs);
    await takeMeasurement(db, [SCENE], owner, new Date(began.getTime() - agoMs + 800));
    return { id, owner, at: new Date(began.getTime() - agoMs + 800 + tookMs) };
  };
  const bisected = await take("legacy.orders", "bisect", 400_000, 3_100);
  await saveProgress(db, bisected, { done: 51_903_330, total: 51_903_330, bytesRead: 4_280_000 });
  const found = partitions("legacy.orders", began);
  await endMeasurement(
    db,
    bisected,
    { state: "done", result: { partitions: found, scan: null }, replays: 2, duplicates: 39_932 },
    bisected.at,
  );
  const scanned = await take("legacy.orders", "scan", 300_000, 95_000);
  await saveProgress(db, scanned, { done: 4_924_971, total: 4_924_971, bytesRead: 3_438_631_700 });
  const scan = scanOf("legacy.orders", 4_912_331, began, { keyOrderViolations: 3, uncommittedCopies: 1_449 });
  await endMeasurement(
    db,
    scanned,
    { state: "done", result: { partitions: [], scan }, replays: 0, duplicates: scan.duplicates },
    scanned.at,
  );
  const failed = await take("legacy.gone", "bisect", 200_000, 900);
  await endMeasurement(
    db,
    failed,
    {
      state: "failed",
      failure: {
        sentence: "There is no topic legacy.gone on eu-1: it was deleted, or never was",
        remedy: "Check the name: capitals count.",
      },
    },
    failed.at,
  );
  const { id: cancelled } = await ask("legacy.large", "scan", 100_000);
  await cancelMeasurement(db, cancelled, new Date(began.getTime() - 90_000));
  const running = await take("legacy.events", "scan", 42_000, 0);
  return {
    running: running.id,
    bisected: bisected.id,
    scanned: scanned.id,
    failed: failed.id,
    cancelled,
  };
}

async function goOn(db: Database, id: string, began: Date): Promise<void> {
  const share = Math.min(0.9, 0.25 + (Date.now() - began.getTime()) / 600_000);
  const total = 9_120_440;
  const done = Math.round(total * share);
  await saveProgress(db, { id, owner }, { done, total, bytesRead: done * 690 });
}

/** Fills a database as a collector would, and goes on until `stop`. */
async function playDuplicatesScene(
  db: Database,
): Promise<{ measurements: SceneMeasurements; stop(): Promise<void> }> {
  const began = new Date();
  await feed(db, began);
  await fillPast(db, began);
  const measurements = await fillMeasurements(db, began);
  await goOn(db, measurements.running, began);
  const playing = keepFeeding(async () => {
    await feed(db, began);
    await goOn(db, measurements.running, began);
  });
  return { ...playing, measurements };
}

/** The built pages over a database in which a connector stands in each state of duplicates. */
export const startDuplicatesScene = () => startScene(playDuplicatesScene);
