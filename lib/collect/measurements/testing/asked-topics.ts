import { WrittenTopics } from "@/lib/collect/replay-window/testing/written-topics";
import type { LogReader } from "@/lib/kafka/log/log-reader";
import type { BrokerProbe } from "../../cluster-probe";

/** Topics that a test writes to, with single records read out of their batches. */
export function askedTopics(): { topics: WrittenTopics; brokers: BrokerProbe } {
  const topics = new WrittenTopics();
  const { log } = topics.probe;
  const recordAt: LogReader["recordAt"] = async (at, offset, isolation) => {
    for await (const batch of log.read({ ...at, from: offset, isolation })) {
      const [record] = batch.records();
      if (record) return record;
    }
    return null;
  };
  return { topics, brokers: { ...topics.probe, log: { ...log, recordAt } } };
}
