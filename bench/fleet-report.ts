/** What one poll found and cost. */
export interface PollCost {
  low: number;
  high: number;
  seconds: number;
  cpuSeconds: number;
  /** By request and broker: `ListOffsets 2`. */
  requests: Record<string, number>;
}

export interface FleetCost {
  polls: PollCost[];
  /** Resident memory at the end, in bytes. */
  memory: number;
}

export interface FleetResult {
  title: string;
  tidemark: FleetCost;
  /** Null where it was not run. */
  kafkajs: FleetCost | null;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** The polls after the first, which opens connections and asks for the topics' settings. */
export function laterPolls({ polls }: FleetCost): { seconds: number; cpuSeconds: number } {
  const later = polls.slice(1);
  return {
    seconds: median(later.map((p) => p.seconds)),
    cpuSeconds: median(later.map((p) => p.cpuSeconds)),
  };
}

/** Most ListOffsets that one broker got in one poll, and all other requests of one poll. */
export function requestsOf({ polls }: FleetCost): { listOffsets: number; others: number } {
  const last = Object.entries(polls.at(-1)?.requests ?? {});
  const isList = ([to]: readonly [string, number]) => to.startsWith("ListOffsets ");
  return {
    listOffsets: Math.max(0, ...last.filter(isList).map(([, n]) => n)),
    others: last.filter((one) => !isList(one)).reduce((sum, [, n]) => sum + n, 0),
  };
}

const seconds = (value: number) => `${value.toFixed(2)} s`;
const thousands = (value: number) => Math.round(value).toLocaleString("en");

function line({ title, tidemark, kafkajs }: FleetResult): string {
  const [first] = tidemark.polls;
  const later = laterPolls(tidemark);
  const asked = requestsOf(tidemark);
  const [theirs] = kafkajs?.polls ?? [];
  const cells = [
    title,
    `${seconds(first?.seconds ?? Number.NaN)}, CPU ${seconds(first?.cpuSeconds ?? Number.NaN)}`,
    `**${seconds(later.seconds)}, CPU ${seconds(later.cpuSeconds)}**`,
    `${asked.listOffsets} ListOffsets, ${asked.others} others in all`,
    theirs ? `${seconds(theirs.seconds)}, CPU ${seconds(theirs.cpuSeconds)}` : "not run",
    kafkajs
      ? `${thousands(requestsOf(kafkajs).listOffsets)} ListOffsets, ${thousands(requestsOf(kafkajs).others)} others in all`
      : "not run",
    `${thousands(tidemark.memory / 1e6)} MB`,
  ];
  return `| ${cells.join(" | ")} |`;
}

/** The results as a table in Markdown. */
export function fleetTable(results: readonly FleetResult[]): string {
  return [
    "| fleet | Tidemark, first poll | Tidemark, later polls | requests to the busiest broker in a poll | kafkajs, topic by topic | its requests | Tidemark's memory |",
    "|---|---|---|---|---|---|---|",
    ...results.map(line),
  ].join("\n");
}
