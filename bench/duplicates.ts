import type { Lab } from "@/lab/lab";
import { type Contender, openFinders } from "./contenders";
import { fillReplayed } from "./fill-replayed";
import { say, writeLastRun } from "./last-run";
import type { Cost } from "./measured";
import { copiesAmong, replaysAmong, truthOf } from "./replays";

const EVENTS = Number(process.env.TIDEMARK_BENCH_EVENTS ?? 10_000_000);
const TOPIC = "bench.replayed";
/** Those that read everything do so once; the bisection's figures are medians, from before, between and after them. */
const ORDER = ["bisection", "pipe", "bisection", "set", "bisection", "scan", "bisection", "bisection"];

/** How fast the replays of a large topic are found, beside what a person would write, which has to find the same. */
export async function benchDuplicates(lab: Lab): Promise<void> {
  await lab.reset();
  await lab.up({ only: "broker", log: say });
  const finders = await openFinders(lab.places.run);
  const replays = `${replaysAmong(EVENTS).length} replays of ${words(copiesAmong(EVENTS))} in all`;
  say(`writing ${words(EVENTS)} events with ${replays}`);
  const bytes = await fillReplayed(lab, TOPIC, EVENTS);
  say(`the log has ${megabytes(bytes)}`);
  const truth = truthOf(EVENTS);
  const costs = new Map<string, Cost[]>();
  for (const name of ORDER) {
    const cost = find(lab.brokers[0] ?? "", finders, name, truth);
    if (!cost) continue;
    costs.set(name, [...(costs.get(name) ?? []), cost]);
    const read = cost.bytesRead === undefined ? "" : `, ${megabytes(cost.bytesRead)} in ${cost.reads} reads`;
    say(`${name} ${cost.seconds.toFixed(2)} s, CPU ${cost.cpuSeconds.toFixed(2)} s${read}`);
  }
  writeLastRun("last duplicates run", table(costs, bytes));
}

/** Null: it is not installed. @throws where it finds something else than was written */
function find(broker: string, finders: readonly Contender[], name: string, truth: string): Cost | null {
  const read = finders.find((finder) => finder.name === name)?.read;
  if (!read) {
    say(`${name} is not installed: left out`);
    return null;
  }
  const copies = copiesAmong(EVENTS);
  const cost = read(broker, TOPIC, EVENTS, copies);
  const same = cost.identities === undefined || cost.identities === truth;
  if (cost.events !== EVENTS || cost.duplicates !== copies || !same)
    throw new Error(
      `${name} read ${cost.events} events and found ${cost.duplicates} duplicates, not ${copies}${same ? "" : ", and others than there are"}`,
    );
  return cost;
}

const words = (value: number) => Math.round(value).toLocaleString("en");
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

function table(costs: ReadonlyMap<string, readonly Cost[]>, bytes: number): string {
  const middle = (name: string, pick: (cost: Cost) => number) => {
    const sorted = (costs.get(name) ?? []).map(pick).sort((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  };
  const wall = (name: string) => middle(name, ({ seconds }) => seconds);
  const cpu = (name: string) => middle(name, ({ cpuSeconds }) => cpuSeconds);
  const read = middle("bisection", ({ bytesRead = Number.NaN }) => bytesRead);
  const exact = middle("bisection", (cost) => cost.exact ?? Number.NaN);
  const rate = (name: string) => words(EVENTS / cpu(name));
  const line = (name: string, title: string, ...cells: string[]) =>
    `| ${[title, Number.isNaN(wall(name)) ? "not run" : `${wall(name).toFixed(2)} s`, ...cells].join(" | ")} |`;
  const times = (name: string) =>
    Number.isNaN(wall(name)) ? "" : `**${(wall(name) / wall("bisection")).toFixed(0)} × the bisection**`;
  const memory = (name: string) => `${words(middle(name, (cost) => cost.memory) / 1e6)} MB`;
  return [
    `${words(EVENTS)} events, ${megabytes(bytes)} in the log; ${words(copiesAmong(EVENTS))} came again in ${replaysAmong(EVENTS).length} replays, ${exact} of them counted by identity.`,
    "",
    "| | time | | events a CPU second | read | memory |",
    "|---|---|---|---|---|---|",
    line(
      "bisection",
      "Tidemark's bisection",
      "",
      "",
      `**${((100 * read) / bytes).toFixed(2)} %**: ${megabytes(read)} in ${words(middle("bisection", ({ reads = Number.NaN }) => reads))} reads`,
      memory("bisection"),
    ),
    line("pipe", "kcat \\| jq \\| sort \\| uniq -d", times("pipe"), "", "all", ""),
    line("set", "kafkajs + JSON.parse + Set", times("set"), rate("set"), "all", memory("set")),
    line(
      "scan",
      "Tidemark's scan by hash",
      times("scan"),
      `${rate("scan")}, **${(cpu("set") / cpu("scan")).toFixed(1)} × the Set**`,
      "all",
      memory("scan"),
    ),
  ].join("\n");
}
