import {
  type DescribedTopic,
  type FetchedBatch,
  LogReadError,
  type LogReader,
  type ReadEnd,
  type ReadRange,
  type TopicPartition,
} from "@/lib/kafka/log/log-reader";
import type { LogRecord } from "@/lib/kafka/log/record";
import type { TopicSettings } from "@/lib/kafka/topic-settings";
import type { Failure } from "@/lib/observed/observation";
import type { BrokerProbe } from "../../cluster-probe";

/** A topic of the double. */
interface DoubleTopic {
  id: string | null;
  policy: string | Failure;
  /** Records by partition, their offsets rising; compaction may have left gaps. */
  partitions: LogRecord[][];
  /** First offset of each partition that retention left. */
  first?: number;
  /** What every look at its metadata or ends fails with. */
  away?: Failure;
  /** What every fetch fails with. */
  unreadable?: Failure;
}

/** Brokers that hold what the test gave them, and count what they are asked. */
export class LogDouble {
  readonly topics = new Map<string, DoubleTopic>();
  asked = { describe: 0, ends: 0, reads: [] as string[], listed: 0 };
  /** What every question fails with. */
  down: Failure | null = null;

  topic(name: string, more: Partial<DoubleTopic> = {}): DoubleTopic {
    const topic = { id: `id of ${name}`, policy: "compact", partitions: [[], [], []], ...more };
    this.topics.set(name, topic);
    return topic;
  }

  /** Writes a record to the end of a partition, as a worker does. */
  write(name: string, partition: number, key: string, value: string | null, timestamp: number): LogRecord {
    const records = this.topics.get(name)?.partitions[partition];
    if (!records) throw new Error(`no partition ${partition} of ${name}`);
    const offset = (records.at(-1)?.offset ?? -1) + 1;
    const record = {
      offset,
      timestamp,
      key: Buffer.from(key),
      value: value === null ? null : Buffer.from(value),
      headers: [],
    };
    records.push(record);
    return record;
  }

  reset(): void {
    this.asked = { describe: 0, ends: 0, reads: [], listed: 0 };
  }

  readonly probe: BrokerProbe = {
    describeCluster: async () => ({ value: { clusterId: "k1", controller: 1, brokers: [] } }),
    describeHistoryTopic: async () => ({ failure: missing("any") }),
    readTopicEnds: async () => ({ value: new Map() }),
    listTopics: async () => {
      this.asked.listed += 1;
      return this.down ? { failure: this.down } : { value: [...this.topics.keys()].sort() };
    },
    readTopicSettings: async (names) =>
      this.down ? { failure: this.down } : { value: new Map(names.map((n) => [n, this.settings(n)])) },
    log: this.reader(),
  };

  private settings(name: string): TopicSettings | Failure {
    const policy = this.topics.get(name)?.policy ?? missing(name);
    return typeof policy === "string" ? { cleanupPolicy: policy, timestampType: "CreateTime" } : policy;
  }

  private reader(): LogReader {
    const fetchable = ({ topic, partition }: TopicPartition, offset: number): LogRecord[] => {
      const found = this.topics.get(topic);
      const failure = this.down ?? found?.unreadable ?? (found ? null : missing(topic));
      if (failure) throw new LogReadError(failure, { topic, partition, offset });
      return found?.partitions[partition] ?? [];
    };
    const end = (at: TopicPartition) => (fetchable(at, 0).at(-1)?.offset ?? -1) + 1;
    return {
      describe: async (names) => {
        this.asked.describe += 1;
        if (this.down) return { failure: this.down };
        return { value: new Map(names.map((n) => [n, this.describe(n)])) };
      },
      ends: async (partitions, which) => {
        this.asked.ends += 1;
        return partitions.map((at) => {
          const topic = this.topics.get(at.topic);
          const failure = this.down ?? topic?.away;
          if (failure) return failure;
          const records = topic?.partitions[at.partition] ?? [];
          return which === "earliest" ? (topic?.first ?? 0) : (records.at(-1)?.offset ?? -1) + 1;
        });
      },
      offsetsForTime: async () => [],
      newest: async (at) => fetchable(at, 0).at(-1) ?? null,
      recordAt: async (at, offset) => fetchable(at, offset).find((r) => r.offset >= offset) ?? null,
      read: (range) => this.read(range, fetchable, end),
    };
  }

  private describe(name: string): DescribedTopic | Failure {
    const topic = this.topics.get(name);
    if (!topic) return missing(name);
    if (topic.away) return topic.away;
    const partitions = topic.partitions.map((_, partition) => ({ partition, leader: 1, leaderEpoch: 0 }));
    return { topic: name, topicId: topic.id, partitions };
  }

  /** Two records a batch. */
  private async *read(
    range: ReadRange,
    fetchable: (at: TopicPartition, offset: number) => LogRecord[],
    end: (at: TopicPartition) => number,
  ): AsyncGenerator<FetchedBatch, ReadEnd> {
    this.asked.reads.push(`${range.topic}/${range.partition} from ${range.from}`);
    const first = this.topics.get(range.topic)?.first ?? 0;
    const from = Math.max(range.from, first);
    const to = Math.min(range.to ?? Number.POSITIVE_INFINITY, end(range));
    const wanted = fetchable(range, from).filter((r) => r.offset >= from && r.offset < to);
    for (let i = 0; i < wanted.length; i += 2) {
      if (range.signal?.aborted) return { why: "cancelled", next: from + i, deleted: [], bytes: 0 };
      yield batchOf(wanted.slice(i, i + 2));
    }
    const deleted = range.from < first ? [{ from: range.from, to: first }] : [];
    return { why: "end", next: to, deleted, bytes: 0 };
  }
}

function missing(topic: string): Failure {
  return { kind: "not-found", sentence: `topic ${topic} does not exist`, remedy: null };
}

function batchOf(records: LogRecord[]): FetchedBatch {
  const [baseOffset, lastOffset] = [records[0]?.offset ?? 0, records.at(-1)?.offset ?? 0];
  return {
    baseOffset,
    lastOffset,
    leaderEpoch: 0,
    codec: "none",
    timestamps: "create",
    transactional: false,
    control: false,
    producerId: null,
    producerEpoch: -1,
    baseSequence: -1,
    count: records.length,
    baseTimestamp: records[0]?.timestamp ?? 0,
    maxTimestamp: records.at(-1)?.timestamp ?? 0,
    bytes: 0,
    body: Buffer.alloc(0),
    deleteHorizon: null,
    aborted: false,
    visible: true,
    from: baseOffset,
    to: lastOffset + 1,
    records: () => records,
  };
}
