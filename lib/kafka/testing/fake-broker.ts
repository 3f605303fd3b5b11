import { createServer, type Server, type Socket } from "node:net";
import { answerFetch, type FetchAsked, type FetchReply } from "./fake-fetch";
import { type Form, flexible, i8, i16, i32, i64, plain, RequestReader } from "./fake-wire";

export interface FakePartition {
  /** 1 when not given; -1: none. */
  leader?: number;
  leaderEpoch?: number;
  earliest: bigint;
  latest: bigint;
  /** The last stable offset, where it is not the latest. */
  stable?: bigint;
  offsetError?: number;
  /** Where a leader epoch ends; -1 for one not given. */
  epochEnds?: Record<number, number>;
  /** Record batches as they lie in the log. */
  log?: Buffer[];
  /** For offsets by time: each record's offset and timestamp. */
  times?: { offset: bigint; timestamp: bigint }[];
}

/** A topic of the double. Error codes are those of the protocol; 0 when not given. */
export interface FakeTopic {
  /** 32 hexadecimal digits; none when not given. */
  topicId?: string;
  metadataError?: number;
  settingsError?: number;
  partitions: FakePartition[];
  settings?: Record<string, { value: string; source: number }>;
}

/** A broker that answers the six requests that Tidemark's reads need, as Kafka 4 does, or an older one. */
export interface FakeBroker {
  /** Its node id. */
  id: number;
  address: string;
  topics: Map<string, FakeTopic>;
  /** Brokers that its metadata names; itself when empty. */
  peers: FakeBroker[];
  /** Topics of each metadata request, and whether it would have let them be created. */
  metadataAsked: { topics: string[]; mayCreate: boolean }[];
  offsetsAsked: number;
  fetchesAsked: FetchAsked[];
  /** Leader epochs whose ends it was asked for. */
  epochsAsked: number[];
  /** Errors that it answers the next questions for the end of an epoch with. */
  epochErrors: number[];
  /** Connections that were ever opened to it. */
  connections: number;
  /** Has a say in what a Fetch is answered. */
  onFetch?: (asked: FetchAsked) => FetchReply | undefined;
  stop(): Promise<void>;
}

export interface FakeOptions {
  port?: number;
  id?: number;
  /** Newest versions that it knows of Fetch, ListOffsets, Metadata and OffsetForLeaderEpoch. */
  newest?: { fetch?: number; listOffsets?: number; metadata?: number; epochs?: number };
}

const API = {
  fetch: 1,
  listOffsets: 2,
  metadata: 3,
  apiVersions: 18,
  epochs: 23,
  describeConfigs: 32,
} as const;

/** Starts it on loopback; with auto.create.topics.enable=true, so that a careless question makes a topic. */
export async function startFakeBroker(
  topics: Record<string, FakeTopic>,
  options: FakeOptions = {},
): Promise<FakeBroker> {
  const sockets = new Set<Socket>();
  const fake: FakeBroker = {
    id: options.id ?? 1,
    address: "",
    topics: new Map(Object.entries(topics)),
    peers: [],
    metadataAsked: [],
    offsetsAsked: 0,
    fetchesAsked: [],
    epochsAsked: [],
    epochErrors: [],
    connections: 0,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    fake.connections += 1;
    socket.on("error", () => {});
    readFrames(socket, (frame) => {
      const reply = answer(frame, fake, options.newest ?? {});
      if (reply === "hang up") socket.destroy();
      else if (reply !== "silence") socket.write(reply);
    });
  });
  await new Promise<void>((done) => server.listen(options.port ?? 0, "127.0.0.1", done));
  const address = server.address();
  fake.address = `127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
  return fake;
}

function readFrames(socket: Socket, take: (frame: Buffer) => void): void {
  let buffered = Buffer.alloc(0);
  socket.on("data", (data: Buffer) => {
    buffered = Buffer.concat([buffered, data]);
    while (buffered.length >= 4 && buffered.length >= 4 + buffered.readInt32BE(0)) {
      const length = buffered.readInt32BE(0);
      take(buffered.subarray(4, 4 + length));
      buffered = buffered.subarray(4 + length);
    }
  });
}

function answer(
  frame: Buffer,
  fake: FakeBroker,
  newest: NonNullable<FakeOptions["newest"]>,
): Buffer | "silence" | "hang up" {
  const read = new RequestReader(frame);
  const [key, version, correlation] = [read.i16(), read.i16(), read.i32()];
  read.text();
  read.flexible = (key === API.metadata && version >= 9) || (key === API.fetch && version >= 12);
  read.tags();
  const body = bodyOf(key, version, read, fake, newest);
  if (typeof body === "string") return body;
  const header = Buffer.concat([i32(correlation), (read.flexible ? flexible : plain).tags()]);
  return Buffer.concat([i32(header.length + body.length), header, body]);
}

function bodyOf(
  key: number,
  version: number,
  read: RequestReader,
  fake: FakeBroker,
  newest: NonNullable<FakeOptions["newest"]>,
): Buffer | "silence" | "hang up" {
  switch (key) {
    case API.apiVersions: {
      const versions = [
        [API.fetch, 4, newest.fetch ?? 13],
        [API.listOffsets, 1, newest.listOffsets ?? 5],
        [API.metadata, 0, newest.metadata ?? 12],
        [API.apiVersions, 0, 2],
        [API.epochs, 0, newest.epochs ?? 3],
        [API.describeConfigs, 1, 1],
      ];
      return Buffer.concat([i16(0), plain.list(versions.map((v) => Buffer.concat(v.map(i16)))), i32(0)]);
    }
    case API.fetch:
      return answerFetch(read, version, fake);
    case API.metadata:
      return metadata(read, version, fake);
    case API.listOffsets:
      return offsets(read, version, fake);
    case API.epochs:
      return epochs(read, version, fake);
    default:
      return configs(read, fake);
  }
}

function metadata(read: RequestReader, version: number, fake: FakeBroker): Buffer {
  const form: Form = version >= 9 ? flexible : plain;
  const names = read.list(() => {
    if (version >= 10) read.uuid();
    const name = read.text();
    read.tags();
    return name;
  });
  const mayCreate = read.i8() === 1;
  if (version >= 8 && version <= 10) read.i8();
  if (version >= 8) read.i8();
  read.tags();
  read.end();
  fake.metadataAsked.push({ topics: names ?? ["*"], mayCreate });
  const asked = names ?? [...fake.topics.keys()].filter((name) => !fake.topics.get(name)?.metadataError);
  for (const name of asked)
    if (mayCreate && !fake.topics.has(name))
      fake.topics.set(name, { partitions: [{ earliest: 0n, latest: 0n }] });
  const brokers = (fake.peers.length > 0 ? fake.peers : [fake]).map(({ id, address }) => {
    const [host = "", port = ""] = address.split(":");
    return Buffer.concat([i32(id), form.text(host), i32(Number(port)), form.text("rack"), form.tags()]);
  });
  const topics = asked.map((name) => topicMetadata(name, version, fake.topics.get(name), form));
  return Buffer.concat([
    i32(0),
    form.list(brokers),
    form.text("fake"),
    i32(1),
    form.list(topics),
    ...(version >= 8 && version <= 10 ? [i32(0)] : []),
    form.tags(),
  ]);
}

function topicMetadata(name: string, version: number, topic: FakeTopic | undefined, form: Form): Buffer {
  const error = topic ? (topic.metadataError ?? 0) : 3;
  const partitions = (error === 0 ? (topic?.partitions ?? []) : []).map(
    ({ leader = 1, leaderEpoch = 0 }, id) =>
      Buffer.concat([
        i16(leader < 0 ? 5 : 0),
        i32(id),
        i32(leader),
        ...(version >= 7 ? [i32(leaderEpoch)] : []),
        form.list([i32(1)]),
        form.list([i32(1)]),
        ...(version >= 5 ? [form.list([])] : []),
        form.tags(),
      ]),
  );
  return Buffer.concat([
    i16(error),
    form.text(name),
    ...(version >= 10 ? [Buffer.from(topic?.topicId ?? "0".repeat(32), "hex")] : []),
    i8(0),
    form.list(partitions),
    ...(version >= 8 ? [i32(0)] : []),
    form.tags(),
  ]);
}

function offsets(read: RequestReader, version: number, fake: FakeBroker): Buffer {
  fake.offsetsAsked += 1;
  read.i32();
  const isolation = read.i8();
  const named = new Set<string>();
  const answers = read.list(() => {
    const name = read.text();
    const partitions = read.list(() => {
      const partition = read.i32();
      if (version >= 4) read.i32();
      const timestamp = read.i64();
      // As a broker does: INVALID_REQUEST for one that is named twice.
      const twice = named.size === named.add(`${name} ${partition}`).size;
      const known = fake.topics.get(name)?.partitions[partition];
      const error = twice ? 42 : offsetError(known, fake);
      const found = error === 0 && known ? offsetOf(known, timestamp, isolation) : nowhere;
      return Buffer.concat([
        i32(partition),
        i16(error),
        i64(found.timestamp),
        i64(found.offset),
        ...(version >= 4 ? [i32(known?.leaderEpoch ?? -1)] : []),
      ]);
    });
    return Buffer.concat([plain.text(name), plain.list(partitions ?? [])]);
  });
  read.end();
  return Buffer.concat([i32(0), plain.list(answers ?? [])]);
}

function epochs(read: RequestReader, version: number, fake: FakeBroker): Buffer {
  if (version >= 3) read.i32();
  const answers = read.list(() => {
    const name = read.text();
    const partitions = read.list(() => {
      const [partition, leaderEpoch, epoch] = [read.i32(), read.i32(), read.i32()];
      fake.epochsAsked.push(epoch);
      const known = fake.topics.get(name)?.partitions[partition];
      const fenced = leaderEpoch >= 0 && leaderEpoch < (known?.leaderEpoch ?? 0) ? 74 : 0;
      const error = fake.epochErrors.shift() ?? (offsetError(known, fake) || fenced);
      const end = error === 0 ? (known?.epochEnds?.[epoch] ?? -1) : -1;
      return Buffer.concat([i16(error), i32(partition), i32(end < 0 ? -1 : epoch), i64(BigInt(end))]);
    });
    return Buffer.concat([plain.text(name), plain.list(partitions ?? [])]);
  });
  read.end();
  return Buffer.concat([i32(0), plain.list(answers ?? [])]);
}

function offsetError(known: FakePartition | undefined, fake: FakeBroker): number {
  if (!known) return 3;
  return (known.leader ?? 1) === fake.id ? (known.offsetError ?? 0) : 6;
}

const nowhere = { offset: -1n, timestamp: -1n };

function offsetOf(known: FakePartition, timestamp: bigint, isolation: number): typeof nowhere {
  const latest = isolation === 1 ? (known.stable ?? known.latest) : known.latest;
  if (timestamp < 0n) return { offset: timestamp === -2n ? known.earliest : latest, timestamp: -1n };
  return known.times?.find((t) => t.timestamp >= timestamp) ?? nowhere;
}

function configs(read: RequestReader, fake: FakeBroker): Buffer {
  const answers = read.list(() => {
    const type = read.i8();
    const name = read.text();
    read.list(() => read.text());
    const topic = fake.topics.get(name);
    const error = topic?.settingsError ?? 0;
    const entries = Object.entries((error === 0 ? topic?.settings : undefined) ?? {}).map(
      ([key, { value, source }]) =>
        Buffer.concat([plain.text(key), plain.text(value), i8(0), i8(source), i8(0), plain.list([])]),
    );
    return Buffer.concat([i16(error), i16(-1), i8(type), plain.text(name), plain.list(entries)]);
  });
  return Buffer.concat([i32(0), plain.list(answers ?? [])]);
}
