// Tidemark's own way: the windows of a whole fleet by time, poll after poll.
import { readFileSync } from "node:fs";
import { CommitMemory } from "@/lib/collect/offset-topic/commit-memory";
import { brokerProbe } from "@/lib/collect/open-probe";
import { lookAtFleet } from "@/lib/collect/replay-window/fleet-look";
import { readOffsetKey } from "@/lib/debezium/offset-record";
import { type KafkaConnection, openKafka } from "@/lib/kafka/connection";
import { openLogReader } from "@/lib/kafka/log/open-log-reader";
import { byTime } from "@/lib/measure/replay-window/by-time";
import { commitsInForce } from "@/lib/measure/replay-window/in-force";
import type { CommitHistory } from "@/lib/observed/commits";
import type { StoredOffsets } from "@/lib/observed/connector";
import type { FleetCost, PollCost } from "./fleet-report";
import { type FleetSpec, storedOffsets } from "./fleet-spec";

const [broker = "", file = "", polls = "1"] = process.argv.slice(2);
const spec: FleetSpec = JSON.parse(readFileSync(file, "utf8"));

let requests = new Map<string, number>();
const opened = openKafka({
  name: "bench",
  connect: { urls: ["http://127.0.0.1"] },
  kafka: { brokers: [broker], tls: false },
});
const kafka: KafkaConnection = {
  ...opened,
  ask: (node, build) =>
    opened.ask(node, (versions) => {
      const call = build(versions);
      const to = `${call.request.apiName} ${node ?? "any"}`;
      requests.set(to, (requests.get(to) ?? 0) + 1);
      return call;
    }),
};
const brokers = brokerProbe(kafka);

interface Known {
  offsets: StoredOffsets;
  history: CommitHistory | null;
}

/** As the loop that follows Connect's offset topic keeps them. */
async function readCommits(topic: string): Promise<(connector: string) => Known> {
  const memory = new CommitMemory();
  const log = openLogReader(kafka);
  const described = (await log.describe([topic])).value?.get(topic);
  const partitions = described && "partitions" in described ? described.partitions : [];
  for (const { partition } of partitions)
    for await (const batch of log.read({ topic, partition, from: 0, isolation: "read_committed" }))
      for (const { key, value, offset, timestamp } of batch.records()) {
        const owner = readOffsetKey(key);
        if ("connector" in owner)
          memory.hold({ ...owner, topic, kafkaPartition: partition, kafkaOffset: offset, timestamp, value });
      }
  return (connector) => {
    const { offsets, history } = memory.of(connector, topic);
    return { offsets: { offsets, from: "topic" }, history };
  };
}

const commitsOf = spec.offsetTopic === null ? null : await readCommits(spec.offsetTopic);

async function poll(): Promise<{ low: number; high: number }> {
  const fleet = spec.connectors.map((connector) => {
    const known = commitsOf?.(connector.name) ?? { offsets: storedOffsets(connector), history: null };
    const config = { "topic.prefix": connector.name };
    return { connector, inForce: commitsInForce("postgresql", config, known.offsets, known.history) };
  });
  const look = await lookAtFleet(
    brokers,
    fleet.map(({ connector, inForce }) => ({
      connector: connector.name,
      isolation: "read_uncommitted",
      needsEarliest: false,
      topics: connector.topics.map((topic) => {
        const { committedAt, sourceAt, before } = inForce.forTopic(topic);
        return { topic, after: committedAt, since: sourceAt, before };
      }),
    })),
  );
  if (look.failure) throw new Error(look.failure.sentence);
  const sum = { low: 0, high: 0 };
  for (const { connector, inForce } of fleet) {
    const looks = [...(look.value.get(connector.name) ?? [])];
    const topics = looks.map(([topic, found]) => ({ topic, own: false, shared: false, look: found }));
    const { low, high, whyNoLow, whyNoHigh } = byTime({ inForce, topics, bytesPerRecord: null }).byTime;
    if (!low || !high) throw new Error(`${connector.name}: ${whyNoLow ?? whyNoHigh}`);
    sum.low += low.records;
    sum.high += high.records;
  }
  return sum;
}

const costs: PollCost[] = [];
for (let i = 0; i < Number(polls); i++) {
  requests = new Map();
  const [cpu, start] = [process.cpuUsage(), process.hrtime.bigint()];
  const found = await poll();
  const seconds = Number(process.hrtime.bigint() - start) / 1e9;
  const { user, system } = process.cpuUsage(cpu);
  costs.push({
    ...found,
    seconds,
    cpuSeconds: (user + system) / 1e6,
    requests: Object.fromEntries(requests),
  });
}
const cost: FleetCost = { polls: costs, memory: process.memoryUsage().rss };
console.log(JSON.stringify(cost));
await kafka.close();
