import { deliveredRecord } from "@/lib/debezium/events/delivered-record";
import type { LogReader } from "@/lib/kafka/log/log-reader";
import { WholeCount, type WholeResult } from "@/lib/measure/duplicates/whole-count";

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
