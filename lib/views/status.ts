import { z } from "zod";
import type { JudgedConnector, KnownCluster } from "@/lib/checks/judged";
import { type Failure, failureSchema, type Observation } from "@/lib/observed/observation";
import type { LoopRun } from "@/lib/observed/process";
import { freshness, freshnessSchema, iso } from "./freshness";
import type { Surroundings } from "./surroundings";
import { watch, watchSchema } from "./watch";

const reachedSchema = z.object({
  freshness: freshnessSchema,
  /** `Kafka Connect 4.4.0`, `3 brokers`; null when it never answered. */
  what: z.string().nullable(),
});

const clusterStatusSchema = z.object({
  name: z.string(),
  failingSince: z.iso.datetime().nullable(),
  connectors: z.number().int().nullable(),
  connect: reachedSchema,
  /** Null when no brokers are configured. */
  kafka: reachedSchema.extend({ brokers: z.array(z.string()), clusterId: z.string().nullable() }).nullable(),
});
export type ClusterStatus = z.infer<typeof clusterStatusSchema>;

const loopStatusSchema = z.object({
  process: z.string(),
  cluster: z.string().nullable(),
  name: z.string(),
  startedAt: z.iso.datetime().nullable(),
  endedAt: z.iso.datetime().nullable(),
  nextAt: z.iso.datetime().nullable(),
  /** Milliseconds that the last turn took; null while the first is running. */
  tookMs: z.number().nullable(),
  runs: z.number().int(),
  failures: z.number().int(),
  failure: failureSchema.nullable(),
});
export type LoopStatus = z.infer<typeof loopStatusSchema>;

const permissionSchema = z.object({
  cluster: z.string(),
  /** The connectors for which it was missed, at most ten. */
  connectors: z.array(z.string()),
  sentence: z.string(),
  /** What to grant. */
  remedy: z.string().nullable(),
});

export const statusViewSchema = z.object({
  watch: watchSchema,
  changedAt: z.iso.datetime().nullable(),
  clusters: z.array(clusterStatusSchema),
  loops: z.array(loopStatusSchema),
  /** Looks that were refused for want of a permission. */
  permissionsMissing: z.array(permissionSchema),
  database: z.object({
    /** Whether Tidemark runs this PostgreSQL itself. */
    embedded: z.boolean(),
    serverVersion: z.string(),
    sizeBytes: z.number(),
    /** The newest migration, and how many were applied. */
    migration: z.string().nullable(),
    migrations: z.number().int(),
  }),
  processes: z.array(
    z.object({
      kind: z.string(),
      pid: z.number().int(),
      version: z.string(),
      startedAt: z.iso.datetime(),
      beatAt: z.iso.datetime(),
      alive: z.boolean(),
    }),
  ),
});
export type StatusView = z.infer<typeof statusViewSchema>;

export interface StatusInput extends Surroundings {
  connectors: readonly JudgedConnector[];
  loops: readonly LoopRun[];
  database: {
    serverVersion: string;
    sizeBytes: number;
    embedded: boolean;
    migrations: readonly { name: string }[];
  };
}

function clusterStatus(cluster: KnownCluster, { poll, now }: StatusInput): ClusterStatus {
  const connect = cluster.connect?.value;
  const kafka = cluster.kafka?.value;
  return {
    name: cluster.name,
    failingSince: iso(cluster.failingSince),
    connectors: connect?.connectors.length ?? null,
    connect: {
      freshness: freshness(cluster.connect, poll.connectors, now),
      what: connect ? `Kafka Connect ${connect.version}` : null,
    },
    kafka: cluster.hasBrokers
      ? {
          freshness: freshness(cluster.kafka, poll.topics, now),
          what: kafka ? `${kafka.brokers.length} ${kafka.brokers.length === 1 ? "broker" : "brokers"}` : null,
          brokers: kafka?.brokers.map((b) => b.address) ?? [],
          clusterId: kafka?.clusterId ?? connect?.kafkaClusterId ?? null,
        }
      : null,
  };
}

function loopStatus(loop: LoopRun): LoopStatus {
  const { startedAt, endedAt } = loop;
  const ended = startedAt && endedAt && endedAt >= startedAt;
  return {
    process: loop.process,
    cluster: loop.cluster,
    name: loop.name,
    startedAt: iso(startedAt),
    endedAt: iso(endedAt),
    nextAt: iso(loop.nextAt),
    tookMs: ended ? endedAt.getTime() - startedAt.getTime() : null,
    runs: loop.runs,
    failures: loop.failures,
    failure: loop.failure,
  };
}

function failuresOf(connector: JudgedConnector): Failure[] {
  const looks: (Observation<unknown> | null)[] = [
    connector.report,
    connector.offsets,
    connector.topics,
    connector.ends,
    connector.history,
  ];
  return [
    ...looks.flatMap((look) => (look?.failure ? [look.failure] : [])),
    ...(connector.history?.value?.failures.map((f) => f.failure) ?? []),
    ...(connector.ends?.value?.topics.flatMap((t) => (t.failure ? [t.failure] : [])) ?? []),
  ];
}

const refused: ReadonlySet<Failure["kind"]> = new Set(["forbidden", "unauthorised"]);
const namedConnectors = 10;

function permissionsMissing(input: StatusInput): StatusView["permissionsMissing"] {
  const found = new Map<string, StatusView["permissionsMissing"][number]>();
  const add = (cluster: string, connector: string | null, failure: Failure | null | undefined) => {
    if (!failure || !refused.has(failure.kind)) return;
    const key = JSON.stringify([cluster, failure.sentence]);
    const entry = found.get(key) ?? {
      cluster,
      connectors: [],
      sentence: failure.sentence,
      remedy: failure.remedy,
    };
    const room = entry.connectors.length < namedConnectors;
    if (connector && room && !entry.connectors.includes(connector)) entry.connectors.push(connector);
    found.set(key, entry);
  };
  for (const cluster of input.clusters) {
    add(cluster.name, null, cluster.connect?.failure);
    add(cluster.name, null, cluster.kafka?.failure);
  }
  for (const c of input.connectors) for (const f of failuresOf(c)) add(c.cluster, c.connector, f);
  return [...found.values()];
}

/** A process that has given no sign of life for this long is shown as gone, in milliseconds. */
const silentMs = 20_000;

/** Tidemark itself, as the Status page and GET /api/v1/status say it. */
export function statusView(input: StatusInput): StatusView {
  return {
    watch: watch(input),
    changedAt: null,
    clusters: input.clusters.map((c) => clusterStatus(c, input)),
    loops: input.loops.map(loopStatus),
    permissionsMissing: permissionsMissing(input),
    database: {
      embedded: input.database.embedded,
      serverVersion: input.database.serverVersion,
      sizeBytes: input.database.sizeBytes,
      migration: input.database.migrations.at(-1)?.name ?? null,
      migrations: input.database.migrations.length,
    },
    processes: input.beats.map((beat) => ({
      kind: beat.kind,
      pid: beat.pid,
      version: beat.version,
      startedAt: beat.startedAt.toISOString(),
      beatAt: beat.beatAt.toISOString(),
      alive: input.now.getTime() - beat.beatAt.getTime() <= silentMs,
    })),
  };
}
