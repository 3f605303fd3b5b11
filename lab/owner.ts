import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { LabFault } from "./fault";
import type { Places } from "./places";
import { endProcess, isAlive, startTimeOf } from "./processes";
import type { RecordedProcess } from "./state";

/** Who brings the lab up or holds it: `down` ends a program, never a library's host. */
interface Owner extends RecordedProcess {
  program: boolean;
}

/** Makes this process the lab's owner. @throws LabFault when another is alive */
export function takeOwnership(places: Places, program: boolean): void {
  const other = readOwner(places);
  if (isAlive(other) && other.pid !== process.pid) {
    throw new LabFault(
      `Another program (process ${other.pid}) is starting or holding the lab in ${places.root}. End it: npm run lab -- down`,
    );
  }
  mkdirSync(places.run, { recursive: true });
  const owner: Owner = { pid: process.pid, startTime: startTimeOf(process.pid) ?? "", program };
  rmSync(places.lock, { force: true });
  writeFileSync(places.lock, JSON.stringify(owner), { flag: "wx" });
}

/** Whether this process is the lab's owner. */
export function isOwner(places: Places): boolean {
  return readOwner(places)?.pid === process.pid;
}

/** Whether some program starts or holds this lab now. */
export function ownerIsAlive(places: Places): boolean {
  return isAlive(readOwner(places));
}

/** Lets go of the lab, if it is ours. */
export function dropOwnership(places: Places): void {
  if (isOwner(places)) rmSync(places.lock, { force: true });
}

/** Ends another program that is starting the lab or is attached to it; it ends the lab itself. */
export async function endOwner(places: Places): Promise<void> {
  const owner = readOwner(places);
  if (!owner?.program || owner.pid === process.pid) return;
  await endProcess(owner, "SIGTERM", 40_000);
  await sleep(50);
}

function readOwner(places: Places): Owner | undefined {
  if (!existsSync(places.lock)) return undefined;
  try {
    return JSON.parse(readFileSync(places.lock, "utf8")) as Owner;
  } catch {
    return undefined;
  }
}
