import type { FakeBroker, FakePartition } from "./fake-broker";
import { type Form, flexible, i16, i32, i64, plain, type RequestReader } from "./fake-wire";

/** A Fetch as it came. */
export interface FetchAsked {
  version: number;
  topic: string;
  partition: number;
  offset: number;
  maxBytes: number;
  waitMs: number;
  isolation: number;
  /** -1 in versions without it, and when the client knows none. */
  leaderEpoch: number;
}

/** What a test has a Fetch answered with: parts that differ from what the log would give, or none of it. */
export interface FetchReply {
  error?: number;
  throttleMs?: number;
  records?: Buffer;
  aborted?: { producerId: bigint; firstOffset: bigint }[];
  latest?: bigint;
  stable?: bigint;
  /** The answer leaves the partition out, as one to a throttled client does. */
  leaveOut?: boolean;
  /** No answer, the connection closed, or these bytes for a body. */
  instead?: "silence" | "hang up" | Buffer;
}

/** The body of the answer, or what is done instead. */
export function answerFetch(
  read: RequestReader,
  version: number,
  fake: FakeBroker,
): Buffer | "silence" | "hang up" {
  const asked = readFetch(read, version, fake);
  fake.fetchesAsked.push(asked);
  const known = fake.topics.get(asked.topic)?.partitions[asked.partition];
  const reply = { ...fromLog(asked, known, fake), ...fake.onFetch?.(asked) };
  if (reply.instead) return reply.instead;
  return writeFetch(asked, version, reply, fake);
}

function readFetch(read: RequestReader, version: number, fake: FakeBroker): FetchAsked {
  const asked: FetchAsked = {
    version,
    topic: "",
    partition: -1,
    offset: -1,
    maxBytes: -1,
    waitMs: -1,
    isolation: -1,
    leaderEpoch: -1,
  };
  if (read.i32() !== -1) throw new Error("not a consumer's fetch");
  asked.waitMs = read.i32();
  read.i32();
  read.i32();
  asked.isolation = read.i8();
  if (version >= 7 && (read.i32() !== 0 || read.i32() !== -1)) throw new Error("the fake knows no sessions");
  read.list(() => {
    asked.topic = version >= 13 ? nameOf(read.uuid(), fake) : read.text();
    read.list(() => {
      asked.partition = read.i32();
      if (version >= 9) asked.leaderEpoch = read.i32();
      asked.offset = Number(read.i64());
      if (version >= 12) read.i32();
      if (version >= 5) read.i64();
      asked.maxBytes = read.i32();
      read.tags();
    });
    read.tags();
  });
  if (version >= 7) read.list(() => 0);
  if (version >= 11) read.text();
  read.tags();
  read.end();
  return asked;
}

function nameOf(id: string, fake: FakeBroker): string {
  return [...fake.topics].find(([, t]) => t.topicId === id)?.[0] ?? "";
}

/** As a broker serves a log: whole batches from the one that holds the offset, and a cut one to fill the bytes. */
function fromLog(asked: FetchAsked, known: FakePartition | undefined, fake: FakeBroker): FetchReply {
  if (!known) return { error: asked.version >= 13 ? 100 : 3 };
  if ((known.leader ?? 1) !== fake.id) return { error: 6 };
  const { leaderEpoch = 0 } = known;
  if (asked.leaderEpoch >= 0 && asked.leaderEpoch !== leaderEpoch)
    return { error: asked.leaderEpoch < leaderEpoch ? 74 : 75 };
  if (asked.offset < known.earliest || asked.offset > known.latest) return { error: 1 };
  const batches = (known.log ?? []).filter((b) => lastOffset(b) >= asked.offset);
  const all = Buffer.concat(batches);
  const bytes = Math.max(asked.maxBytes, batches[0]?.length ?? 0);
  return { records: all.subarray(0, bytes) };
}

function lastOffset(batch: Buffer): number {
  return Number(batch.readBigInt64BE(0)) + batch.readInt32BE(23);
}

function writeFetch(asked: FetchAsked, version: number, reply: FetchReply, fake: FakeBroker): Buffer {
  const form: Form = version >= 12 ? flexible : plain;
  const topic = fake.topics.get(asked.topic);
  const known = topic?.partitions[asked.partition];
  const latest = reply.latest ?? known?.latest ?? -1n;
  const failed = reply.error !== undefined && reply.error !== 0;
  const aborted = (reply.aborted ?? []).map((a) =>
    Buffer.concat([i64(a.producerId), i64(a.firstOffset), form.tags()]),
  );
  const partition = Buffer.concat([
    i32(asked.partition),
    i16(reply.error ?? 0),
    i64(failed ? -1n : latest),
    i64(failed ? -1n : (reply.stable ?? known?.stable ?? latest)),
    ...(version >= 5 ? [i64(failed ? -1n : (known?.earliest ?? -1n))] : []),
    form.list(aborted),
    ...(version >= 11 ? [i32(-1)] : []),
    form.bytes(failed ? Buffer.alloc(0) : (reply.records ?? Buffer.alloc(0))),
    form.tags(),
  ]);
  const name = version >= 13 ? Buffer.from(topic?.topicId ?? "0".repeat(32), "hex") : form.text(asked.topic);
  const topics = reply.leaveOut ? [] : [Buffer.concat([name, form.list([partition]), form.tags()])];
  return Buffer.concat([
    i32(reply.throttleMs ?? 0),
    ...(version >= 7 ? [i16(0), i32(0)] : []),
    form.list(topics),
    form.tags(),
  ]);
}
