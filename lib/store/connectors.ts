import { z } from "zod";
import type { JudgedConnector } from "@/lib/checks/judged";
import { verdictSchema } from "@/lib/checks/verdict";
import { type CommitHistory, commitHistorySchema } from "@/lib/observed/commits";
import {
  connectorReportSchema,
  type StateTimes,
  stateTimesSchema,
  storedOffsetsSchema,
} from "@/lib/observed/connector";
import { type ConnectorDuplicates, connectorDuplicatesSchema } from "@/lib/observed/duplicates";
import type { Observation } from "@/lib/observed/observation";
import { type ReplayWindow, replayWindowSchema } from "@/lib/observed/replay-window";
import { connectorTopicsSchema, historyTopicSchema, topicEndsSchema } from "@/lib/observed/topic";
import { withRecentCommits } from "./commits";
import type { Database, Statements } from "./database";
import { closeFindingsOf } from "./findings";
import type { Prisma } from "./generated/client";
import { fitting, fittingMembers, observationColumns, readPart } from "./observations";
import { withNewestReplays } from "./replays";

/** What one poll of a cluster says of one connector. */
export type ReportToSave = Pick<
  JudgedConnector,
  "connector" | "firstSeenAt" | "missingSince" | "report" | "times"
>;

/** What separate loops write of one connector, each its own parts. */
export type ConnectorParts = Partial<
  Pick<
    JudgedConnector,
    | "missingSince"
    | "times"
    | "report"
    | "offsets"
    | "commits"
    | "window"
    | "duplicates"
    | "topics"
    | "ends"
    | "history"
  >
>;

/**
 * Every connector, or those of one cluster, by cluster and name. Of its commits each has the newest of a source partition
 * only, and of its replays the newest {@link replaysInPart}. @throws DatabaseUnavailable
 */
export function readConnectors(db: Database, cluster?: string): Promise<JudgedConnector[]> {
  return db.run((statements) => readWhere(statements, { cluster }));
}

/** Replays that are stored with a connector: a list of a thousand connectors is read with each page. */
const replaysInPart = 10;

/** One connector, with all of its recent commits and its newest 200 replays; null when it is not known. @throws DatabaseUnavailable */
export async function readConnector(
  db: Database,
  cluster: string,
  connector: string,
): Promise<JudgedConnector | null> {
  return db.run(async (statements) => {
    const [found] = await readWhere(statements, { cluster, name: connector });
    if (!found) return null;
    const { commits, duplicates } = found;
    return {
      ...found,
      commits: commits?.value
        ? { ...commits, value: await withRecentCommits(statements, found, commits.value) }
        : commits,
      duplicates: duplicates?.value
        ? { ...duplicates, value: await withNewestReplays(statements, found, duplicates.value) }
        : duplicates,
    };
  });
}

async function readWhere(
  statements: Statements,
  where: Prisma.ConnectorWhereInput,
): Promise<JudgedConnector[]> {
  const rows = await statements.connector.findMany({
    where,
    orderBy: [{ cluster: "asc" }, { name: "asc" }],
    include: { observations: true },
    omit: { verdictsDigest: true },
  });
  return rows.flatMap((row) => {
    const report = readPart(row.observations, "report", connectorReportSchema);
    if (!report) return [];
    return {
      cluster: row.cluster,
      connector: row.name,
      firstSeenAt: row.firstSeenAt,
      missingSince: row.missingSince,
      report,
      times: fitting(row.times, stateTimesSchema, noTimes),
      offsets: readPart(row.observations, "offsets", storedOffsetsSchema),
      commits: readPart(row.observations, "commits", commitHistorySchema),
      window: readPart(row.observations, "window", replayWindowSchema),
      duplicates: readPart(row.observations, "duplicates", connectorDuplicatesSchema),
      topics: readPart(row.observations, "topics", connectorTopicsSchema),
      ends: readPart(row.observations, "ends", topicEndsSchema),
      history: readPart(row.observations, "history", historyTopicSchema),
      judgedAt: row.judgedAt,
      verdicts: fittingMembers(row.verdicts, verdictSchema),
    };
  });
}

const noTimes: StateTimes = { connector: null, tasks: [] };

/**
 * Writes what one poll says of a cluster's connectors, in four statements for any number of them.
 * A connector that is not yet known is added; `firstSeenAt` of a known one stays. Others are left alone.
 * @throws DatabaseUnavailable
 */
export async function saveReports(
  db: Database,
  cluster: string,
  reports: readonly ReportToSave[],
): Promise<void> {
  if (reports.length === 0) return;
  await db.transaction(async (statements) => {
    await statements.cluster.createMany({ data: { name: cluster, hasBrokers: false }, skipDuplicates: true });
    await addConnectors(statements, cluster, reports);
    const rows = reports.map(({ connector, report }) => ({ connector, part: "report", observation: report }));
    await saveObservations(statements, cluster, rows);
  });
}

/**
 * Writes the given parts of one connector and leaves the others alone, so that loops can write at the same time.
 * A null part is removed. A connector that is not known is added when `report` is given; else nothing is written.
 * @throws DatabaseUnavailable
 */
export function saveConnectorParts(
  db: Database,
  cluster: string,
  connector: string,
  parts: ConnectorParts,
): Promise<void> {
  const { missingSince, times, report, commits, duplicates, ...others } = parts;
  return db.transaction(async (statements) => {
    if (report) {
      await statements.cluster.createMany({
        data: { name: cluster, hasBrokers: false },
        skipDuplicates: true,
      });
      const firstSeenAt = report.trueAt ?? report.triedAt;
      await statements.connector.createMany({
        data: { cluster, name: connector, firstSeenAt, times: noTimes },
        skipDuplicates: true,
      });
    }
    if (missingSince !== undefined || times !== undefined) {
      await statements.connector.updateMany({
        where: { cluster, name: connector },
        data: { missingSince, times },
      });
    }
    const given = Object.entries({
      report,
      ...others,
      commits: commits && newestOnly(commits),
      duplicates: duplicates && fewReplays(duplicates),
    }).filter(([, observation]) => observation !== undefined);
    const removed = given.filter(([, observation]) => observation === null).map(([part]) => part);
    if (removed.length > 0) {
      await statements.connectorObservation.deleteMany({
        where: { cluster, connector, part: { in: removed } },
      });
    }
    const rows = given.flatMap(([part, observation]) =>
      observation ? [{ connector, part, observation }] : [],
    );
    await saveObservations(statements, cluster, rows);
  });
}

/** {@link saveConnectorParts} for what the offset topic says of many connectors, in two statements. */
export async function saveOffsetParts(
  db: Database,
  cluster: string,
  parts: ReadonlyMap<string, Pick<ConnectorParts, "offsets" | "commits">>,
): Promise<void> {
  const rows = [...parts].flatMap(([connector, { offsets, commits }]) => [
    ...(offsets ? [{ connector, part: "offsets", observation: offsets }] : []),
    ...(commits ? [{ connector, part: "commits", observation: newestOnly(commits) }] : []),
  ]);
  await db.transaction((statements) => saveObservations(statements, cluster, rows));
}

/**
 * {@link saveConnectorParts} for the replay windows of many connectors, in one statement. Those that are not known are left
 * out. @throws DatabaseUnavailable
 */
export async function saveWindowParts(
  db: Database,
  cluster: string,
  windows: ReadonlyMap<string, Observation<ReplayWindow>>,
): Promise<void> {
  if (windows.size === 0) return;
  // A window holds the time of its look: none is what it was before.
  const rows = [...windows].map(([connector, observation]) => ({
    connector,
    part: "window",
    ...observationColumns(observation),
  }));
  await db.run((statements) => writeObservations(statements, cluster, rows));
}

/** {@link saveConnectorParts} for the duplicates of many connectors, in two statements. @throws DatabaseUnavailable */
export async function saveDuplicatesParts(
  db: Database,
  cluster: string,
  duplicates: ReadonlyMap<string, Observation<ConnectorDuplicates>>,
): Promise<void> {
  const rows = [...duplicates].map(([connector, observation]) => ({
    connector,
    part: "duplicates",
    observation: fewReplays(observation),
  }));
  await db.transaction((statements) => saveObservations(statements, cluster, rows));
}

/** Replays have a table of their own, as commits have. */
function fewReplays(duplicates: Observation<ConnectorDuplicates>): Observation<ConnectorDuplicates> {
  if (!duplicates.value) return duplicates;
  const { topics, replays } = duplicates.value;
  return { ...duplicates, value: { topics, replays: replays.slice(0, replaysInPart) } };
}

/** Commits before the newest have a table of their own: here they would be written again with each new one. */
function newestOnly(commits: Observation<CommitHistory>): Observation<CommitHistory> {
  if (!commits.value) return commits;
  const { topics, partitions } = commits.value;
  const newest = partitions.map((p) => ({ partition: p.partition, commits: p.commits.slice(-1) }));
  return { ...commits, value: { topics, partitions: newest } };
}

/** Forgets connectors; their open findings are closed. @throws DatabaseUnavailable */
export function dropConnectors(
  db: Database,
  cluster: string,
  names: readonly string[],
  at: Date = new Date(),
): Promise<void> {
  return db.transaction(async (statements) => {
    await closeFindingsOf(statements, { cluster, connector: { in: [...names] } }, at);
    await statements.connector.deleteMany({ where: { cluster, name: { in: [...names] } } });
  });
}

async function addConnectors(statements: Statements, cluster: string, reports: readonly ReportToSave[]) {
  const rows = reports.map((r) => ({
    name: r.connector,
    first_seen_at: r.firstSeenAt,
    missing_since: r.missingSince,
    times: JSON.stringify(r.times),
  }));
  await statements.$executeRaw`
    INSERT INTO connector AS c (cluster, name, first_seen_at, missing_since, times)
    SELECT ${cluster}, t.name, t.first_seen_at, t.missing_since, t.times::json
    FROM json_to_recordset(${JSON.stringify(rows)}::json)
      AS t(name text, first_seen_at timestamptz, missing_since timestamptz, times text)
    ORDER BY t.name
    ON CONFLICT (cluster, name) DO UPDATE SET missing_since = excluded.missing_since, times = excluded.times
    WHERE (c.missing_since, c.times::text) IS DISTINCT FROM (excluded.missing_since, excluded.times::text)`;
}

interface PartOfConnector {
  connector: string;
  part: string;
  observation: Observation<unknown>;
}

/** An unchanged value is not sent again: its digest tells, and only the times are written. */
async function saveObservations(statements: Statements, cluster: string, parts: readonly PartOfConnector[]) {
  if (parts.length === 0) return;
  const rows = parts.map(({ connector, part, observation }) => ({
    connector,
    part,
    ...observationColumns(observation),
  }));
  const withoutValues = rows.map(({ value: _, ...row }) => row);
  const touched = keysSchema.parse(
    await statements.$queryRaw`
      UPDATE connector_observation AS o
      SET true_at = t.true_at, since = t.since, not_before = t.not_before, tried_at = t.tried_at, failure = t.failure::json
      FROM json_to_recordset(${JSON.stringify(withoutValues)}::json)
        AS t(connector text, part text, digest text, true_at timestamptz, since timestamptz, not_before timestamptz,
             tried_at timestamptz, failure text)
      WHERE o.cluster = ${cluster} AND o.connector = t.connector AND o.part = t.part
        AND o.digest IS NOT DISTINCT FROM t.digest
      RETURNING o.connector, o.part`,
  );
  const done = new Set(touched.map(keyOf));
  const changed = rows.filter((row) => !done.has(keyOf(row)));
  if (changed.length > 0) await writeObservations(statements, cluster, changed);
}

type ObservationColumns = { connector: string; part: string } & ReturnType<typeof observationColumns>;

async function writeObservations(
  statements: Statements,
  cluster: string,
  rows: readonly ObservationColumns[],
) {
  await statements.$executeRaw`
    INSERT INTO connector_observation
      (cluster, connector, part, value, digest, true_at, since, not_before, tried_at, failure)
    SELECT c.cluster, c.name, t.part, t.value::json, t.digest, t.true_at, t.since, t.not_before, t.tried_at, t.failure::json
    FROM json_to_recordset(${JSON.stringify(rows)}::json)
      AS t(connector text, part text, value text, digest text, true_at timestamptz, since timestamptz,
           not_before timestamptz, tried_at timestamptz, failure text)
    JOIN connector AS c ON c.cluster = ${cluster} AND c.name = t.connector
    ORDER BY t.connector, t.part
    ON CONFLICT (cluster, connector, part) DO UPDATE SET
      value = excluded.value, digest = excluded.digest, true_at = excluded.true_at, since = excluded.since,
      not_before = excluded.not_before, tried_at = excluded.tried_at, failure = excluded.failure`;
}

const keysSchema = z.array(z.object({ connector: z.string(), part: z.string() }));
const keyOf = (row: { connector: string; part: string }) => JSON.stringify([row.connector, row.part]);
