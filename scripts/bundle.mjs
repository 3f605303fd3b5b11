// npm run bundle: the command line as plain JavaScript in dist/, one chunk for each command.
import { chmodSync, existsSync, lstatSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
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
const program = join(dist, "tidemark.js");
chmodSync(program, 0o755);

// npx looks into node_modules/.bin, where npm links the programs of packages, but not a package's own.
if (process.platform !== "win32") {
  const link = join(root, "node_modules/.bin/tidemark");
  mkdirSync(dirname(link), { recursive: true });
  if (lstatSync(link, { throwIfNoEntry: false })) rmSync(link);
  symlinkSync("../../dist/tidemark.js", link);
  if (!existsSync(link)) throw new Error(`${link} leads nowhere`);
}
