import type { LogReader } from "@/lib/kafka/log/log-reader";
import type { Failure } from "@/lib/observed/observation";
import type { BrokerProbe } from "../../cluster-probe";
import { EventLog, type EventRecord } from "./event-log";

/** Brokers with topics that a test writes to, which answer all that the loop over replay windows asks. */
export class WrittenTopics {
  readonly log = new EventLog();
  /** Timestamps by topic, partition and offset. */
  readonly #times = new Map<string, number[][]>();
  readonly #ids = new Map<string, string>();
  /** What is said of a topic that cannot be looked at. */
  readonly failing = new Map<string, Failure>();
  /** Log starts by topic and partition; 0 where none is set. */
  readonly #starts = new Map<string, number>();
  /** What every question fails with. */
  down: Failure | null = null;
  asked = { offsetsForTime: 0, earliest: 0 };

  topic(name: string, partitions = 1): void {
    this.#times.set(
      name,
      Array.from({ length: partitions }, () => []),
    );
    this.#ids.set(name, `id ${this.#ids.size} of ${name}`);
  }

  /** Writes one batch. */
  write(
    topic: string,
    partition: number,
    records: readonly (EventRecord & { timestamp: number })[],
    producer: Parameters<EventLog["write"]>[3] = null,
  ): void {
    this.log.write(topic, partition, records, producer);
    this.#times.get(topic)?.[partition]?.push(...records.map((r) => r.timestamp));
  }

  /** The marker behind a transaction. */
  commit(topic: string, partition: number, producerId: bigint, timestamp: number): void {
    this.log.marker(topic, partition, "commit", producerId);
    this.#times.get(topic)?.[partition]?.push(timestamp);
  }

  /** Deletes what lies before an offset, as DeleteRecords and retention do. */
  deleteBefore(topic: string, partition: number, offset: number): void {
    this.#starts.set(`${topic}/${partition}`, offset);
  }

  deleteTopic(name: string): void {
    this.#times.delete(name);
    this.log.forget(name);
  }

  /** Adds partitions. */
  grow(name: string, partitions: number): void {
    const times = this.#times.get(name) ?? [];
    while (times.length < partitions) times.push([]);
  }

  readonly probe: BrokerProbe = {
    describeCluster: async () => ({ value: { clusterId: "k1", controller: 1, brokers: [] } }),
    listTopics: async () => ({ value: [...this.#times.keys()] }),
    describeHistoryTopic: async () => ({ failure: missing("any") }),
    readTopicEnds: async () => ({ value: new Map() }),
    readTopicSettings: async (topics) => ({
      value: new Map(
        topics.map((t) => [t, { cleanupPolicy: "delete", timestampType: "CreateTime" as const }]),
      ),
    }),
    log: this.#reader(),
  };

  #reader(): LogReader {
    const start = (topic: string, partition: number) => this.#starts.get(`${topic}/${partition}`) ?? 0;
    const times = (topic: string, partition: number) => this.#times.get(topic)?.[partition] ?? [];
    return {
      ...this.log.reader(),
      describe: async (names) => {
        if (this.down) return { failure: this.down };
        return { value: new Map(names.map((name) => [name, this.#described(name)])) };
      },
      ends: async (asked, end) => {
        if (end === "earliest") this.asked.earliest += 1;
        return asked.map(
          ({ topic, partition }) =>
            this.down ?? (end === "earliest" ? start(topic, partition) : times(topic, partition).length),
        );
      },
      offsetsForTime: async (asked) => {
        this.asked.offsetsForTime += 1;
        return asked.map(({ topic, partition, timestamp }) => {
          if (this.down) return this.down;
          const offset = times(topic, partition).findIndex(
            (t, i) => i >= start(topic, partition) && t >= timestamp,
          );
          return offset < 0 ? null : { offset, timestamp: times(topic, partition)[offset] ?? -1 };
        });
      },
    };
  }

  #described(topic: string) {
    const partitions = this.#times.get(topic);
    const failure = this.failing.get(topic) ?? (partitions ? null : missing(topic));
    if (failure) return failure;
    const all = (partitions ?? []).map((_, partition) => ({ partition, leader: 1, leaderEpoch: 0 }));
    return { topic, topicId: this.#ids.get(topic) ?? null, partitions: all };
  }
}

function missing(topic: string): Failure {
  return { kind: "not-found", sentence: `topic ${topic} does not exist`, remedy: null };
}
