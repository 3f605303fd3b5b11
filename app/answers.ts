import { aboutDatabase } from "@/lib/store/about";
import { appDatabase } from "@/lib/store/app-database";
import { readClusters } from "@/lib/store/clusters";
import { readCommitsBetween } from "@/lib/store/commits";
import { readConnector, readConnectors } from "@/lib/store/connectors";
import { type Database, DatabaseUnavailable } from "@/lib/store/database";
import { type FindingFilter, readFindings } from "@/lib/store/findings";
import { readBeats, readLoops } from "@/lib/store/loops";
import { readRestarts } from "@/lib/store/restarts";
import { readRollups } from "@/lib/store/window-rollups";
import { readPoints } from "@/lib/store/window-series";
import { readSparks } from "@/lib/store/window-sparks";
import { type ConnectorView, connectorView, recentlyClosedMs } from "@/lib/views/connector";
import type { AnswerError } from "@/lib/views/error-answer";
import { type FindingsView, findingsView } from "@/lib/views/findings";
import { type FleetView, fleetView } from "@/lib/views/fleet";
import { rangeMs, replayHistoryView } from "@/lib/views/replay-history";
import type { ReplayHistoryView } from "@/lib/views/replay-window-schema";
import { type SchemaHistoryView, schemaHistoryView } from "@/lib/views/schema-history";
import { type StatusView, statusView } from "@/lib/views/status";
import type { Surroundings } from "@/lib/views/surroundings";
import type { WindowRange } from "@/lib/views/window-range";
import type { Answer } from "./answer";
import { pollIntervals } from "./poll-intervals";
import { replayLimitsOf } from "./replay-limits";

/** Reads the store and builds a view of it; a database that is away becomes an error answer. */
export async function answer<T>(build: (db: Database) => Promise<T | AnswerError>): Promise<Answer<T>> {
  try {
    const view = await build(appDatabase());
    return isError(view) ? { ok: false, error: view } : { ok: true, view };
  } catch (error) {
    if (error instanceof DatabaseUnavailable) return { ok: false, error: databaseAway(error) };
    console.error(error);
    return { ok: false, error: internal };
  }
}

function isError(value: unknown): value is AnswerError {
  return typeof value === "object" && value !== null && "kind" in value && "remedy" in value;
}

function databaseAway(error: DatabaseUnavailable): AnswerError {
  return {
    kind: "database-unavailable",
    sentence: error.message,
    remedy: "Nothing stored is lost; this page mends itself when the database is back.",
  };
}

const internal: AnswerError = {
  kind: "internal",
  sentence: "Tidemark could not build this answer: a fault of its own.",
  remedy: "The log of the web process says more.",
};

export async function surroundings(db: Database): Promise<Surroundings> {
  const [clusters, beats] = await Promise.all([readClusters(db), readBeats(db)]);
  return { clusters, beats, poll: pollIntervals(), now: new Date() };
}

/** A sparkline of the fleet: the last hour in so many parts. */
const sparkMs = 3_600_000;
const sparkBuckets = 30;

export function fleetAnswer(): Promise<Answer<FleetView>> {
  return answer(async (db) => {
    const [around, connectors, openFindings, sparks] = await Promise.all([
      surroundings(db),
      readConnectors(db),
      readFindings(db, { state: "open" }),
      readSparks(db, new Date(Date.now() - sparkMs), sparkBuckets),
    ]);
    return fleetView({ ...around, connectors, openFindings, sparks });
  });
}

export function connectorAnswer(cluster: string, name: string): Promise<Answer<ConnectorView>> {
  // No name holds NUL, and PostgreSQL takes none.
  if (/\0/.test(cluster + name))
    return Promise.resolve({ ok: false, error: unknownConnector(cluster, name) });
  return answer(async (db) => {
    const closedAfter = new Date(Date.now() - recentlyClosedMs);
    const [around, connector, openFindings, recentlyClosed] = await Promise.all([
      surroundings(db),
      readConnector(db, cluster, name),
      readFindings(db, { cluster, connector: name, state: "open" }),
      readFindings(db, { cluster, connector: name, state: "recently-closed", closedAfter }),
    ]);
    if (!connector) return unknownConnector(cluster, name);
    const limits = replayLimitsOf(cluster, name);
    return connectorView({ ...around, connector, openFindings, recentlyClosed, limits });
  });
}

/** The dial's longest interval is known from the first moment with the points of this long before, in milliseconds. */
const dialReachMs = 300_000;

export function replayHistoryAnswer(
  cluster: string,
  connector: string,
  range: WindowRange,
): Promise<Answer<ReplayHistoryView>> {
  if (/\0/.test(cluster + connector))
    return Promise.resolve({ ok: false, error: unknownConnector(cluster, connector) });
  return answer(async (db) => {
    const of = { cluster, connector };
    const now = new Date();
    const last = (time: WindowRange, earlierMs = 0) => ({
      from: new Date(now.getTime() - rangeMs[time] - earlierMs),
      to: new Date(now.getTime() + 1),
    });
    const [known, points, minutes, hours, commits, restarts] = await Promise.all([
      readConnector(db, cluster, connector),
      readPoints(db, of, last("1h", dialReachMs)),
      readRollups(db, of, "minute", last("24h")),
      readRollups(db, of, "hour", last("7d")),
      readCommitsBetween(db, of, last(range)),
      readRestarts(db, of, last(range)),
    ]);
    if (!known) return unknownConnector(cluster, connector);
    return replayHistoryView({
      cluster,
      connector,
      range,
      now,
      points,
      minutes,
      hours,
      commits: commits.map((c) => new Date(c.at)),
      restarts,
      flushInterval: known.window?.value?.flushInterval ?? null,
      sourcePartitions: known.window?.value?.commits.length || 1,
    });
  });
}

export function unknownConnector(cluster: string, name: string): AnswerError {
  return {
    kind: "not-found",
    sentence: `No connector named “${name}” has been seen on a cluster named “${cluster}”.`,
    remedy: "See the fleet for the names that are known; a new connector appears within a poll.",
  };
}

export function schemaHistoryAnswer(): Promise<Answer<SchemaHistoryView>> {
  return answer(async (db) => {
    const [around, connectors] = await Promise.all([surroundings(db), readConnectors(db)]);
    return schemaHistoryView({ ...around, connectors });
  });
}

export function statusAnswer(): Promise<Answer<StatusView>> {
  return answer(async (db) => {
    const [around, connectors, loops, database] = await Promise.all([
      surroundings(db),
      readConnectors(db),
      readLoops(db),
      aboutDatabase(db),
    ]);
    return statusView({ ...around, connectors, loops, database });
  });
}

export function findingsAnswer(filter: FindingFilter): Promise<Answer<FindingsView>> {
  const known = Object.fromEntries(Object.entries(filter).filter(([, value]) => !/\0/.test(String(value))));
  if (Object.keys(known).length < Object.keys(filter).length) {
    const error = {
      kind: "bad-request",
      sentence: "A name in the query holds a NUL character; no cluster or connector has one.",
      remedy: "Leave it out.",
    } as const;
    return Promise.resolve({ ok: false, error });
  }
  return answer(async (db) => {
    const [around, findings] = await Promise.all([surroundings(db), readFindings(db, filter)]);
    return findingsView({ ...around, findings });
  });
}
