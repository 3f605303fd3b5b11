import { execFileSync } from "node:child_process";
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Another process already looks after the data directory. */
export class DataDirInUse extends Error {
  override name = "DataDirInUse";
}

interface Owner {
  pid: number;
  /** When that process began, so that a pid that was given again is not taken for it. */
  began: string;
}

/**
 * Takes a data directory for this process, until `release` or its end, however it ends.
 * @throws DataDirInUse when a living process has it
 */
export function lockDataDir(dataDir: string): { release(): void } {
  const file = join(dataDir, "tidemark.pid");
  const mine = `${JSON.stringify({ pid: process.pid, began: beganAt(process.pid) })}\n`;
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, mine, { mode: 0o600 });
  try {
    for (let attempt = 0; attempt < 10; attempt++) {
      if (linked(draft, file)) return { release: () => releaseIf(file, mine) };
      const text = readText(file);
      const owner = text === null ? null : parseOwner(text);
      if (owner && beganAt(owner.pid) === owner.began) throw new DataDirInUse(inUse(dataDir, owner.pid));
      if (text !== null) removeIf(file, text);
    }
    throw new DataDirInUse(`Several processes start on the data directory ${dataDir} at once; start one.`);
  } finally {
    rmSync(draft, { force: true });
  }
}

function inUse(dataDir: string, pid: number): string {
  return `The data directory ${dataDir} is in use by another Tidemark (process ${pid}). End that one first, or start this one with another one (DATA_DIR, or dataDir in the settings file).`;
}

/** A hard link is made by one process only, and shows a whole file at once. */
function linked(draft: string, file: string): boolean {
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Removes a dead owner's file, but puts back one that a living process made in between. */
function removeIf(file: string, text: string): void {
  const aside = `${file}.old.${process.pid}`;
  try {
    renameSync(file, aside);
  } catch {
    return;
  }
  if (readText(aside) !== text) linked(aside, file);
  rmSync(aside, { force: true });
}

function releaseIf(file: string, text: string): void {
  if (readText(file) === text) rmSync(file, { force: true });
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}

function parseOwner(text: string): Owner | null {
  try {
    const { pid, began } = JSON.parse(text) as Partial<Owner>;
    return typeof pid === "number" && typeof began === "string" ? { pid, began } : null;
  } catch {
    return null;
  }
}

/** When a process began, as its system tells; null when there is no such process. */
function beganAt(pid: number): string | null {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return null;
  }
  if (process.platform === "win32") return "unknown";
  // proc(5): field 22 is the start in ticks since boot; the name in field 2 may hold blanks and brackets.
  const stat = readText(`/proc/${pid}/stat`);
  if (stat !== null) {
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? null : `${bootId()} ${fields[19]}`;
  }
  try {
    return execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" }).trim() || null;
  } catch {
    return "unknown";
  }
}

function bootId(): string {
  return readText("/proc/sys/kernel/random/boot_id")?.trim() ?? "";
}
