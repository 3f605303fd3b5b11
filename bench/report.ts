import type { Cost } from "./measured";

/** What each reader took for one topic, a cost for each round. */
export interface TopicResult {
  title: string;
  events: number;
  costs: ReadonlyMap<string, readonly Cost[]>;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low, high] = [sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN, sorted[middle] ?? Number.NaN];
  return (low + high) / 2;
}

const thousands = (value: number) => Math.round(value).toLocaleString("en");
const ratio = (value: number) => (Number.isNaN(value) ? "not run" : `${value.toFixed(1)} : 1`);

function line({ title, events, costs }: TopicResult): string {
  const of = (name: string, pick: (cost: Cost) => number) => median((costs.get(name) ?? []).map(pick));
  const rate = (name: string) => of(name, (cost) => events / cost.cpuSeconds);
  const wall = (name: string) => of(name, (cost) => cost.seconds);
  const cells = [
    title,
    thousands(rate("tidemark")),
    thousands(rate("kafkajs")),
    `**${ratio(rate("tidemark") / rate("kafkajs"))}**`,
    `${wall("tidemark").toFixed(2)} s`,
    Number.isNaN(wall("kcat")) ? "not run" : `${wall("kcat").toFixed(2)} s`,
    Number.isNaN(wall("kcat")) ? "not run" : `**${(wall("tidemark") / wall("kcat")).toFixed(2)}**`,
    `${thousands(of("tidemark", (cost) => cost.memory) / 1e6)} MB`,
  ];
  return `| ${cells.join(" | ")} |`;
}

/** The results as a table in Markdown, medians over the rounds. */
export function reportTable(results: readonly TopicResult[]): string {
  return [
    "| events | Tidemark, events a CPU second | kafkajs + JSON.parse | ratio | Tidemark, time | kcat, time | ratio | Tidemark's memory |",
    "|---|---|---|---|---|---|---|---|",
    ...results.map(line),
  ].join("\n");
}
