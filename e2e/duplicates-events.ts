import { setTimeout as sleep } from "node:timers/promises";
import type { Lab } from "@/lab/lab";
import { WORKER_NAMES, type WorkerName } from "@/lab/state";
import { WRITTEN_TABLES } from "@/lab/tables";
import { eventually } from "./dashboard";

/** Kills the worker, and once more while the new run is sending what it sends again. */
export async function crashInReplay(lab: Lab, afterRecords: number): Promise<void> {
  await lab.crash("connect", { stayDown: true });
  const before = await recordsOf(lab);
  await lab.start("connect");
  const end = Date.now() + 120_000;
  while ((await recordsOf(lab)) <= before + afterRecords && Date.now() < end) await sleep(20);
  await lab.crash("connect");
}

/** Offsets used in all topics of written tables. */
async function recordsOf(lab: Lab): Promise<number> {
  const admin = lab.kafka().admin();
  await admin.connect();
  try {
    const topics = WRITTEN_TABLES.filter((one) => lab.state.mariadb || one.database === "postgres");
    const ends = await Promise.all(topics.map(({ topic }) => admin.fetchTopicOffsets(topic)));
    return ends.flat().reduce((sum, { high }) => sum + Number(high), 0);
  } finally {
    await admin.disconnect();
  }
}

/** The worker that a connector's task is said to be on. */
export async function workerOf(lab: Lab, connector: string): Promise<WorkerName> {
  return eventually(`${connector} is on a worker`, 60_000, async () => {
    const { body } = await lab.rest("GET", `/connectors/${connector}/status`);
    const address = (body as { tasks?: { worker_id?: string }[] }).tasks?.[0]?.worker_id;
    return WORKER_NAMES.find((name) => address === `127.0.0.1:${lab.ports[name]}`);
  });
}

/** Freezes the worker that has the connector's task until another has it and has sent for a while; then thaws it. */
export async function freezeUntilMoved(lab: Lab, connector: string, sendMs: number): Promise<void> {
  const worker = await workerOf(lab, connector);
  await lab.freeze(worker);
  try {
    await lab.waitRunning(180_000);
    await lab.settled(240_000);
    await sleep(sendMs);
  } finally {
    await lab.thaw(worker);
  }
  // What it had taken before it was frozen it sends now, until it learns that it was left out.
  await sleep(10_000);
}
