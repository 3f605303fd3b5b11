// npm run bench: how fast the log reader finds positions, beside what a person would use instead.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { openLab } from "@/lab/open-lab";
import { type Contender, openContenders } from "./contenders";
import type { Cost } from "./measured";
import { reportTable, type TopicResult } from "./report";
import { type BenchTopic, benchTopics, duplicatesAmong, fillTopic } from "./topics";

const EVENTS = 1_000_000;
const ROUNDS = 3;
const readme = fileURLToPath(new URL("README.md", import.meta.url));

function say(text: string): void {
  console.log(`bench: ${text}`);
}

/** Every reader in turn, as many rounds as asked: a noisy moment hits one round of all. */
async function compare(
  broker: string,
  topic: BenchTopic,
  contenders: readonly Contender[],
): Promise<TopicResult> {
  const costs = new Map<string, Cost[]>();
  for (let round = 1; round <= ROUNDS; round++) {
    for (const { name, read } of contenders) {
      if (!read) {
        say(`${name} is not installed: left out`);
        continue;
      }
      const cost = await read(broker, topic.name, EVENTS);
      const found = name === "kcat" || cost.duplicates === duplicatesAmong(EVENTS);
      if (cost.events !== EVENTS || !found)
        throw new Error(`${name} found ${cost.events} events and ${cost.duplicates} duplicates`);
      costs.set(name, [...(costs.get(name) ?? []), cost]);
      say(
        `${topic.title}, round ${round}: ${name} ${cost.seconds.toFixed(2)} s, CPU ${cost.cpuSeconds.toFixed(2)} s`,
      );
    }
  }
  return { title: topic.title, events: EVENTS, costs };
}

function writeReadme(table: string): void {
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
  const run = `${new Date().toISOString().slice(0, 16).replace("T", " ")} UTC, commit ${commit}, Node ${process.versions.node}, ${cpus().length} cores (${cpus()[0]?.model.trim()})`;
  const text = readFileSync(readme, "utf8");
  const [before = "", after = ""] = text.split(/<!-- last run -->[\s\S]*<!-- end -->/);
  writeFileSync(readme, `${before}<!-- last run -->\n${run}\n\n${table}\n<!-- end -->${after}`);
}

const lab = openLab(".lab-bench");
await lab.reset();
await lab.up({ only: "broker", log: say });
try {
  const [broker = ""] = lab.brokers;
  const contenders = await openContenders(lab.places.run);
  const results: TopicResult[] = [];
  for (const topic of benchTopics) {
    say(`writing ${EVENTS.toLocaleString("en")} events: ${topic.title}`);
    await fillTopic([broker], topic, EVENTS);
    results.push(await compare(broker, topic, contenders));
  }
  const table = reportTable(results);
  console.log(`\n${table}\n`);
  writeReadme(table);
} finally {
  await lab.reset();
}
