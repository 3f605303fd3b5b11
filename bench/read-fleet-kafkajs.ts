// What a person would use instead: kafkajs's admin client, topic by topic.
import { readFileSync } from "node:fs";
import kafkajs from "kafkajs";
import type { FleetCost } from "./fleet-report";
import type { FleetSpec } from "./fleet-spec";

const [broker = "", file = ""] = process.argv.slice(2);
const spec: FleetSpec = JSON.parse(readFileSync(file, "utf8"));

const kafka = new kafkajs.Kafka({ brokers: [broker], logLevel: kafkajs.logLevel.NOTHING });
const admin = kafka.admin();
await admin.connect();
const requests: Record<string, number> = {};
admin.on(admin.events.REQUEST, ({ payload }) => {
  const to = `${payload.apiName} ${payload.broker}`;
  requests[to] = (requests[to] ?? 0) + 1;
});

const [cpu, start] = [process.cpuUsage(), process.hrtime.bigint()];
const found = { low: 0, high: 0 };
for (const { topics, committedAt, sourceAt } of spec.connectors)
  for (const topic of topics) {
    const ends = await admin.fetchTopicOffsets(topic);
    const later = await admin.fetchTopicOffsetsByTimestamp(topic, committedAt + 1);
    const since = await admin.fetchTopicOffsetsByTimestamp(topic, sourceAt);
    for (const { partition, offset } of ends) {
      const from = (places: typeof later) =>
        Number(offset) - Number(places.find((p) => p.partition === partition)?.offset);
      found.low += from(later);
      found.high += from(since);
    }
  }
const seconds = Number(process.hrtime.bigint() - start) / 1e9;
const { user, system } = process.cpuUsage(cpu);
const cost: FleetCost = {
  polls: [{ ...found, seconds, cpuSeconds: (user + system) / 1e6, requests }],
  memory: process.memoryUsage().rss,
};
console.log(JSON.stringify(cost));
await admin.disconnect();
