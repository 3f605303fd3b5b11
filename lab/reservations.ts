import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { oneAtATime } from "./one-at-a-time";
import { ownerIsAlive } from "./owner";
import { type Places, placesOf } from "./places";
import { isAlive } from "./processes";
import { readState } from "./state";

/** Where the labs of this machine are listed: a file a lab, with its folder. */
const LIST = join(tmpdir(), "tidemark-labs");

/**
 * Ports of the other labs that are up or starting. A port of a process that is down at the moment is free to the system,
 * but its lab's clients would reach whoever took it.
 */
export function portsOfOtherLabs(places: Places): Set<number> {
  const ports = new Set<number>();
  for (const name of existsSync(LIST) ? readdirSync(LIST) : []) {
    if (!name.endsWith(".lab")) continue;
    const root = readFileSync(join(LIST, name), "utf8");
    if (root === places.root) continue;
    const other = placesOf(root);
    const state = readState(other);
    if (!state) continue;
    const lives = ownerIsAlive(other) || Object.values(state.processes).some((one) => isAlive(one));
    if (lives) for (const port of Object.values(state.ports)) ports.add(port);
  }
  return ports;
}

/** Lists this lab, and runs `choose` while no other lab of this machine chooses. */
export async function reserving<T>(places: Places, choose: () => Promise<T>): Promise<T> {
  return oneAtATime(LIST, "choosing.lock", async () => {
    const name = createHash("sha256").update(places.root).digest("hex").slice(0, 16);
    writeFileSync(join(LIST, `${name}.lab`), places.root);
    return choose();
  });
}
