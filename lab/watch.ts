import { spawn } from "node:child_process";
import { join } from "node:path";
import { downFast } from "./down";
import { CHECKOUT, type Places } from "./places";
import { readState } from "./state";

/** A second process that ends the lab when this one dies before `release`. */
export interface Watcher {
  release(): void;
}

/**
 * Starts the watcher: it holds one end of a pipe, and sees it close however this process ends. (A parent-death signal
 * would not do: it is cleared when a server changes its user.)
 */
export function startWatcher(places: Places, marker: string): Watcher {
  const child = spawn(
    process.execPath,
    ["--import", "tsx", join(CHECKOUT, "lab", "main.ts"), "watch", places.root, marker],
    {
      cwd: CHECKOUT,
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
      env: { ...process.env, NODE_OPTIONS: "" },
    },
  );
  child.stdin.on("error", () => {});
  child.unref();
  const { stdin } = child;
  if ("unref" in stdin && typeof stdin.unref === "function") stdin.unref();
  return { release: () => stdin.end("release\n") };
}

/** The watcher's life: waits for the end of standard input, and unless released ends what that `up` started. */
export async function watch(places: Places, marker: string): Promise<void> {
  for (const signal of ["SIGINT", "SIGHUP", "SIGTERM"] as const) process.on(signal, () => {});
  let said = "";
  for await (const chunk of process.stdin) said += String(chunk);
  if (said.includes("release")) return;
  // Another `up` since then has another mark, and is not ours to end.
  if (readState(places)?.marker === marker) await downFast(places);
}
