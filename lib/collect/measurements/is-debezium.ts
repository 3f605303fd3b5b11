import { deliveredReader } from "@/lib/collect/duplicates/delivered-reader";
import type { DeliveredRecord } from "@/lib/debezium/events/delivered-record";
import type { LogReader } from "@/lib/kafka/log/log-reader";
import type { SchemaRegistry } from "@/lib/kafka/registry";
import { MeasurementFailed } from "./measurement-failed";
import type { TopicRange } from "./topic-range";

/** Records that are looked at in one partition, and partitions. */
const looks = { records: 16, partitions: 4 };

/**
 * Looks at records spread over a topic in which nothing was found, for one that may tell of a change: "no duplicates" must not
 * be said of what is no change log at all. A value in a registry's schema may be one.
 * @throws MeasurementFailed where none of them is; LogReadError
 */
export async function mustBeDebezium(
  log: LogReader,
  topic: string,
  { partitions }: TopicRange,
  registry: SchemaRegistry | null,
): Promise<void> {
  let unreadable: DeliveredRecord | null = null;
  for (const { partition, from, to } of partitions.slice(0, looks.partitions)) {
    const read = deliveredReader({ topic, partition }, { config: null, type: null, registry });
    const step = Math.max(1, Math.floor((to - from) / looks.records));
    for (let at = from; at < to; at += step) {
      const record = await log.recordAt({ topic, partition }, at, "read_committed");
      if (!record || record.offset >= to) break;
      const told = await read(record);
      if (mayBeDebezium(told)) return;
      if (told.kind === "unreadable") unreadable ??= told;
      at = Math.max(at, record.offset);
    }
  }
  throw notDebezium(topic, unreadable);
}

function mayBeDebezium({ kind, writer, runId, slug }: DeliveredRecord): boolean {
  if (kind === "change" || kind === "snapshot") return true;
  return kind === "unreadable" && (writer !== null || runId !== null || slug === "registry");
}

function notDebezium(topic: string, unreadable: DeliveredRecord | null): MeasurementFailed {
  const choose = "Choose a topic that a Debezium connector writes the changes of a table to.";
  return new MeasurementFailed(
    `Topic ${topic} holds no change events of Debezium, as far as was looked: its records tell no source position.`,
    unreadable?.remedy ? `${choose} If this is one: ${unreadable.remedy}` : choose,
  );
}
