// npm run bundle: the command line as plain JavaScript in dist/, one chunk for each command.
import { chmodSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, "dist");

rmSync(dist, { recursive: true, force: true });
await build({
  absWorkingDir: root,
  entryPoints: ["lib/cli/tidemark.ts"],
  outdir: dist,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20",
  packages: "external",
  sourcemap: true,
  alias: { "@": root },
  logLevel: "warning",
});
chmodSync(join(dist, "tidemark.js"), 0o755);
