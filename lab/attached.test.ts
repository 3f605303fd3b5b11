import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CHECKOUT, type Places, placesOf } from "./places";
import { isAlive, markedProcesses } from "./processes";
import { readState } from "./state";

let folder: string;
let places: Places;
let child: ChildProcess | undefined;
let output = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lab-attached-"));
  places = placesOf(folder);
});
afterEach(async () => {
  child?.kill("SIGTERM");
  await nothingLeft(40_000);
  rmSync(folder, { recursive: true, force: true });
});

function start(...words: string[]): void {
  output = "";
  child = spawn(process.execPath, [join(CHECKOUT, "scripts", "lab.mjs"), "up", "--no-mariadb", ...words], {
    env: { ...process.env, TIDEMARK_LAB_DIR: folder },
    stdio: ["ignore", "pipe", "pipe"],
  });
  // A program of the test before may still be speaking.
  const own = child;
  const keep = (chunk: Buffer) => {
    if (child === own) output += chunk.toString();
  };
  child.stdout?.on("data", keep);
  child.stderr?.on("data", keep);
}

async function said(text: string, timeoutMs: number): Promise<void> {
  const end = Date.now() + timeoutMs;
  while (!output.includes(text)) {
    if (Date.now() > end || child?.exitCode !== null) throw new Error(`"${text}" was not said:\n${output}`);
    await sleep(100);
  }
}

/** The program behind scripts/lab.mjs. */
function programPid(): number {
  return JSON.parse(readFileSync(places.lock, "utf8")).pid;
}

function living(): number {
  const state = readState(places);
  if (!state) return 0;
  const recorded = Object.values(state.processes).filter((one) => isAlive(one));
  return new Set([...recorded, ...markedProcesses(state.marker)].map((one) => one.pid)).size;
}

/** Whether no process of this lab lives, in the end. */
async function nothingLeft(timeoutMs: number): Promise<boolean> {
  const end = Date.now() + timeoutMs;
  while (living() > 0) {
    if (Date.now() > end) return false;
    await sleep(200);
  }
  return true;
}

async function serversStarted(): Promise<void> {
  while (living() < 2) await sleep(50);
}

describe("an attached lab", () => {
  test("kill -9 of both programs leaves nothing behind", async () => {
    start("--attached");
    await said("Attached", 150_000);
    expect(living()).toBeGreaterThanOrEqual(3);
    process.kill(programPid(), "SIGKILL");
    child?.kill("SIGKILL");
    expect(await nothingLeft(15_000)).toBe(true);
  });
});

describe("a lab that is starting", () => {
  test("kill -9 of the program leaves nothing behind", async () => {
    start();
    await serversStarted();
    process.kill(programPid(), "SIGKILL");
    expect(await nothingLeft(15_000)).toBe(true);
  });

  test("kill -9 of what started it leaves nothing behind", async () => {
    start();
    await serversStarted();
    child?.kill("SIGKILL");
    expect(await nothingLeft(15_000)).toBe(true);
  });

  test("Ctrl-C ends all of it, in order", async () => {
    start();
    await serversStarted();
    child?.kill("SIGINT");
    await said("the lab is down", 20_000);
    expect(living()).toBe(0);
    expect(existsSync(places.lock)).toBe(false);
  });
});
