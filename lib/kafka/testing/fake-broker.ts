import { createServer, type Server, type Socket } from "node:net";

/** A topic of the double. Error codes are those of the protocol; 0 when not given. */
export interface FakeTopic {
  metadataError?: number;
  settingsError?: number;
  partitions: { leader?: number; earliest: bigint; latest: bigint; offsetError?: number }[];
  settings?: Record<string, { value: string; source: number }>;
}

/** A broker that answers the four requests that Tidemark's reads need, as Kafka 4 does. */
export interface FakeBroker {
  address: string;
  topics: Map<string, FakeTopic>;
  /** Topics of each metadata request, and whether it would have let them be created. */
  metadataAsked: { topics: string[]; mayCreate: boolean }[];
  offsetsAsked: number;
  stop(): Promise<void>;
}

const API = { listOffsets: 2, metadata: 3, apiVersions: 18, describeConfigs: 32 } as const;

/** Starts it on loopback; with auto.create.topics.enable=true, so that a careless question makes a topic. */
export async function startFakeBroker(topics: Record<string, FakeTopic>, port = 0): Promise<FakeBroker> {
  const sockets = new Set<Socket>();
  const fake: FakeBroker = {
    address: "",
    topics: new Map(Object.entries(topics)),
    metadataAsked: [],
    offsetsAsked: 0,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    readFrames(socket, (frame) => socket.write(answer(frame, fake, portOf(server))));
  });
  await new Promise<void>((done) => server.listen(port, "127.0.0.1", done));
  fake.address = `127.0.0.1:${portOf(server)}`;
  return fake;
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === "object" && address ? address.port : 0;
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

function answer(frame: Buffer, fake: FakeBroker, port: number): Buffer {
  const read = new Reader(frame);
  const key = read.i16();
  read.i16();
  const correlation = read.i32();
  read.text();
  const body = bodyOf(key, read, fake, port);
  return Buffer.concat([i32(body.length + 4), i32(correlation), body]);
}

function bodyOf(key: number, read: Reader, fake: FakeBroker, port: number): Buffer {
  switch (key) {
    case API.apiVersions: {
      const versions = [
        [API.listOffsets, 1, 3],
        [API.metadata, 0, 6],
        [API.apiVersions, 0, 2],
        [API.describeConfigs, 1, 1],
      ];
      return Buffer.concat([i16(0), list(versions.map((v) => Buffer.concat(v.map(i16)))), i32(0)]);
    }
    case API.metadata:
      return metadata(read, fake, port);
    case API.listOffsets:
      return offsets(read, fake);
    default:
      return configs(read, fake);
  }
}

function metadata(read: Reader, fake: FakeBroker, port: number): Buffer {
  const names = read.list(() => read.text());
  const mayCreate = read.i8() === 1;
  fake.metadataAsked.push({ topics: names ?? ["*"], mayCreate });
  const asked = names ?? [...fake.topics.keys()].filter((name) => !fake.topics.get(name)?.metadataError);
  const answers = asked.map((name) => {
    if (mayCreate && !fake.topics.has(name))
      fake.topics.set(name, { partitions: [{ earliest: 0n, latest: 0n }] });
    const topic = fake.topics.get(name);
    const error = topic ? (topic.metadataError ?? 0) : 3;
    const partitions = error === 0 ? (topic?.partitions ?? []) : [];
    const described = partitions.map(({ leader = 1 }, id) =>
      Buffer.concat([
        i16(leader < 0 ? 5 : 0),
        i32(id),
        i32(leader),
        list([i32(1)]),
        list([i32(1)]),
        list([]),
      ]),
    );
    return Buffer.concat([i16(error), text(name), i8(0), list(described)]);
  });
  const broker = Buffer.concat([i32(1), text("127.0.0.1"), i32(port), i16(-1)]);
  return Buffer.concat([i32(0), list([broker]), text("fake"), i32(1), list(answers)]);
}

function offsets(read: Reader, fake: FakeBroker): Buffer {
  fake.offsetsAsked += 1;
  read.i32();
  read.i8();
  const answers = read.list(() => {
    const name = read.text();
    const partitions = read.list(() => {
      const [partition, timestamp] = [read.i32(), read.i64()];
      const known = fake.topics.get(name)?.partitions[partition];
      const offset = timestamp === -2n ? known?.earliest : known?.latest;
      return Buffer.concat([i32(partition), i16(known?.offsetError ?? 0), i64(-1n), i64(offset ?? 0n)]);
    });
    return Buffer.concat([text(name), list(partitions ?? [])]);
  });
  return Buffer.concat([i32(0), list(answers ?? [])]);
}

function configs(read: Reader, fake: FakeBroker): Buffer {
  const answers = read.list(() => {
    const type = read.i8();
    const name = read.text();
    read.list(() => read.text());
    const topic = fake.topics.get(name);
    const error = topic?.settingsError ?? 0;
    const entries = Object.entries((error === 0 ? topic?.settings : undefined) ?? {}).map(
      ([key, { value, source }]) =>
        Buffer.concat([text(key), text(value), i8(0), i8(source), i8(0), list([])]),
    );
    return Buffer.concat([i16(error), i16(-1), i8(type), text(name), list(entries)]);
  });
  return Buffer.concat([i32(0), list(answers ?? [])]);
}

class Reader {
  #at = 0;
  constructor(readonly bytes: Buffer) {}
  i8(): number {
    return this.bytes.readInt8(this.#step(1));
  }
  i16(): number {
    return this.bytes.readInt16BE(this.#step(2));
  }
  i32(): number {
    return this.bytes.readInt32BE(this.#step(4));
  }
  i64(): bigint {
    return this.bytes.readBigInt64BE(this.#step(8));
  }
  text(): string {
    const length = this.i16();
    if (length < 0) return "";
    const from = this.#step(length);
    return this.bytes.toString("utf8", from, from + length);
  }
  /** Null when the list itself is. */
  list<T>(item: () => T): T[] | null {
    const length = this.i32();
    return length < 0 ? null : Array.from({ length }, item);
  }
  #step(bytes: number): number {
    const from = this.#at;
    this.#at += bytes;
    return from;
  }
}

function i8(value: number): Buffer {
  return Buffer.from([value & 0xff]);
}
function i16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}
function i32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}
function i64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(value);
  return bytes;
}
function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([i16(bytes.length), bytes]);
}
function list(items: readonly Buffer[]): Buffer {
  return Buffer.concat([i32(items.length), ...items]);
}
