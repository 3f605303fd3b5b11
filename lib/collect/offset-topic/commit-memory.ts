import type { OffsetKey } from "@/lib/debezium/offset-record";
import { readOffsetValue } from "@/lib/debezium/offset-record";
import { type CommitHistory, type OffsetCommit, recentCommits } from "@/lib/observed/commits";
import type { StoredOffsets } from "@/lib/observed/connector";
import type { Failure } from "@/lib/observed/observation";

/** A record of an offset topic, with whose offset it stores. */
export interface OffsetTopicRecord extends OffsetKey {
  topic: string;
  kafkaPartition: number;
  kafkaOffset: number;
  /** Milliseconds since 1970; negative when the record carries none. */
  timestamp: number;
  value: Buffer | null;
}

/** What an offset topic says of one connector. */
export interface ConnectorCommits {
  history: CommitHistory;
  /** The newest offset of each source partition; deleted ones are absent. */
  offsets: StoredOffsets["offsets"];
  /** Set when a newest record cannot be read: then `offsets` lacks it, and must not be taken for the whole. */
  unreadable: Failure | null;
}

/** Bytes of values kept of one source partition, beside its newest. An offset has a few hundred. */
const mostBytes = 256 * 1024;
/** Commits kept of one connector, shared by its source partitions, beside the newest of each. */
const mostOfConnector = 2_000;

interface Held {
  kafkaPartition: number;
  kafkaOffset: number;
  timestamp: number;
  /** Length of the value. */
  bytes: number;
  /**
   * What the value says; until someone asks, the value itself, a byte a character: when a long topic is read from its start,
   * most are never looked at.
   */
  says: { raw: string | null } | { offset: string | null } | { why: string };
  /** The commit as it is told, the same object each time: what is made of it can be kept with it. */
  commit?: OffsetCommit;
}

interface Commits {
  /** Oldest first, in the order of the topic. */
  held: Held[];
  bytes: number;
}

interface Known {
  /** By source partition, then by topic. */
  partitions: Map<string, Map<string, Commits>>;
  /** What {@link CommitMemory.of} gave last, until something is added. */
  told: { topic: string; commits: ConnectorCommits } | null;
}

/** The newest commits of the connectors of one cluster, bounded whatever the topic holds. */
export class CommitMemory {
  private readonly connectors = new Map<string, Known>();

  /** Keeps a record; one that was kept before is passed over. */
  hold(record: OffsetTopicRecord): void {
    const known = this.connectors.get(record.connector) ?? { partitions: new Map(), told: null };
    this.connectors.set(record.connector, known);
    const byTopic = known.partitions.get(record.partition) ?? new Map<string, Commits>();
    known.partitions.set(record.partition, byTopic);
    const commits = byTopic.get(record.topic) ?? { held: [], bytes: 0 };
    byTopic.set(record.topic, commits);

    const last = commits.held.at(-1);
    const again = last?.kafkaPartition === record.kafkaPartition && last.kafkaOffset >= record.kafkaOffset;
    if (again) return;
    const { kafkaPartition, kafkaOffset, timestamp } = record;
    const bytes = record.value?.length ?? 0;
    const says = { raw: record.value?.toString("latin1") ?? null };
    commits.held.push({ kafkaPartition, kafkaOffset, timestamp, bytes, says });
    commits.bytes += bytes;
    const most = Math.max(1, Math.min(recentCommits, Math.floor(mostOfConnector / known.partitions.size)));
    while (commits.held.length > 1 && (commits.held.length > most || commits.bytes > mostBytes))
      commits.bytes -= commits.held.shift()?.bytes ?? 0;
    known.told = null;
  }

  /** What a topic says of a connector. */
  of(connector: string, topic: string): ConnectorCommits {
    const known = this.connectors.get(connector);
    if (known?.told?.topic === topic) return known.told.commits;
    const told: ConnectorCommits = {
      history: { topics: [topic], partitions: [] },
      offsets: [],
      unreadable: null,
    };
    for (const [partition, byTopic] of known?.partitions ?? [])
      tell(told, partition, topic, byTopic.get(topic)?.held ?? []);
    told.history.partitions.sort(byPartition);
    told.offsets.sort(byPartition);
    if (known) known.told = { topic, commits: told };
    return told;
  }

  /** Forgets a topic that was made again, or is read again from its start. */
  forgetTopic(topic: string): void {
    for (const known of this.connectors.values()) {
      for (const [partition, byTopic] of known.partitions) {
        byTopic.delete(topic);
        if (byTopic.size === 0) known.partitions.delete(partition);
      }
      known.told = null;
    }
  }

  /** Forgets every connector but these. */
  keepOnly(connectors: ReadonlySet<string>): void {
    for (const name of this.connectors.keys()) if (!connectors.has(name)) this.connectors.delete(name);
  }
}

const byPartition = (a: { partition: string }, b: { partition: string }) =>
  a.partition < b.partition ? -1 : 1;

function tell(told: ConnectorCommits, partition: string, topic: string, held: readonly Held[]): void {
  const commits = held.flatMap((one) => {
    const commit = commitIn(topic, one);
    return commit && "at" in commit ? [commit] : [];
  });
  if (commits.length > 0) told.history.partitions.push({ partition, commits });
  const newest = held.at(-1);
  if (!newest) return;
  const read = readValue(newest);
  if ("why" in read) told.unreadable ??= unreadable(topic, newest, read.why);
  else if (read.offset !== null)
    told.offsets.push({ partition, offset: read.offset, committedAt: isoTime(newest.timestamp) });
}

/** Null when the record cannot be read, or carries no time. */
function commitIn(topic: string, held: Held): OffsetCommit | null {
  if (held.commit) return held.commit;
  const read = readValue(held);
  const at = isoTime(held.timestamp);
  if ("why" in read || at === null) return null;
  const { kafkaPartition, kafkaOffset } = held;
  held.commit = { at, offset: read.offset, topic, kafkaPartition, kafkaOffset };
  return held.commit;
}

function readValue(held: Held): { offset: string | null } | { why: string } {
  if (!("raw" in held.says)) return held.says;
  const { raw } = held.says;
  const read = readOffsetValue(raw === null ? null : Buffer.from(raw, "latin1"));
  held.says = read;
  return read;
}

const lastTime = Date.UTC(9999, 11, 31);

/** A record's timestamp as ISO text; null when it carries none that a calendar has. */
export function isoTime(timestamp: number): string | null {
  return timestamp >= 0 && timestamp < lastTime ? new Date(timestamp).toISOString() : null;
}

function unreadable(topic: string, { kafkaPartition, kafkaOffset }: Held, why: string): Failure {
  return {
    kind: "invalid-answer",
    sentence: `the newest offset record of a source partition cannot be read (topic ${topic}, partition ${kafkaPartition}, offset ${kafkaOffset}): ${why}`,
    remedy: "Connect cannot read it either: see how it came there, and store the offset anew.",
  };
}
