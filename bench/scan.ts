import type { Lab } from "@/lab/lab";
import { openScanners } from "./contenders";
import { say, writeLastRun } from "./last-run";
import type { Cost } from "./measured";
import { benchTopics, duplicatesAmong, fillTopic } from "./topics";

const EVENTS = Number(process.env.TIDEMARK_BENCH_EVENTS ?? 2_000_000);
const ROUNDS = 3;

/** How fast the scan of a whole topic is, beside a consumer that parses everything and remembers all it saw. */
export async function benchScan(lab: Lab): Promise<void> {
  const topic = benchTopics.find(({ codec }) => codec === "lz4");
  if (!topic) throw new Error("there is no topic of lz4 batches");
  await lab.reset();
  await lab.up({ only: "broker", log: say });
  const [broker = ""] = lab.brokers;
  const scanners = await openScanners(lab.places.run);
  const truth = duplicatesAmong(EVENTS);
  say(`writing ${EVENTS.toLocaleString("en")} events: ${topic.title}`);
  await fillTopic([broker], topic, EVENTS);
  const costs = new Map<string, Cost[]>();
  for (let round = 1; round <= ROUNDS; round++) {
    for (const { name, read } of scanners) {
      const cost = await read?.(broker, topic.name, EVENTS, truth);
      if (cost?.events !== EVENTS || cost.duplicates !== truth)
        throw new Error(
          `${name} found ${cost?.events} events and ${cost?.duplicates} duplicates, not ${truth}`,
        );
      costs.set(name, [...(costs.get(name) ?? []), cost]);
      say(`round ${round}: ${name} ${cost.seconds.toFixed(2)} s, CPU ${cost.cpuSeconds.toFixed(2)} s`);
    }
  }
  writeLastRun("last scan run", table(costs));
}

function table(costs: ReadonlyMap<string, readonly Cost[]>): string {
  const middle = (name: string, pick: (cost: Cost) => number) =>
    (costs.get(name) ?? []).map(pick).sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? Number.NaN;
  const rate = (name: string) => Math.round(EVENTS / middle(name, (cost) => cost.cpuSeconds));
  const memory = (name: string) => Math.round(middle(name, (cost) => cost.memory) / 1e6);
  const words = (value: number) => value.toLocaleString("en");
  return [
    "| events | scan, events a CPU second | kafkajs + JSON.parse + Set | ratio | scan's memory | the Set's |",
    "|---|---|---|---|---|---|",
    `| ${words(EVENTS)} | ${words(rate("scan"))} | ${words(rate("set"))} | **${(rate("scan") / rate("set")).toFixed(1)} : 1** | ${memory("scan")} MB | ${memory("set")} MB |`,
  ].join("\n");
}
