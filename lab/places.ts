import { homedir } from "node:os";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { LabFault } from "./fault";

/** The folder of the checkout. */
export const CHECKOUT = dirname(dirname(fileURLToPath(import.meta.url)));

/** Where one lab keeps what it has. */
export interface Places {
  /** The lab's folder: `TIDEMARK_LAB_DIR`, else `.lab` in the checkout. */
  root: string;
  data: string;
  logs: string;
  run: string;
  state: string;
  lock: string;
  secrets: string;
}

/**
 * The places of a lab; creates nothing. A relative folder is taken from the checkout, an empty one is none.
 * @throws LabFault for a folder that the checkout lies in: throwing the lab away would take it along
 */
export function placesOf(given?: string): Places {
  const folder = given || process.env.TIDEMARK_LAB_DIR || ".lab";
  const root = isAbsolute(folder) ? resolve(folder) : join(CHECKOUT, folder);
  if (!relative(root, CHECKOUT).startsWith("..")) {
    throw new LabFault(
      `${root} is no folder for a lab: the checkout lies in it. Name another in TIDEMARK_LAB_DIR.`,
    );
  }
  const run = join(root, "run");
  return {
    root,
    data: join(root, "data"),
    logs: join(root, "logs"),
    run,
    state: join(run, "state.json"),
    lock: join(run, "owner.json"),
    secrets: join(run, "secrets.properties"),
  };
}

/** Where downloads are kept between labs: `TIDEMARK_LAB_CACHE`, else the user's cache folder. */
export function cacheFolder(environment: Record<string, string | undefined> = process.env): string {
  if (environment.TIDEMARK_LAB_CACHE) return resolve(environment.TIDEMARK_LAB_CACHE);
  const caches = environment.XDG_CACHE_HOME || join(homedir(), ".cache");
  return join(caches, "tidemark-lab");
}
