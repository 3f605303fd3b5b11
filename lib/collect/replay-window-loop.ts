import type { JudgedConnector } from "@/lib/checks/judged";
import { type Failure, type Look, observe } from "@/lib/observed/observation";
import type { ReplayWindow } from "@/lib/observed/replay-window";
import type { WindowPoint } from "@/lib/observed/window-series";
import { saveWindowParts } from "@/lib/store/connectors";
import { type Database, DatabaseUnavailable } from "@/lib/store/database";
import { saveRestart } from "@/lib/store/restarts";
import { savePoints } from "@/lib/store/window-series";
import type { BrokerProbe } from "./cluster-probe";
import { type ClusterWatch, changeConnectors, onSameBrokers } from "./cluster-watch";
import { inTurn } from "./in-turn";
import { refineBursts } from "./replay-window/burst";
import type { ClusterWindows } from "./replay-window/cluster-windows";
import { countMoved } from "./replay-window/count-moved";
import { lookAtFleet } from "./replay-window/fleet-look";
import { type Measured, measureByTime } from "./replay-window/measured";
import { lookAtNewestBatches } from "./replay-window/newest-batches";
import { rollUpFinished } from "./replay-window/roll-ups";
import { questionOf, sharedTopics, type Target, targetOf } from "./replay-window/target";
import { toPoint, toWindow, unknownPoint } from "./replay-window/to-window";
import { seenTasks } from "./restarts/task-starts";
import { sharedFailure } from "./shared-failure";

/** Connectors whose restarts are looked for at a time: one that is being measured reads its topics. */
const RESTARTS_AT_ONCE = 2;

/** Points kept of one connector at most: hours of polls, or half an hour of bursts. */
const MOST_POINTS = 2_000;

/** What one poll brought for one connector. */
interface Outcome {
  known: JudgedConnector;
  look: Look<ReplayWindow>;
  point: WindowPoint;
  /** Null where it could not be measured. */
  measured: Measured | null;
}

/**
 * Measures the replay window of every change connector of one cluster: all by time, in at most three requests a broker; those
 * that moved by position as well, as far as the byte budget of one poll reaches.
 */
export async function lookAtReplayWindows(
  watch: ClusterWatch,
  windows: ClusterWindows,
  db: Database,
): Promise<Failure | null> {
  const { name: cluster } = watch.cluster;
  const connectors = changeConnectors(watch);
  await windows.begin(watch, connectors, db);
  if (connectors.length === 0) return windows.partitionsHeld;
  const { brokers } = watch.probe;
  const outcomes = brokers
    ? await measureAll(brokers, watch, windows, connectors)
    : connectors.map((known) => unknownOutcome(known, noBrokers, new Date()));
  // What was read by then is incomplete.
  if (windows.signal.aborted) return null;
  const shown = new Map(outcomes.map((o) => [o.known.connector, windows.memoryOf(o.known.connector).shown]));
  await keep(watch, windows, outcomes, db);
  let failure = brokers ? sharedFailure(outcomes.map((o) => o.look.failure ?? null)) : null;
  if (brokers) {
    const between = await refineBursts(
      brokers.log,
      outcomes.flatMap((o) => o.measured ?? []),
    );
    if (between.length > 0) await savePoints(db, cluster, between);
    failure ??= await lookForRestarts(windows, outcomes, shown, db);
  }
  await rollUpFinished(db, cluster, windows.series(watch), Date.now());
  return failure ?? windows.partitionsHeld;
}

async function measureAll(
  brokers: BrokerProbe,
  watch: ClusterWatch,
  windows: ClusterWindows,
  connectors: readonly JudgedConnector[],
): Promise<Outcome[]> {
  const at = new Date();
  const shared = sharedTopics(onSameBrokers(watch, windows.watches).flatMap(changeConnectors));
  const targets = connectors.map((known) => ({
    known,
    target: attempt(() => targetOf(known, windows.memoryOf(known.connector), shared)),
  }));
  const questions = targets.flatMap(({ target }) => (target.value ? questionOf(target.value) : []));
  const fleet = await lookAtFleet(brokers, questions);
  const measured = new Map<string, Look<Measured>>();
  for (const { known, target } of targets)
    measured.set(
      known.connector,
      attempt(() => byTimeOf(target, fleet, windows)),
    );
  const some = [...measured.values()].flatMap((look) => look.value ?? []);
  const { poll, registry, signal } = windows;
  await lookAtNewestBatches(brokers.log, some, poll, signal);
  await countMoved(brokers.log, some, poll, at, signal, { registry });
  return connectors.map((known) => {
    const one = measured.get(known.connector) ?? { failure: noBrokers };
    const look = attempt(() => windowOf(one, windows, at));
    if (look.failure !== undefined) return unknownOutcome(known, look.failure, at);
    const { window, produced } = look.value;
    return { known, look: { value: window }, point: toPoint(window, produced), measured: one.value ?? null };
  });
}

function byTimeOf(
  target: Look<Target>,
  fleet: Awaited<ReturnType<typeof lookAtFleet>>,
  windows: ClusterWindows,
): Look<Measured> {
  if (target.failure !== undefined) return target;
  if (fleet.failure !== undefined) return fleet;
  const { connector } = target.value.known;
  const looks = fleet.value.get(connector) ?? new Map();
  return { value: measureByTime(target.value, windows.memoryOf(connector), looks) };
}

function windowOf(
  one: Look<Measured>,
  windows: ClusterWindows,
  at: Date,
): Look<{ window: ReplayWindow; produced: number | null }> {
  if (one.failure !== undefined) return one;
  const { memory, target, ends } = one.value;
  const flush = windows.flush.of(memory, target.known.commits?.value ?? null);
  const window = toWindow(one.value, flush, windows.poll, at);
  return { value: { window, produced: memory.produced.add(ends) } };
}

/** What one connector's data make us stumble over must not reach another. */
function attempt<T>(work: () => Look<T>): Look<T> {
  try {
    return work();
  } catch (error) {
    return { failure: stumbled("measuring its replay window", error) };
  }
}

function stumbled(over: string, error: unknown): Failure {
  const text = error instanceof Error ? error.message : String(error);
  return { kind: "internal", sentence: `${over} failed: ${text}`, remedy: null };
}

const unknownOutcome = (known: JudgedConnector, failure: Failure, at: Date): Outcome => ({
  known,
  look: { failure },
  point: unknownPoint(at),
  measured: null,
});

/** Keeps what the poll brought: in the watch for the checks, in the store, in the memory for the next poll. */
async function keep(
  watch: ClusterWatch,
  windows: ClusterWindows,
  outcomes: readonly Outcome[],
  db: Database,
): Promise<void> {
  const parts = new Map<string, NonNullable<JudgedConnector["window"]>>();
  const points: { connector: string; point: WindowPoint }[] = [];
  for (const { known, look, point } of outcomes) {
    const { connector } = known;
    const now = watch.connectors.get(connector);
    // Gone while we looked.
    if (!now) continue;
    const window = observe(now.window ?? null, look, new Date(point.at));
    watch.connectors.set(connector, { ...now, window });
    const memory = windows.memoryOf(connector);
    memory.shown = look.value ?? memory.shown;
    memory.points.push(point);
    // While the database is away nothing is rolled up: what is older is left out then.
    if (memory.points.length > MOST_POINTS) memory.points = memory.points.slice(-MOST_POINTS);
    parts.set(connector, window);
    points.push({ connector, point });
  }
  await saveWindowParts(db, watch.cluster.name, parts);
  await savePoints(db, watch.cluster.name, points);
}

/** Returns why the restarts of a connector could not be looked for, where that is its own. @throws DatabaseUnavailable */
async function lookForRestarts(
  windows: ClusterWindows,
  outcomes: readonly Outcome[],
  shown: ReadonlyMap<string, ReplayWindow | null>,
  db: Database,
): Promise<Failure | null> {
  const { restarts } = windows;
  if (!restarts) return null;
  const failures = await inTurn(outcomes, RESTARTS_AT_ONCE, async ({ known, measured, point }) => {
    if (!measured) return null;
    const { target, memory, looks } = measured;
    const { connector, commits } = known;
    const input = {
      connector,
      type: target.type,
      config: target.config,
      inForce: target.inForce,
      history: commits?.value ?? null,
      looks,
      runIds: memory.runIds,
      tasks: seenTasks(known.report, known.times),
      shown: shown.get(connector) ?? null,
      now: new Date(point.at),
    };
    try {
      for (const restart of await restarts.look(input)) await saveRestart(db, restart);
      return null;
    } catch (error) {
      if (error instanceof DatabaseUnavailable || windows.signal.aborted) throw error;
      return stumbled(`looking for restarts of ${connector}`, error);
    }
  });
  return failures.find((failure) => failure !== null) ?? null;
}

const noBrokers: Failure = {
  kind: "not-configured",
  sentence: "no Kafka brokers are configured for this cluster",
  remedy: "set kafka.brokers of the cluster, or KAFKA_BROKERS",
};
