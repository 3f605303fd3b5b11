import type { JudgedCluster, KnownCluster } from "@/lib/checks/judged";
import { verdictSchema } from "@/lib/checks/verdict";
import { connectClusterSchema, kafkaClusterSchema } from "@/lib/observed/cluster";
import type { Observation } from "@/lib/observed/observation";
import type { Database, Statements } from "./database";
import { closeFindingsOf } from "./findings";
import { fittingMembers, observationColumns, readPart } from "./observations";

/** Every cluster, by name. @throws DatabaseUnavailable */
export function readClusters(db: Database): Promise<JudgedCluster[]> {
  return db.run(async (statements) => {
    const rows = await statements.cluster.findMany({
      orderBy: { name: "asc" },
      include: { observations: true },
      omit: { verdictsDigest: true },
    });
    return rows.map((row) => ({
      name: row.name,
      connect: readPart(row.observations, "connect", connectClusterSchema),
      kafka: readPart(row.observations, "kafka", kafkaClusterSchema),
      failingSince: row.failingSince,
      hasBrokers: row.hasBrokers,
      judgedAt: row.judgedAt,
      verdicts: fittingMembers(row.verdicts, verdictSchema),
    }));
  });
}

/** Writes a cluster and its two observations; a null one is removed. Verdicts stay. @throws DatabaseUnavailable */
export function saveCluster(db: Database, cluster: KnownCluster): Promise<void> {
  const { name, failingSince, hasBrokers } = cluster;
  return db.transaction(async (statements) => {
    await statements.cluster.upsert({
      where: { name },
      create: { name, failingSince, hasBrokers },
      update: { failingSince, hasBrokers },
    });
    await savePart(statements, name, "connect", cluster.connect);
    await savePart(statements, name, "kafka", cluster.kafka);
  });
}

async function savePart(
  statements: Statements,
  cluster: string,
  part: string,
  observation: Observation<unknown> | null,
) {
  if (!observation) {
    await statements.clusterObservation.deleteMany({ where: { cluster, part } });
    return;
  }
  const { value, digest, true_at, since, not_before, tried_at, failure } = observationColumns(observation);
  await statements.$executeRaw`
    INSERT INTO cluster_observation AS o
      (cluster, part, value, digest, true_at, since, not_before, tried_at, failure)
    VALUES (${cluster}, ${part}, ${value}::json, ${digest}, ${true_at}, ${since}, ${not_before}, ${tried_at}, ${failure}::json)
    ON CONFLICT (cluster, part) DO UPDATE SET
      value = excluded.value, digest = excluded.digest, true_at = excluded.true_at, since = excluded.since,
      not_before = excluded.not_before, tried_at = excluded.tried_at, failure = excluded.failure`;
}

/**
 * Forgets every cluster that is not named, with its connectors; their open findings are closed.
 * @throws DatabaseUnavailable
 */
export function keepOnlyClusters(
  db: Database,
  names: readonly string[],
  at: Date = new Date(),
): Promise<void> {
  return db.transaction(async (statements) => {
    const notKept = { notIn: [...names] };
    await closeFindingsOf(statements, { cluster: notKept }, at);
    await statements.loop.deleteMany({ where: { cluster: { notIn: [...names, ""] } } });
    await statements.cluster.deleteMany({ where: { name: notKept } });
  });
}
