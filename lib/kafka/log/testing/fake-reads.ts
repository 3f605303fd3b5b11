import { openKafka } from "../../connection";
import {
  type FakeBroker,
  type FakeOptions,
  type FakeTopic,
  startFakeBroker,
} from "../../testing/fake-broker";
import type { FetchReply } from "../../testing/fake-fetch";
import { type FetchedBatch, LogReadError, type LogReader, type ReadEnd } from "../log-reader";
import { openLogReader } from "../open-log-reader";
import { logOf, partitionOf, topicOf } from "./fake-log";

const opened: { close?(): Promise<void>; stop?(): Promise<void> }[] = [];

/** After each test. */
export async function closeAll(): Promise<void> {
  for (const one of opened.splice(0)) await (one.close?.() ?? one.stop?.());
}

export async function start(topics: Record<string, FakeTopic>, options?: FakeOptions): Promise<FakeBroker> {
  const broker = await startFakeBroker(topics, options);
  opened.push(broker);
  return broker;
}

export function connect(broker: FakeBroker, patienceMs = 5_000): LogReader {
  const k = openKafka({
    name: "t",
    connect: { urls: ["http://localhost:1"] },
    kafka: { brokers: [broker.address], tls: false },
  });
  opened.push(k);
  return openLogReader(k, patienceMs);
}

/** A topic with the offsets 0 to 99 in ten batches. */
export const hundred = () => topicOf(partitionOf(0, 100, logOf(0, 100, 10)));
/** Of each of them. */
export const size = logOf(0, 10, 10)[0]?.length ?? 0;

/** A broker with a topic `t`. */
export async function setUp(
  topic: FakeTopic = hundred(),
  options?: FakeOptions,
): Promise<{ broker: FakeBroker; reader: LogReader }> {
  const broker = await start({ t: topic }, options);
  return { broker, reader: connect(broker) };
}

export const range = { topic: "t", partition: 0, from: 0, isolation: "read_uncommitted" } as const;

/** Has a say in the first answers to fetches, one by one. */
export function script(broker: FakeBroker, ...replies: FetchReply[]): void {
  broker.onFetch = () => replies.shift();
}

export interface ReadWhole {
  end: ReadEnd;
  batches: FetchedBatch[];
  /** Of the records that the reader got. */
  offsets: number[];
}

/** Reads to the end, with a look at each batch in between. */
export async function readWhole(
  read: AsyncGenerator<FetchedBatch, ReadEnd>,
  look: (batch: FetchedBatch) => unknown = () => {},
): Promise<ReadWhole> {
  const batches: FetchedBatch[] = [];
  const offsets: number[] = [];
  for (;;) {
    const step = await read.next();
    if (step.done) return { end: step.value, batches, offsets };
    batches.push(step.value);
    offsets.push(...step.value.records().map((r) => r.offset));
    await look(step.value);
  }
}

/** How a read fails that must. */
export async function failureOf(read: AsyncGenerator<FetchedBatch, ReadEnd>): Promise<LogReadError> {
  const outcome = await readWhole(read).catch((error: unknown) => error);
  if (outcome instanceof LogReadError) return outcome;
  throw new Error("it must end in a LogReadError", { cause: outcome });
}
