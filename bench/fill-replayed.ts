import type { Lab } from "@/lab/lab";
import { type Placed, produce } from "./produce";
import { headersOf, RecordWriter } from "./record-writer";
import { changeOf, replaysAmong, runIdsOf, timeAt } from "./replays";

/** Events in one batch: 16 kB, which is what a producer fills unless told. */
const BATCH = 25;

/** Makes the topic of one partition and fills it. Returns how many bytes its log has. */
export async function fillReplayed(lab: Lab, topic: string, events: number): Promise<number> {
  const admin = lab.kafka().admin();
  await admin.connect();
  const configEntries = [{ name: "retention.ms", value: "-1" }];
  await admin.createTopics({ topics: [{ topic, numPartitions: 1, replicationFactor: 1, configEntries }] });
  await admin.disconnect();
  return produce(lab.brokers[0] ?? "", topic, batches(events));
}

function* batches(events: number): Generator<Placed> {
  const replays = replaysAmong(events);
  const headers = runIdsOf(events).map(headersOf);
  const writer = new RecordWriter();
  let run = 0;
  let change = 0;
  let base = 0;
  for (let offset = 0; offset < events; offset++) {
    const next = replays[run];
    if (next && offset === next.firstOffset) {
      // A run that begins sends batches of its own.
      if (writer.count > 0) yield { offset: base, batch: writer.take(timeAt(base), timeAt(offset - 1)) };
      base = offset;
      change -= next.count;
      run += 1;
    }
    writer.add(changeOf(change), timeAt(offset) - timeAt(base), headers[run] as Buffer);
    change += 1;
    if (writer.count < BATCH && offset + 1 < events) continue;
    yield { offset: base, batch: writer.take(timeAt(base), timeAt(offset)) };
    base = offset + 1;
  }
}
