import { type Restart, restartSchema } from "@/lib/observed/window-series";
import type { Database } from "./database";
import type { Restart as Row } from "./generated/client";
import { fitting } from "./observations";

/** Restarts that one read returns at most. */
const mostRestarts = 1_000;

/** Stores a restart, or what is known of it by now: one row for each cluster, connector and id. @throws DatabaseUnavailable */
export async function saveRestart(db: Database, restart: Restart): Promise<void> {
  const { cluster, connector, id, at, state } = restart;
  const value = JSON.stringify(restart);
  await db.run(
    (statements) => statements.$executeRaw`
      INSERT INTO restart (cluster, connector, id, at, state, value)
      VALUES (${cluster}, ${connector}, ${id}, ${new Date(at)}, ${state}, ${value}::json)
      ON CONFLICT (cluster, connector, id) DO UPDATE
      SET at = excluded.at, state = excluded.state, value = excluded.value`,
  );
}

/**
 * Restarts of one connector from `from` (included) to `to` (not), oldest first; at most 1,000, the newest of them.
 * @throws DatabaseUnavailable
 */
export function readRestarts(
  db: Database,
  { cluster, connector }: { cluster: string; connector: string },
  { from, to }: { from: Date; to: Date },
): Promise<Restart[]> {
  return db.run(async (statements) => {
    const rows = await statements.restart.findMany({
      where: { cluster, connector, at: { gte: from, lt: to } },
      orderBy: [{ at: "desc" }, { id: "desc" }],
      take: mostRestarts,
    });
    return rows.map(restartIn).reverse();
  });
}

/** Restarts of a cluster that are still being measured, oldest first; at most 1,000. @throws DatabaseUnavailable */
export function readOpenRestarts(db: Database, cluster: string): Promise<Restart[]> {
  return db.run(async (statements) => {
    const rows = await statements.restart.findMany({
      where: { cluster, state: "measuring" satisfies Restart["state"] },
      orderBy: [{ at: "asc" }, { id: "asc" }],
      take: mostRestarts,
    });
    return rows.map(restartIn).filter((restart) => restart.state === "measuring");
  });
}

/** The restart in a row; of one that does not fit, that there was one. */
function restartIn({ cluster, connector, id, at, value }: Row): Restart {
  return fitting(value, restartSchema, {
    id,
    cluster,
    connector,
    at: at.toISOString(),
    noticedAt: at.toISOString(),
    runBefore: null,
    runAfter: null,
    shown: null,
    recomputed: null,
    replayed: null,
    state: "not-measurable",
    why: "It was stored by another version of Tidemark, which this one cannot read.",
    partitions: [],
  });
}
