import type { Lab } from "@/lab/lab";
import { type Contender, openContenders } from "./contenders";
import { say, writeLastRun } from "./last-run";
import type { Cost } from "./measured";
import { reportTable, type TopicResult } from "./report";
import { type BenchTopic, benchTopics, duplicatesAmong, fillTopic } from "./topics";

const EVENTS = 1_000_000;
const ROUNDS = 3;

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

/** How fast the log reader finds positions, beside what a person would use instead. */
export async function benchLog(lab: Lab): Promise<void> {
  await lab.reset();
  await lab.up({ only: "broker", log: say });
  const [broker = ""] = lab.brokers;
  const contenders = await openContenders(lab.places.run);
  const results: TopicResult[] = [];
  for (const topic of benchTopics) {
    say(`writing ${EVENTS.toLocaleString("en")} events: ${topic.title}`);
    await fillTopic([broker], topic, EVENTS);
    results.push(await compare(broker, topic, contenders));
  }
  writeLastRun("last run", reportTable(results));
}
