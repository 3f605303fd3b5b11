import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isAlive, startTimeOf } from "./processes";
import type { RecordedProcess } from "./state";

const STALE_MS = 10_000;

/**
 * Does what only one process of this machine may do at a time. The lock is a file that names the process that has it; one whose
 * process is gone counts no more.
 * @param folder of the lock; it is made if need be
 * @param name of what is done, a file name
 */
export async function oneAtATime<T>(folder: string, name: string, work: () => Promise<T>): Promise<T> {
  mkdirSync(folder, { recursive: true, mode: 0o777 });
  const lock = join(folder, name);
  while (!taken(lock)) {
    if (isLeft(lock)) rmSync(lock, { force: true });
    await sleep(50);
  }
  try {
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

function taken(lock: string): boolean {
  const holder: RecordedProcess = { pid: process.pid, startTime: startTimeOf(process.pid) ?? "" };
  try {
    writeFileSync(lock, JSON.stringify(holder), { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Whether the process that took it is gone. One that was made this moment may not name it yet. */
function isLeft(lock: string): boolean {
  try {
    const text = readFileSync(lock, "utf8");
    if (text === "") return Date.now() - statSync(lock).mtimeMs > STALE_MS;
    return !isAlive(JSON.parse(text) as RecordedProcess);
  } catch {
    // Given back meanwhile.
    return false;
  }
}
