import { afterAll, beforeAll, expect, test } from "vitest";
import { MadeUpLog } from "@/lib/collect/duplicates/testing/made-up-log";
import { postgresChange, runIdAt } from "@/lib/collect/restarts/testing/run-log";
import type { Assignment, GroupMembership } from "@/lib/kafka/group-membership";
import type { LogReader } from "@/lib/kafka/log/log-reader";
import type { Database } from "@/lib/store/database";
import { readScanPartitions, readScanResults, scanGroup } from "@/lib/store/scans";
import { queryOn, startTestServer, type TestServer } from "@/lib/store/test-server";
import { openScanLoop, type ScanLoopOptions } from "./scan-loop";
import { scanTopic } from "./scan-topic";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
}, 60_000);
afterAll(() => server.stop(), 60_000);

const T = 1_789_367_000_000;
const topic = { topic: "orders", type: "postgresql" as const, config: null };
const orders = { cluster: "eu", topic: "orders" };

/** Of 400 records the last hundred are copies. */
const made = (offset: number) =>
  postgresChange(offset < 300 ? offset : offset - 100, runIdAt(T + (offset < 300 ? 0 : 60_000)), T + offset);

/** Two partitions, each of its own log. `topicId` can change: the topic is made again. */
class TwoPartitions {
  topicId = "a";
  readonly logs = [0, 1].map(() => new MadeUpLog(400, made, (offset) => T + offset));
  reads: number[] = [];

  reader(): LogReader {
    const readers = this.logs.map((log) => log.reader());
    const partitions = [0, 1].map((partition) => ({ partition, leader: 0, leaderEpoch: 0 }));
    return {
      ...(readers[0] as LogReader),
      describe: async (topics) => ({
        value: new Map(topics.map((name) => [name, { topic: name, topicId: this.topicId, partitions }])),
      }),
      ends: async (asked, end) =>
        Promise.all(
          asked.map(async (one) => (await (readers[one.partition] as LogReader).ends([one], end))[0] ?? 0),
        ),
      read: (range) => {
        this.reads.push(range.partition);
        return (readers[range.partition] as LogReader).read(range);
      },
    };
  }
}

/** A group that says what the test wants. */
class Group implements GroupMembership {
  readonly failure = null;
  #current: Assignment | null = null;
  give(...partitions: number[]) {
    this.#current = {
      generation: (this.#current?.generation ?? 0) + 1,
      partitions: new Map([["orders", partitions]]),
    };
    return this;
  }
  assignment = async () => this.#current;
  holds = (assignment: Assignment) => assignment.generation === this.#current?.generation;
  close = async () => {};
}

async function open(
  db: Database,
  log: LogReader,
  membership: GroupMembership,
  more: Partial<ScanLoopOptions> = {},
) {
  const { secret } = await scanGroup(db, "eu");
  return openScanLoop({
    ...{ cluster: "eu", db, log, membership, secret, registry: null, maxBytesPerSecond: null },
    ...{ signal: new AbortController().signal, restMs: 0, resultMs: 0, checkpointMs: 0 },
    limits: { identities: 100_000, keys: 10_000 },
    ...more,
  });
}

/** What is found in one go. */
async function expectedOf(db: Database, log: LogReader) {
  const { secret } = await scanGroup(db, "eu");
  const { result } = await scanTopic(log, {
    ...{ topic: "orders", topicId: "a", type: "postgresql", config: null, registry: null, secret },
    partitions: [0, 1].map((partition) => ({ partition, from: 0, to: 400 })),
  });
  return result;
}

const figuresIn = async (db: Database) => (await readScanResults(db, "eu")).get("orders");
const nextIn = async (db: Database) => (await readScanPartitions(db, orders)).map(({ next }) => next);

test("two collectors with a partition each find what one scan finds, and read nothing twice", async () => {
  const { db } = await server.create();
  const two = new TwoPartitions();
  const log = two.reader();
  const expected = await expectedOf(db, log);
  expect(expected).toMatchObject({ records: 800, duplicates: 200, share: 1 });
  const loops = [await open(db, log, new Group().give(0)), await open(db, log, new Group().give(1))];
  two.reads = [];
  for (const loop of loops) expect(await loop.look([topic])).toBeNull();
  expect(await figuresIn(db)).toEqual({ ...expected });
  for (const loop of loops) await loop.look([topic]);
  expect(two.reads).toEqual([0, 1]);
});

test("who lost a partition and reads on changes nothing; who has it goes on from what is kept", async () => {
  const { db } = await server.create();
  const two = new TwoPartitions();
  const log = two.reader();
  const late = new Group().give(0, 1);
  const early = await open(db, log, new Group().give(0, 1));
  // In the middle of the late one's read, the early one reads all.
  let between = 0;
  const slow: LogReader = {
    ...log,
    async *read(range) {
      const reading = log.read(range);
      for (;;) {
        const step = await reading.next();
        if (++between === 6) await early.look([topic]);
        if (step.done) return step.value;
        yield step.value;
      }
    },
  };
  const loop = await open(db, slow, late);
  expect(await loop.look([topic])).toBeNull();
  expect(await nextIn(db)).toEqual([400, 400]);
  expect(await figuresIn(db)).toEqual(await expectedOf(db, log));
});

test("an assignment that ends in the middle of a read ends the read, and what was read is kept", async () => {
  const { db } = await server.create();
  const two = new TwoPartitions();
  const group = new Group().give(0);
  const log = two.reader();
  const reader: LogReader = {
    ...log,
    async *read(range) {
      const reading = log.read(range);
      for (let batches = 0; ; batches++) {
        const step = await reading.next();
        if (step.done) return step.value;
        if (range.signal?.aborted) return { why: "cancelled", next: step.value.from, deleted: [], bytes: 0 };
        if (batches === 5) {
          group.give(1);
          // Progress is told ten times a second.
          await new Promise((resolve) => setTimeout(resolve, 120));
        }
        yield step.value;
      }
    },
  };
  const loop = await open(db, reader, group);
  await loop.look([topic]);
  const [next = 0] = await nextIn(db);
  expect(next).toBeGreaterThan(0);
  expect(next).toBeLessThan(400);
  const other = await open(db, log, new Group().give(0, 1));
  await other.look([topic]);
  expect(await figuresIn(db)).toEqual(await expectedOf(db, log));
});

test("a topic that was made again, and a state that cannot be read, begin anew", async () => {
  const { db, url } = await server.create();
  const two = new TwoPartitions();
  const log = two.reader();
  const loop = await open(db, log, new Group().give(0, 1));
  await loop.look([topic]);
  await queryOn(url, `UPDATE scan_partition SET samples = '\\x0102' WHERE partition = 1`);
  two.topicId = "b";
  const again = await open(db, log, new Group().give(0, 1));
  await again.look([topic]);
  expect((await readScanPartitions(db, orders)).map(({ topicId }) => topicId)).toEqual(["b", "b"]);
  await queryOn(url, `UPDATE scan_partition SET samples = '\\x0102', next_offset = 7`);
  const third = await open(db, log, new Group().give(0, 1));
  for (let look = 0; look < 2; look++) await third.look([topic]);
  expect(await figuresIn(db)).toEqual(await expectedOf(db, log));
});

test("while the group is being made up nothing is read; a partition's trouble leaves the others alone", async () => {
  const { db } = await server.create();
  const two = new TwoPartitions();
  const log = two.reader();
  const idle = await open(db, log, new Group());
  expect(await idle.look([topic])).toBeNull();
  expect(two.reads).toEqual([]);
  const failing: LogReader = {
    ...log,
    ends: async (asked, end) => {
      const failure = { kind: "timeout" as const, sentence: "no answer", remedy: null };
      const ends = await log.ends(asked, end);
      return ends.map((one, i) => (end === "earliest" && asked[i]?.partition === 0 ? failure : one));
    },
  };
  const loop = await open(db, failing, new Group().give(0, 1));
  expect(await loop.look([topic])).toMatchObject({ kind: "timeout" });
  expect((await readScanPartitions(db, orders)).map(({ partition }) => partition)).toEqual([1]);
});
