import { z } from "zod";
import type { KnownCluster } from "@/lib/checks/judged";
import { type Failure, failureSchema } from "@/lib/observed/observation";
import { iso } from "./freshness";
import type { Surroundings } from "./surroundings";

/** Whether Tidemark's own eyes are open: the collector, and Connect of each cluster. Every page carries it. */
export const watchSchema = z.object({
  /** When this answer was made; ages count from here. */
  now: z.iso.datetime(),
  collector: z.object({
    /** `never`: no collector has written to this database. */
    state: z.enum(["alive", "stopped", "never"]),
    beatAt: z.iso.datetime().nullable(),
  }),
  /** The newest good look at any cluster. */
  polledAt: z.iso.datetime().nullable(),
  clusters: z.array(
    z.object({
      name: z.string(),
      state: z.enum(["answers", "failing", "not-looked-at"]),
      failingSince: z.iso.datetime().nullable(),
      asOf: z.iso.datetime().nullable(),
      failure: failureSchema.nullable(),
      /** Why the Kafka brokers do not answer, and the last time they did; null when they do, or none are configured. */
      brokersAway: z.object({ asOf: z.iso.datetime().nullable(), failure: failureSchema }).nullable(),
    }),
  ),
});
export type Watch = z.infer<typeof watchSchema>;
type WatchedCluster = Watch["clusters"][number];

/** A collector that has given no sign of life for this long counts as stopped, in milliseconds. */
const silentMs = 20_000;

function collectorState(input: Surroundings): Watch["collector"] {
  const beats = input.beats.filter((b) => b.kind === "collect").map((b) => b.beatAt.getTime());
  if (beats.length === 0) return { state: "never", beatAt: null };
  const last = Math.max(...beats);
  const alive = input.now.getTime() - last <= silentMs;
  return { state: alive ? "alive" : "stopped", beatAt: new Date(last).toISOString() };
}

/** A missing permission is no absence: the Status page and findings tell it. */
function brokersAway({ kafka }: KnownCluster): WatchedCluster["brokersAway"] {
  const failure = kafka?.failure ?? null;
  if (failure === null || failure.kind === "forbidden") return null;
  return { asOf: iso(kafka?.trueAt), failure };
}

function watchedCluster(cluster: KnownCluster): WatchedCluster {
  const failure: Failure | null = cluster.connect?.failure ?? null;
  const looked = cluster.connect !== null;
  return {
    name: cluster.name,
    state: !looked ? "not-looked-at" : failure ? "failing" : "answers",
    failingSince: iso(cluster.failingSince ?? (failure ? cluster.connect?.triedAt : null)),
    asOf: iso(cluster.connect?.trueAt),
    failure,
    brokersAway: brokersAway(cluster),
  };
}

export function watch(input: Surroundings): Watch {
  const looks = input.clusters.flatMap((c) => (c.connect?.trueAt ? [c.connect.trueAt.getTime()] : []));
  return {
    now: input.now.toISOString(),
    collector: collectorState(input),
    polledAt: looks.length > 0 ? new Date(Math.max(...looks)).toISOString() : null,
    clusters: input.clusters.map(watchedCluster),
  };
}
