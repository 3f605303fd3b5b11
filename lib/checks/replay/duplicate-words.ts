import type { FoundReplay, Replay, ReplayCause } from "@/lib/observed/duplicates";
import { eventCount, sureness } from "./window-words";

/** Each cause as a clause: why changes were produced again. */
export const causeWords: Readonly<Record<ReplayCause, string>> = {
  crash: "the worker or its task crashed",
  "graceful-restart": "it was stopped and started again",
  rebalance: "its tasks were given to another worker",
  "config-change": "its configuration was changed",
  "worker-lost": "a worker was taken for dead",
  "source-retry": "Debezium began again after an error of the source connection",
  "producer-retry": "the producer sent batches again that a broker had taken",
  failover: "the source failed over to another server",
  unknown: "why is not known",
};

/** `orders-3`, as Kafka's own tools name it. */
export const topicPartition = ({ topic, partition }: Pick<FoundReplay, "topic" | "partition">) =>
  `${topic}-${partition}`;

/** `450 changes`, `at most 1 change`. */
export function changesAgain(count: number, bound: FoundReplay["bound"] = "exact"): string {
  return `${sureness[bound]}${eventCount(count, "change")}`;
}

/** `offsets 1200 to 1649, 450 changes: the worker or its task crashed; 500 events had been predicted for all its topics` */
export function replayWords(replay: Replay): string {
  const { firstOffset, lastOffset, count, bound, cause, predicted } = replay;
  const offsets =
    firstOffset === lastOffset ? `offset ${firstOffset}` : `offsets ${firstOffset} to ${lastOffset}`;
  const before =
    typeof predicted === "number" ? `; ${eventCount(predicted)} had been predicted for all its topics` : "";
  return `${offsets}, ${changesAgain(count, bound)}: ${causeWords[cause]}${before}`;
}

/** `1.2 %`; finer below 1 %, so that a small rate is not told as none. */
export function percent(rate: number): string {
  const value = rate * 100;
  if (value > 0 && value < 0.01) return "under 0.01 %";
  const figure = new Intl.NumberFormat("en-GB", { maximumFractionDigits: value < 1 ? 2 : 1 }).format(value);
  return `${figure} %`;
}
