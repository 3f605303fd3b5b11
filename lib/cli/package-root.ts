import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

interface Package {
  /** The folder with package.json, .next, prisma and dist. */
  root: string;
  version: string;
}

/** The package that this file is of, from source as well as from the bundle. */
export function ownPackage(): Package {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const file = join(folder, "package.json");
    if (existsSync(file)) {
      const { name, version } = JSON.parse(readFileSync(file, "utf8")) as { name?: string; version?: string };
      if (name === "tidemark") return { root: folder, version: version ?? "unknown" };
    }
    if (folder === dirname(folder)) throw new Error("Tidemark's package.json was not found.");
  }
}
