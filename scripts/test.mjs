// npm test: installs what it needs, runs everything, and ends with its counts.
import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { build, findBrowser, installPackages, needNode, root, say } from "./install.mjs";

const reports = join(root, "test-results");
const totals = { passed: 0, failed: 0, skipped: 0 };
const startedAt = Date.now();

needNode();
installPackages();
const browser = findBrowser();
rmSync(reports, { recursive: true, force: true });
mkdirSync(reports, { recursive: true });

await stage("check", ["npm", "run", "--silent", "check"], count);
await stage(
  "unit",
  // Vitest leaves one core idle, and many tests wait.
  [...vitest("unit"), "--maxWorkers=2"],
  vitestCounts("unit"),
);
build();
// Pages of made-up scenes need no lab, and tests of a lab wait for it most of the time.
const scenes = stage(
  "scenes",
  ["npx", "--no-install", "playwright", "test", "--config", "playwright.scenes.config.ts"],
  playwrightCounts("scenes"),
  { env: { CHROMIUM: browser }, output: join(reports, "scenes.log") },
);
await stage("lab", vitest("lab"), vitestCounts("lab"));
await stage("own-lab", vitest("own-lab"), vitestCounts("own-lab"));
await scenes;
process.stdout.write(readFileSync(join(reports, "scenes.log"), "utf8"));
await stage("browser", ["npx", "--no-install", "playwright", "test"], playwrightCounts("browser"), {
  env: { CHROMIUM: browser },
});

const minutes = ((Date.now() - startedAt) / 60_000).toFixed(1);
say(`done in ${minutes} minutes`);
const skipped = totals.skipped ? `, ${totals.skipped} skipped` : "";
console.log(`${totals.passed} passed, ${totals.failed} failed${skipped}`);
process.exit(totals.failed > 0 ? 1 : 0);

/**
 * Runs one stage to its end. A stage that fails without a failed test counts as one.
 * @param output a file for what it prints, where another stage is printing
 */
async function stage(name, [program, ...args], counts, { env = {}, output = null } = {}) {
  say(`${name}: ${[program, ...args.filter((a) => !a.startsWith("--outputFile"))].join(" ")}`);
  const to = output === null ? "inherit" : openSync(output, "w");
  const child = spawn(program, args, {
    cwd: root,
    stdio: ["ignore", to, to],
    env: { ...process.env, ...env },
  });
  const status = await new Promise((resolve) => {
    child.on("exit", (code) => resolve(code ?? 1));
    child.on("error", (error) => {
      console.error(error.message);
      resolve(1);
    });
  });
  if (output !== null) closeSync(to);
  const { passed, failed, skipped } = counts(status);
  totals.passed += passed;
  totals.skipped += skipped;
  totals.failed += status === 0 ? failed : Math.max(1, failed);
}

function count(status) {
  return { passed: status === 0 ? 1 : 0, failed: status === 0 ? 0 : 1, skipped: 0 };
}

function vitest(project) {
  const report = [
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${join(reports, `${project}.json`)}`,
  ];
  return ["npx", "--no-install", "vitest", "run", "--project", project, ...report];
}

function vitestCounts(name) {
  return () => {
    const report = readReport(`${name}.json`);
    const skipped = (report?.numPendingTests ?? 0) + (report?.numTodoTests ?? 0);
    return { passed: report?.numPassedTests ?? 0, failed: report?.numFailedTests ?? 1, skipped };
  };
}

function playwrightCounts(name) {
  return () => {
    const stats = readReport(`${name}.json`)?.stats;
    if (!stats) return { passed: 0, failed: 1, skipped: 0 };
    if (stats.flaky > 0) say(`${name}: ${stats.flaky} tests passed only at the second try`);
    return { passed: stats.expected + stats.flaky, failed: stats.unexpected, skipped: stats.skipped };
  };
}

/** A stage that died before its report has none: that is a failure, never nothing. */
function readReport(file) {
  try {
    return JSON.parse(readFileSync(join(reports, file), "utf8"));
  } catch {
    return null;
  }
}
