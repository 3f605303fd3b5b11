// What a person would write to find any duplicate: kafkajs's consumer, JSON.parse, and a Set of what was seen.
import { openConsumer } from "./kafkajs-consumer";
import { measured } from "./measured";
import { identityLine, sumOf } from "./replays";

const [broker = "", topic = "", events = ""] = process.argv.slice(2);

interface Event {
  op: string;
  source: { txId: number; lsn: number };
}

const consumer = await openConsumer(broker, topic);
await measured(async () => {
  const seen = new Set<string>();
  const again: string[] = [];
  const read = await consumer.read(Number(events), (message) => {
    const parsed = JSON.parse(message.value?.toString() ?? "null") as Event & { payload?: Event };
    const event = parsed.payload ?? parsed;
    const { op, source } = event;
    const key = message.key?.toString() ?? "{}";
    const before = seen.size;
    seen.add(`${source.txId} ${source.lsn} ${key} ${op}`);
    if (seen.size === before) again.push(identityLine(event, JSON.parse(key)));
  });
  return { events: read, duplicates: again.length, identities: sumOf(again) };
});
await consumer.close();
