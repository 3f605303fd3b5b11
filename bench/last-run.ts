import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { fileURLToPath } from "node:url";

const readme = fileURLToPath(new URL("README.md", import.meta.url));

export function say(text: string): void {
  console.log(`bench: ${text}`);
}

/** Prints a bench's table and puts it, with when and where it was run, in its place in the README. */
export function writeLastRun(place: string, table: string): void {
  console.log(`\n${table}\n`);
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
  const run = `${new Date().toISOString().slice(0, 16).replace("T", " ")} UTC, commit ${commit}, Node ${process.versions.node}, ${cpus().length} cores (${cpus()[0]?.model.trim()}), load ${loadavg()[0]?.toFixed(1)}`;
  const text = readFileSync(readme, "utf8");
  const begin = `<!-- ${place} -->`;
  const [before = "", rest] = text.split(begin);
  if (rest === undefined) throw new Error(`bench/README.md has no ${begin}`);
  const after = rest.slice(rest.indexOf("<!-- end -->"));
  writeFileSync(readme, `${before}${begin}\n${run}\n\n${table}\n${after}`);
}
