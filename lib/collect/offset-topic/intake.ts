import { type OffsetKey, readOffsetKey, readOffsetValue } from "@/lib/debezium/offset-record";
import type { LogRecord } from "@/lib/kafka/log/record";
import { type CommitOf, commitsKeptMs } from "@/lib/store/commits";
import { type CommitMemory, isoTime } from "./commit-memory";
import type { CommitStore } from "./commit-store";
import type { TopicSink } from "./follow-topics";

/** Commits that wait to be stored; when there are more, reading waits for the database. */
const mostWaiting = 5_000;
/** Keys whose meaning is remembered: one is in the topic as often as its offset was committed. */
const mostKeys = 20_000;
/** Names in the topic that are no known connector's, or were one's. */
const mostStrangers = 10_000;

/** Takes the records of offset topics into memory and into the store. */
interface Intake extends TopicSink {
  /** Whose records are kept, each with its own offset topic if it has one: only commits there are stored then. */
  expect(connectors: ReadonlyMap<string, string | null>): void;
  /** Whether records were read past or forgotten that are wanted now: of one of these, which nobody knew then, among others. */
  readPast(connectors: Iterable<string>): boolean;
  /** Stores what waits. @throws DatabaseUnavailable */
  flush(): Promise<void>;
}

export function openIntake(memory: CommitMemory, store: CommitStore): Intake {
  let expected: ReadonlyMap<string, string | null> = new Map();
  const keys = new Map<string, OffsetKey | null>();
  let strangers = new Set<string>();
  let strangersForgotten = false;
  /** By topic and partition: what lies up to there is stored. */
  const stored = new Map<string, { offset: number; at: string }>();
  /** Records were read past that are wanted now: that something after them is stored says nothing of them. */
  let storeAll = false;
  /** Something was passed over as stored that is not: the topics are read once more. */
  let again = false;
  let waiting: CommitOf[] = [];
  let flushing: Promise<void> | null = null;

  function keyOf(bytes: Buffer | null): OffsetKey | null {
    if (bytes === null) return null;
    const text = bytes.toString("latin1");
    const known = keys.get(text);
    if (known !== undefined) return known;
    const read = readOffsetKey(bytes);
    const key = "why" in read ? null : read;
    if (keys.size >= mostKeys) keys.clear();
    keys.set(text, key);
    return key;
  }

  function noteStranger(name: string): void {
    if (strangers.size < mostStrangers) strangers.add(name);
    else strangersForgotten = true;
  }

  /** Null when it is not stored: old, stored before, a copy, or unreadable. */
  function toStore(key: OffsetKey, topic: string, kafkaPartition: number, record: LogRecord, oldest: number) {
    if (
      record.timestamp < oldest ||
      record.offset <= (stored.get(`${topic}/${kafkaPartition}`)?.offset ?? -1)
    )
      return null;
    if ((expected.get(key.connector) ?? topic) !== topic) return null;
    const at = isoTime(record.timestamp);
    const read = readOffsetValue(record.value);
    if (at === null || "why" in read) return null;
    return { ...key, at, offset: read.offset, topic, kafkaPartition, kafkaOffset: record.offset };
  }

  async function flush(): Promise<void> {
    while (flushing) await flushing;
    if (waiting.length === 0) return;
    const some = waiting;
    waiting = [];
    flushing = store.save(some);
    try {
      await flushing;
    } catch (error) {
      waiting = [...some, ...waiting];
      throw error;
    } finally {
      flushing = null;
    }
  }

  /** What is stored is of another topic of this name, made again while nobody looked. */
  async function dropStored(topic: string, kafkaPartition: number): Promise<void> {
    while (flushing) await flushing;
    await store.drop(topic, kafkaPartition);
    stored.delete(`${topic}/${kafkaPartition}`);
    again = true;
  }

  return {
    expect(connectors) {
      // What is forgotten of them is in the topic all the same: should they come back, it is read once more.
      for (const name of expected.keys()) if (!connectors.has(name)) noteStranger(name);
      expected = connectors;
      memory.keepOnly(new Set(connectors.keys()));
    },
    readPast(connectors) {
      const found = again || [...connectors].some((name) => strangersForgotten || strangers.has(name));
      if (found) {
        again = false;
        strangers = new Set();
        strangersForgotten = false;
        storeAll = true;
      }
      return found;
    },
    async begin(topic, partitions) {
      memory.forgetTopic(topic);
      const places = partitions.map((kafkaPartition) => ({ topic, kafkaPartition }));
      for (const { kafkaPartition, kafkaOffset, at } of await store.readEnds(places))
        stored.set(`${topic}/${kafkaPartition}`, { offset: kafkaOffset, at });
    },
    async start(topic, ends) {
      for (const [kafkaPartition, end] of ends) {
        const place = `${topic}/${kafkaPartition}`;
        const isBeyond = (stored.get(place)?.offset ?? -1) >= end;
        // So it was of another topic of this name.
        if (isBeyond) await store.drop(topic, kafkaPartition);
        if (isBeyond || storeAll) stored.delete(place);
      }
    },
    async take(topic, kafkaPartition, records) {
      const oldest = Date.now() - commitsKeptMs;
      const end = stored.get(`${topic}/${kafkaPartition}`);
      for (const record of records) {
        const other = record.offset === end?.offset && isoTime(record.timestamp) !== end.at;
        if (other) await dropStored(topic, kafkaPartition);
        const key = keyOf(record.key);
        if (!key) continue;
        if (!expected.has(key.connector)) {
          noteStranger(key.connector);
          continue;
        }
        const { timestamp, value } = record;
        memory.hold({ ...key, topic, kafkaPartition, kafkaOffset: record.offset, timestamp, value });
        const commit = toStore(key, topic, kafkaPartition, record, oldest);
        if (commit) waiting.push(commit);
      }
      if (waiting.length >= mostWaiting) await flush();
    },
    async forget(topic, ends) {
      memory.forgetTopic(topic);
      waiting = waiting.filter((commit) => commit.topic !== topic);
      for (const place of [...stored.keys()]) if (place.startsWith(`${topic}/`)) stored.delete(place);
      while (flushing) await flushing;
      if (!ends) return store.drop(topic);
      for (const [kafkaPartition, end] of ends) await store.drop(topic, kafkaPartition, end);
    },
    flush,
  };
}
