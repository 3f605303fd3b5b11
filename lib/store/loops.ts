import { z } from "zod";
import { failureSchema } from "@/lib/observed/observation";
import type { Beat, LoopRun } from "@/lib/observed/process";
import type { Database } from "./database";
import { Prisma } from "./generated/client";
import { fitting } from "./observations";

/** Writes the newest run of a loop. @throws DatabaseUnavailable */
export function saveLoop(db: Database, loop: LoopRun): Promise<void> {
  const { process, name, startedAt, endedAt, nextAt, runs, failures } = loop;
  const cluster = loop.cluster ?? "";
  const data = { startedAt, endedAt, nextAt, runs, failures, failure: loop.failure ?? Prisma.DbNull };
  return db.run(async (statements) => {
    await statements.loop.upsert({
      where: { process_cluster_name: { process, cluster, name } },
      create: { process, cluster, name, ...data },
      update: data,
    });
  });
}

/** Every loop of every process that is not yet forgotten, by cluster and name. @throws DatabaseUnavailable */
export function readLoops(db: Database): Promise<LoopRun[]> {
  return db.run(async (statements) => {
    const rows = await statements.loop.findMany({ orderBy: [{ cluster: "asc" }, { name: "asc" }] });
    return rows.map((row) => ({
      ...row,
      cluster: row.cluster === "" ? null : row.cluster,
      failure: fitting(row.failure, failureSchema.nullable(), null),
    }));
  });
}

/** How long a process that says nothing, and a loop that does not run, is remembered. In milliseconds. */
const remembered = { beat: 10 * 60_000, loop: 24 * 3_600_000 };

/**
 * Says that a process is alive. Forgets processes that have been silent for ten minutes, and loops that have not run
 * for a day.
 * @throws DatabaseUnavailable
 */
export function saveBeat(db: Database, beat: Beat): Promise<void> {
  const { kind, pid, startedAt, beatAt } = beat;
  const before = (age: number) => ({ lt: new Date(beatAt.getTime() - age) });
  return db.run(async (statements) => {
    await statements.beat.upsert({
      where: { kind_pid_startedAt: { kind, pid, startedAt } },
      create: beat,
      update: beat,
    });
    await statements.beat.deleteMany({ where: { beatAt: before(remembered.beat) } });
    await statements.loop.deleteMany({ where: { startedAt: before(remembered.loop) } });
  });
}

/** Processes that gave a sign of life lately, newest first. @throws DatabaseUnavailable */
export function readBeats(db: Database): Promise<Beat[]> {
  return db.run(async (statements) => {
    const rows = await statements.beat.findMany({ orderBy: { beatAt: "desc" } });
    return rows.flatMap((row) => {
      const kind = z.enum(["web", "collect"]).safeParse(row.kind);
      return kind.success ? [{ ...row, kind: kind.data }] : [];
    });
  });
}
