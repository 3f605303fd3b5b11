import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { duplicateLimits } from "@/lib/config/duplicate-limits";
import { replayLimits } from "@/lib/config/replay-limits";
import type { Settings } from "@/lib/config/settings";
import { openRegistry, type SchemaRegistry } from "@/lib/kafka/registry";
import type { LoopRun } from "@/lib/observed/process";
import { keepOnlyClusters, readClusters } from "@/lib/store/clusters";
import { readConnectors } from "@/lib/store/connectors";
import type { Database } from "@/lib/store/database";
import { saveBeat, saveLoop } from "@/lib/store/loops";
import type { ClusterWatch } from "./cluster-watch";
import { lookAtConnectors } from "./connectors-loop";
import { ClusterDuplicates } from "./duplicates/cluster-duplicates";
import { measurePartition } from "./duplicates/measure-partition";
import { lookAtDuplicates } from "./duplicates-loop";
import { lookAtHistories } from "./history-loop";
import { type Judged, judgeWatch } from "./judge-loop";
import { keepRunning, type Loop } from "./loop";
import { Measurements } from "./measurements-loop";
import { storedIn } from "./offset-topic/commit-store";
import { openOffsetTopics } from "./offset-topic/offset-topics";
import { lookAtOffsetTopics } from "./offset-topic-loop";
import { lookAtOffsets } from "./offsets-loop";
import { openProbe } from "./open-probe";
import { ClusterWindows } from "./replay-window/cluster-windows";
import { lookAtReplayWindows } from "./replay-window-loop";
import { openRestartWatch } from "./restarts/watch-restarts";
import { openClusterScan } from "./scan/cluster-scan";
import { scanTopic } from "./scan/scan-topic";
import { lookAtTopics } from "./topics-loop";

const BEAT_EVERY_MS = 2_000;
/** How often it is looked for a measurement that somebody asked for: a person waits for it. */
const MEASURE_EVERY_MS = 2_000;
/** Bytes of the log a second that a scan may read for which a person waits. One that runs by itself has its setting. */
const ASKED_BYTES_PER_SECOND = 16 * 1024 * 1024;
/** Newer commits are waited for so long before a replay window is measured. */
const FRESH_COMMITS_MS = 2_000;
/** The first time the offset topic is read from its start. Without its times a window is a guess. */
const FIRST_COMMITS_MS = 20_000;

export interface CollectorOptions {
  settings: Settings;
  db: Database;
  version: string;
  signal: AbortSignal;
  log: (line: string) => void;
}

/** Runs all loops over all clusters until `signal` aborts. Only a fault before the first loop ends it otherwise. */
export async function runCollector({ settings, db, version, signal, log }: CollectorOptions): Promise<void> {
  const startedAt = new Date();
  const watches = await untilItWorks(() => openWatches(settings, db), signal, log);
  if (!watches) return;
  const record = async (run: LoopRun) => {
    if (run.failure) log(`${run.cluster ?? "all"}: ${run.name}: ${run.failure.sentence}`);
    // The database may be the very thing that failed: the next run tries again.
    await saveLoop(db, run).catch(() => undefined);
  };
  const beat: Loop = {
    name: "beat",
    cluster: null,
    intervalMs: BEAT_EVERY_MS,
    run: async () => {
      await saveBeat(db, { kind: "collect", pid: process.pid, version, startedAt, beatAt: new Date() });
      return null;
    },
  };
  // Each loop listens, and each cluster has several.
  setMaxListeners(0, signal);
  const measurements = new Measurements({
    ...{ db, watches, signal, registryOf: registriesOf(settings, signal) },
    instruments: { bisect: measurePartition, scan: scanTopic },
    maxBytesPerSecond: Math.max(ASKED_BYTES_PER_SECOND, settings.scan.maxBytesPerSecond),
  });
  const asked: Loop = {
    ...{ name: "measurements", cluster: null, intervalMs: MEASURE_EVERY_MS },
    run: () => measurements.look(),
  };
  const loops = [
    ...[beat, asked],
    ...watches.flatMap((watch) => clusterLoops(watch, watches, settings, db, signal)),
  ];
  log(`watching ${watches.map((w) => w.cluster.name).join(", ") || "no cluster: none is configured"}`);
  await Promise.all(loops.map((loop) => keepRunning(loop, record, signal)));
  await measurements.ended();
  await Promise.all(watches.map((watch) => watch.probe.close()));
}

async function openWatches(settings: Settings, db: Database): Promise<ClusterWatch[]> {
  await keepOnlyClusters(
    db,
    settings.clusters.map((c) => c.name),
  );
  const [clusters, connectors] = await Promise.all([readClusters(db), readConnectors(db)]);
  return settings.clusters.map((cluster) => {
    const stored = clusters.find((c) => c.name === cluster.name);
    const hasBrokers = cluster.kafka !== undefined;
    return {
      probe: openProbe(cluster),
      brokers: cluster.kafka?.brokers ?? [],
      offsetTopic: cluster.offsetTopic ?? null,
      groupId: cluster.groupId ?? null,
      cluster: {
        name: cluster.name,
        connect: stored?.connect ?? null,
        kafka: hasBrokers ? (stored?.kafka ?? null) : null,
        failingSince: stored?.failingSince ?? null,
        hasBrokers,
      },
      connectors: new Map(
        connectors.filter((c) => c.cluster === cluster.name).map((c) => [c.connector, c] as const),
      ),
      followed: new Set(),
      deletedOldAt: 0,
    };
  });
}

function clusterLoops(
  watch: ClusterWatch,
  watches: readonly ClusterWatch[],
  settings: Settings,
  db: Database,
  signal: AbortSignal,
): Loop[] {
  const { poll, checks } = settings;
  const { probe, cluster, offsetTopic } = watch;
  const offsetTopics =
    probe.brokers &&
    openOffsetTopics({
      named: offsetTopic,
      brokers: probe.brokers,
      readOffsets: probe.readOffsets,
      store: storedIn(db, cluster.name),
      signal,
    });
  const judged: Judged = new Map();
  const limits = {
    unassignedMs: checks.taskUnassigned * 1000,
    silentMs: checks.silent * 1000,
    rebalanceMs: checks.rebalance * 1000,
    replay: (connector: string) => replayLimits(settings, cluster.name, connector),
    duplicates: duplicateLimits(settings),
  };
  const loop = (name: string, seconds: number, run: Loop["run"]): Loop => ({
    name,
    cluster: watch.cluster.name,
    intervalMs: seconds * 1000,
    run,
  });
  // The other loops ask about connectors: they wait for the first list, whatever came of it.
  let markListed = () => {};
  const listed = new Promise<void>((resolve) => {
    markListed = resolve;
  });
  const afterList = (run: Loop["run"]) => () => listed.then(run);
  const steady = (name: string, seconds: number, run: Loop["run"]): Loop => ({
    ...loop(name, seconds, afterList(run)),
    steady: true,
  });
  // Stopped in the middle of a read.
  const untilStopped = (error: unknown) => {
    if (signal.aborted) return null;
    throw error;
  };
  const lookAtCommits = oneAtATime(() => lookAtOffsetTopics(watch, offsetTopics, db));
  const registry = registryOf(cluster.name, settings, signal);
  // A window is as true as its commit is new. One whose offset topic is slow is told by the commit it has.
  let patienceMs = FIRST_COMMITS_MS;
  const freshCommits = async () => {
    await Promise.race([lookAtCommits().catch(() => null), sleep(patienceMs, null, { ref: false })]);
    patienceMs = FRESH_COMMITS_MS;
  };
  const restarts = probe.brokers && openRestartWatch(cluster.name, probe.brokers.log, db, registry);
  const windows = new ClusterWindows({ watches, restarts, registry, signal });
  const { bytesPerLook } = checks.duplicates;
  const duplicates = new ClusterDuplicates({ cluster: cluster.name, registry, bytesPerLook, signal });
  const named = settings.clusters.find(({ name }) => name === cluster.name);
  const scan = openClusterScan({ watch, cluster: named, settings: settings.scan, db, registry, signal });
  const lookAtList = () =>
    lookAtConnectors(watch, db).finally(() => {
      // What explains a replay is seen here, more often than replays are looked for.
      duplicates.seen.take(watch, new Date());
      markListed();
    });
  return [
    loop("connectors", poll.connectors, lookAtList),
    steady("offsets", poll.offsets, () => lookAtOffsets(watch, db)),
    loop(
      "offset topic",
      poll.offsets,
      afterList(() => lookAtCommits().catch(untilStopped)),
    ),
    loop(
      "replay window",
      poll.replayWindow,
      afterList(async () => {
        if (offsetTopics) await freshCommits();
        return lookAtReplayWindows(watch, windows, db).catch(untilStopped);
      }),
    ),
    steady("topics", poll.topics, () => lookAtTopics(watch, db)),
    loop(
      "duplicates",
      poll.duplicates,
      afterList(() => lookAtDuplicates(watch, duplicates, db).catch(untilStopped)),
    ),
    ...(settings.scan.enabled && probe.brokers
      ? [
          loop(
            "scan",
            poll.duplicates,
            afterList(() => scan().catch(untilStopped)),
          ),
        ]
      : []),
    loop(
      "schema history",
      poll.schemaHistory,
      afterList(() => lookAtHistories(watch, db)),
    ),
    loop(
      "checks",
      Math.min(poll.connectors, poll.schemaHistory),
      afterList(() => judgeWatch(watch, watches, limits, judged, db)),
    ),
  ];
}

/** Null where the settings name none for the cluster. */
function registryOf(cluster: string, { clusters }: Settings, signal: AbortSignal): SchemaRegistry | null {
  const named = clusters.find(({ name }) => name === cluster)?.schemaRegistry;
  if (!named) return null;
  const registry = openRegistry(named);
  signal.addEventListener("abort", () => registry.close(), { once: true });
  return registry;
}

/** By cluster; each is opened at its first use. */
function registriesOf(settings: Settings, signal: AbortSignal): (cluster: string) => SchemaRegistry | null {
  const opened = new Map<string, SchemaRegistry | null>();
  return (cluster) => {
    const registry = opened.has(cluster)
      ? (opened.get(cluster) ?? null)
      : registryOf(cluster, settings, signal);
    opened.set(cluster, registry);
    return registry;
  };
}

/** Whoever asks while it is being done gets what that brings. */
function oneAtATime<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null;
  return () => {
    running ??= work().finally(() => {
      running = null;
    });
    return running;
  };
}

/** The database may still be starting: tries until it answers. Null when stopped before. */
async function untilItWorks<T>(
  work: () => Promise<T>,
  signal: AbortSignal,
  log: (line: string) => void,
): Promise<T | null> {
  while (!signal.aborted) {
    try {
      return await work();
    } catch (error) {
      log(`waiting for the database: ${error instanceof Error ? error.message : String(error)}`);
      await sleep(1_000, undefined, { signal }).catch(() => undefined);
    }
  }
  return null;
}
