// npm run test:long: the tests that have a long form, against labs of their own, and a report of the figures they found.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, platform, release, totalmem } from "node:os";
import { join } from "node:path";
import { installPackages, needNode, root, run, say } from "./install.mjs";

/** Each file, the report it is told in, and what it proves. */
const tests = [
  {
    file: "e2e/replay-window.test.ts",
    report: "replay-window",
    title: "The replay window at ten moments, against a full scan",
    says: "Flush interval 60 s, 200 rows a second in each database for three minutes. At ten random moments end offsets and commit are taken once for all: what is counted by position must be what a full scan of all records up to those ends counts, and lie inside the bracket by time.",
  },
  {
    file: "e2e/crash.own-lab.test.ts",
    report: "crashes",
    title: "The replay window at ten crashes of the worker",
    says: "`crash connect` at random moments, writer on, flush interval 5 s. For each crash and connector: the window recomputed from the commit in force and the run's last records, the events that the new run produced again, and by how much the duplicates grew that the lab counts. All three must be equal.",
  },
  {
    file: "e2e/exactly-once.own-lab.test.ts",
    report: "exactly-once",
    title: "Ten crashes with exactly-once",
    says: "`eos on`, then `crash connect` at random moments, writer on. The window must be 0 and the lab must count no duplicate.",
  },
  {
    file: "e2e/duplicates.own-lab.test.ts",
    report: "duplicates",
    title: "Replays found, against the copies that the lab counts",
    says: "16 sessions write to each database, and things go wrong: 20 crashes of the worker at random moments with flush intervals of 5 to 60 s, some of them in the middle of a replay, three workers killed in turn, workers frozen until their task had moved and then thawed, databases restarted and killed, the broker killed, snapshots by signal. After each event every replay that is found is held against the copies that row numbers tell: how many, from which offset to which. `found` and `replays` are those of one who measured what was new after each event; differences count every look: that one, one from the first record (each eighth event), and a count of every record. There must be none.",
  },
];

needNode();
installPackages();
run("npx", ["--no-install", "prisma", "generate", "--no-hints"]);
const wanted = process.argv.slice(2);
const chosen = tests.filter(({ report }) => wanted.length === 0 || wanted.includes(report));
if (chosen.length === 0) {
  console.error(`✗ no such test: ${wanted.join(", ")}. There are ${tests.map((t) => t.report).join(", ")}.`);
  process.exit(2);
}
const results = join(root, "test-results");
mkdirSync(results, { recursive: true });
const failed = chosen.filter((test) => !passes(test));
console.log(`${chosen.length - failed.length} passed, ${failed.length} failed`);
process.exit(failed.length > 0 ? 1 : 0);

/** Runs one file in its long form, and writes its report whether or not it passed. */
function passes({ file, report, title, says }) {
  const lines = join(results, `${report}.jsonl`);
  const counts = join(results, `${report}.json`);
  for (const old of [lines, counts]) rmSync(old, { force: true });
  say(`${file}, its long form`);
  const startedAt = new Date();
  const { status } = spawnSync(
    "npx",
    [
      "--no-install",
      "vitest",
      "run",
      "--project",
      file.includes(".own-lab.") ? "own-lab" : "lab",
      "--retry=0",
      file,
    ].concat(["--reporter=default", "--reporter=json", `--outputFile.json=${counts}`]),
    {
      cwd: root,
      stdio: ["ignore", "inherit", "inherit"],
      env: { ...process.env, TIDEMARK_LONG: "1", TIDEMARK_REPORT: lines },
    },
  );
  const minutes = ((Date.now() - startedAt.getTime()) / 60_000).toFixed(1);
  const text = [
    `# ${title}`,
    says,
    `Written by \`npm run test:long\` on ${startedAt.toISOString().slice(0, 10)}, at commit ${commit()}. ${machine()} It took ${minutes} minutes.`,
    `${verdict(status, counts)}`,
    ...tablesOf(lines),
  ].join("\n\n");
  const folder = join(root, "docs/reports");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${report}.md`), `${text}\n`);
  say(`docs/reports/${report}.md`);
  return status === 0;
}

function commit() {
  const git = (...args) => spawnSync("git", args, { cwd: root, encoding: "utf8" }).stdout?.trim() ?? "";
  const changed = git("status", "--porcelain", "--", "lib", "lab", "e2e") !== "";
  return `${git("rev-parse", "--short", "HEAD") || "unknown"}${changed ? " with changes that were not committed" : ""}`;
}

function machine() {
  const processors = cpus();
  const memory = Math.round(totalmem() / 1024 ** 3);
  return `Machine: ${processors.length} × ${processors[0]?.model.trim() || "unknown"}, ${memory} GB, ${platform()} ${release()}, Node ${process.versions.node}.`;
}

/** A run that died before its report has no counts: that is a failure, never nothing. */
function verdict(status, counts) {
  if (!existsSync(counts)) return "**It did not run to its end.**";
  const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(counts, "utf8"));
  const tests = `${numPassedTests} tests passed, ${numFailedTests} failed.`;
  return status === 0 ? tests : `**${tests}**`;
}

/** A table for each kind of figures, its columns as they first came. */
function tablesOf(file) {
  if (!existsSync(file)) return ["No figures were written."];
  const tables = new Map();
  for (const line of readFileSync(file, "utf8").split("\n").filter(Boolean)) {
    const { table, row } = JSON.parse(line);
    tables.set(table, [...(tables.get(table) ?? []), row]);
  }
  return [...tables].map(([table, rows]) => {
    const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
    const cells = (values) => `| ${values.join(" | ")} |`;
    return [
      `## ${table[0].toUpperCase()}${table.slice(1)}`,
      "",
      cells(columns),
      cells(columns.map(() => "---")),
      ...rows.map((row) => cells(columns.map((column) => row[column] ?? "unknown"))),
    ].join("\n");
  });
}
