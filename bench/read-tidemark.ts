// Tidemark's own way: the log reader, and positions by byte search.
import { EventScanner } from "@/lib/debezium/events/event-scanner";
import { placesOf } from "@/lib/debezium/events/places/places";
import { openKafka } from "@/lib/kafka/connection";
import { openLogReader } from "@/lib/kafka/log/open-log-reader";
import { RecordCursor } from "@/lib/kafka/log/record-cursor";
import { measured } from "./measured";

const [broker = "", topic = ""] = process.argv.slice(2);
const kafka = openKafka({
  name: "bench",
  connect: { urls: ["http://127.0.0.1"] },
  kafka: { brokers: [broker], tls: false },
});
const at = { topic, partition: 0 };

await measured(async () => {
  const cursor = new RecordCursor(at);
  const places = placesOf("postgresql");
  const scanner = new EventScanner(places.fields);
  const [place, highest] = [places.create(), places.create()];
  let [events, duplicates] = [0, 0];
  const range = {
    ...at,
    from: 0,
    isolation: "read_uncommitted",
    keepsNothing: true,
    fetchBytes: 8 << 20,
  } as const;
  for await (const batch of openLogReader(kafka).read(range)) {
    if (!batch.visible) continue;
    cursor.open(batch);
    while (cursor.next()) {
      if (scanner.scan(cursor.bytes, cursor.valueStart, cursor.valueEnd) !== "change") continue;
      place.read(scanner);
      events += 1;
      if (events === 1 || highest.compare(place) < 0) highest.copyFrom(place);
      else duplicates += 1;
    }
  }
  return { events, duplicates };
});
await kafka.close();
