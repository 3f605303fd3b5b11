import type { PartitionTruth } from "@/lab/deliveries";
import { scanTopic } from "@/lib/collect/scan/scan-topic";
import { deliveredRecord } from "@/lib/debezium/events/delivered-record";
import type { LogReader } from "@/lib/kafka/log/log-reader";
import { WholeCount, type WholeResult } from "@/lib/measure/duplicates/whole-count";

/**
 * What a scan by samples, which take all changes of a topic of this size, and a count of every record say of a topic beside the truth:
 * a sentence for each figure that differs.
 */
export async function scanDifferences(
  log: LogReader,
  counted: WholeResult,
  truths: readonly PartitionTruth[],
): Promise<string[]> {
  const { topic } = counted;
  const partitions = truths.map(({ partition, end }) => ({ partition, from: 0, to: end }));
  const secret = Buffer.from("8 bytes!");
  const { result } = await scanTopic(log, {
    topic,
    partitions,
    type: null,
    config: null,
    registry: null,
    secret,
  });
  const sum = (of: (truth: PartitionTruth) => number) => truths.reduce((all, truth) => all + of(truth), 0);
  const are = {
    duplicates: sum(({ copies }) => copies.length),
    events: sum(({ records }) => records),
    records: sum(({ records, reReads, tombstones }) => records + reReads + tombstones),
    reReads: sum(({ reReads }) => reReads),
  };
  const told = [];
  for (const name of ["duplicates", "events", "records", "reReads"] as const) {
    if (counted[name] !== are[name])
      told.push(`${topic}: ${name} counted ${counted[name]}, are ${are[name]}`);
    if (result[name] !== are[name]) told.push(`${topic}: ${name} by scan ${result[name]}, are ${are[name]}`);
  }
  // Of more rows than a sample takes they are estimates.
  for (const name of result.keyShare === 1 ? (["snapshotOverlap", "keyOrderViolations"] as const) : [])
    if (counted[name] !== result[name])
      told.push(`${topic}: ${name} counted ${counted[name]}, by scan ${result[name]}`);
  return told;
}

/** Counts topics by reading every record, going on where it was before. */
export interface Counter {
  /** Reads a topic up to these ends, and gives what was counted of all of it. */
  count(topic: string, ends: readonly { partition: number; end: number }[]): Promise<WholeResult>;
}

export function openCounter(log: LogReader): Counter {
  const counts = new Map<string, WholeCount>();
  const reached = new Map<string, number>();

  async function readOn(count: WholeCount, topic: string, partition: number, end: number): Promise<void> {
    const name = `${topic}/${partition}`;
    const from = reached.get(name) ?? 0;
    reached.set(name, end);
    if (from >= end) return;
    const isolation = "read_committed";
    for await (const batch of log.read({ topic, partition, from, to: end, isolation, keepsNothing: true }))
      for (const record of batch.records())
        count.add(deliveredRecord(record, { topic, partition }, null, null));
  }

  return {
    async count(topic, ends) {
      const count = counts.get(topic) ?? new WholeCount();
      counts.set(topic, count);
      for (const { partition, end } of ends) await readOn(count, topic, partition, end);
      return count.result(topic);
    },
  };
}
