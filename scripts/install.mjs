// What a command of this repository needs before it can run. Plain Node, no packages: it runs before there are any.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

export function say(text) {
  console.log(`· ${text}`);
}

function stop(text) {
  console.error(`✗ ${text}`);
  process.exit(1);
}

/** Runs a program to its end, its output shown. Ends this process with a sentence when it fails. */
export function run(program, args, env = {}) {
  const { status, error } = spawnSync(program, args, {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, ...env },
  });
  if (error) stop(`${program} could not be started: ${error.message}`);
  if (status !== 0) stop(`${[program, ...args].join(" ")} failed (exit code ${status})`);
}

function digest(paths) {
  const hash = createHash("sha256");
  const add = (path) => {
    if (!existsSync(path)) return;
    if (statSync(path).isDirectory()) for (const name of readdirSync(path).sort()) add(join(path, name));
    else hash.update(path.slice(root.length)).update(readFileSync(path));
  };
  for (const path of paths) add(join(root, path));
  return hash.digest("hex");
}

/** Does `work` unless the stamp says that it was done for this very content. A half-done job leaves no stamp. */
function once(stamp, content, work) {
  const file = join(root, stamp);
  if (existsSync(file) && readFileSync(file, "utf8") === content) return;
  work();
  writeFileSync(file, content);
}

export function needNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major < 20 || (major === 20 && minor < 19))
    stop(`Node ${process.versions.node} is too old: Tidemark needs 20.19 or newer.`);
}

export function installPackages() {
  once("node_modules/.tidemark-installed", digest(["package.json", "package-lock.json"]), () => {
    say("installing packages (about a minute)");
    run("npm", ["ci"]);
  });
}

/** Builds the pages and the program when a source changed since the last build. */
export function build() {
  const sources = ["app", "components", "lib", "prisma", "scripts", "next.config.ts", "package-lock.json"];
  // The generated client lies among the sources, and is made before the digest is taken.
  run("npx", ["--no-install", "prisma", "generate", "--no-hints"]);
  once(".next/tidemark-built", digest(sources), () => {
    say("building (about a minute)");
    run("npm", ["run", "--silent", "build"]);
  });
}

const browsers = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** The path of a Chromium; installs Debian's when there is none and we may. */
export function findBrowser() {
  const given = process.env.CHROMIUM;
  if (given) return existsSync(given) ? given : stop(`CHROMIUM names ${given}, which is not there`);
  const found = () => browsers.find((path) => existsSync(path));
  if (!found() && process.getuid?.() === 0 && existsSync("/usr/bin/apt-get")) {
    say("installing Chromium for the browser tests");
    const env = { DEBIAN_FRONTEND: "noninteractive" };
    run("apt-get", ["-qq", "-o", "DPkg::Lock::Timeout=300", "update"], env);
    const packages = ["chromium", "fonts-liberation"];
    run("apt-get", ["-qq", "-o", "DPkg::Lock::Timeout=300", "install", "-y", ...packages], env);
  }
  return (
    found() ??
    stop("No Chromium found. Install it (Debian: apt-get install chromium) or set CHROMIUM to its path.")
  );
}
