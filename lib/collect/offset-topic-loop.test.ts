import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { canonicalJson } from "@/lib/debezium/canonical-json";
import type { ConnectorReport, StoredOffsets } from "@/lib/observed/connector";
import type { Failure, Look } from "@/lib/observed/observation";
import { readCommitsBetween } from "@/lib/store/commits";
import { readConnector } from "@/lib/store/connectors";
import type { Database } from "@/lib/store/database";
import { startTestServer, type TestServer } from "@/lib/store/test-server";
import type { ClusterProbe } from "./cluster-probe";
import type { ClusterWatch } from "./cluster-watch";
import { lookAtConnectors } from "./connectors-loop";
import { storedIn } from "./offset-topic/commit-store";
import { type OffsetTopics, openOffsetTopics } from "./offset-topic/offset-topics";
import { LogDouble } from "./offset-topic/testing/log-double";
import { lookAtOffsetTopics } from "./offset-topic-loop";
import { lookAtOffsets } from "./offsets-loop";

const TOPIC = "connect-offsets";
const start = Date.now() - 3_600_000;
const forbidden: Failure = {
  kind: "forbidden",
  sentence: `not allowed to read the records (needs Read on topic ${TOPIC})`,
  remedy: "Grant it.",
};
const keyOf = (connector: string, server = "shop") => JSON.stringify([connector, { server }]);
const shop = '{"server":"shop"}';

function report(name: string, config: Record<string, string> = {}): ConnectorReport {
  const run = { state: "RUNNING", workerId: "w1:8083", version: "3.6.1.Final", trace: null };
  return {
    name,
    type: "source",
    connector: run,
    tasks: [{ id: 0, ...run }],
    config: { "connector.class": "io.debezium.connector.postgresql.PostgresConnector", ...config },
    plaintextSecrets: [],
  };
}

/** A Connect whose REST answers what the test told it to, and notes for whom it was asked. */
class Rest implements ClusterProbe {
  reports = [report("orders"), report("billing")];
  offsets = new Map<string, Look<StoredOffsets>>();
  asked: string[] = [];
  brokers: ClusterProbe["brokers"] = null;
  readRoot = async () => ({ value: { version: "4.4.0", commit: null, kafkaClusterId: "k1" } });
  listConnectors = async () => ({ value: this.reports });
  readTopics = async () => ({ value: [] });
  readOffsets = async (connector: string) => {
    this.asked.push(connector);
    return this.offsets.get(connector) ?? { value: { offsets: [] } };
  };
  close = async () => undefined;
}

describe("the loop over the offset topics", () => {
  let server: TestServer;
  let db: Database;
  let rest: Rest;
  let brokers: LogDouble;
  let watch: ClusterWatch;
  let topics: OffsetTopics;

  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    db = (await server.create()).db;
    rest = new Rest();
    brokers = new LogDouble();
    brokers.topic(TOPIC);
    rest.brokers = brokers.probe;
    watch = {
      probe: rest,
      brokers: ["k1:9092"],
      offsetTopic: null,
      cluster: { name: "eu", connect: null, kafka: null, failingSince: null, hasBrokers: true },
      connectors: new Map(),
      followed: new Set(),
      deletedOldAt: 0,
    };
    topics = open();
    await lookAtConnectors(watch, db);
  });

  const open = (named: string | null = null, findAgainMs = 0) =>
    openOffsetTopics({
      named,
      brokers: brokers.probe,
      readOffsets: rest.readOffsets,
      store: storedIn(db, "eu"),
      findAgainMs,
    });
  const look = () => lookAtOffsetTopics(watch, topics, db);
  const known = (name = "orders") => readConnector(db, "eu", name);
  const storedOf = async (connector = "orders") =>
    (
      await readCommitsBetween(
        db,
        { cluster: "eu", connector },
        { from: new Date(0), to: new Date(Date.now() + 1e6) },
      )
    ).map((c) => c.offset);

  /** The worker flushes: into the topic, and so into what REST answers. */
  let second = 0;
  function commit(
    lsn: number | null,
    { connector = "orders", server = "shop", topic = TOPIC, partition = 1 } = {},
  ) {
    second += 1;
    const offset = lsn === null ? null : `{"ts_usec":1,"lsn":${lsn}}`;
    brokers.write(topic, partition, keyOf(connector, server), offset, start + second * 1_000);
    const others = (rest.offsets.get(connector)?.value?.offsets ?? []).filter(
      (o) => o.partition !== canonicalJson({ server }),
    );
    const stored =
      lsn === null ? [] : [{ partition: canonicalJson({ server }), offset: `{"lsn":${lsn},"ts_usec":1}` }];
    rest.offsets.set(connector, { value: { offsets: [...others, ...stored] } });
    return new Date(start + second * 1_000).toISOString();
  }

  test("found by its keys: every commit with its time, the newest as the offset, and REST asked once to compare", async () => {
    const times = [commit(1), commit(2), commit(3)];
    commit(7, { connector: "billing", partition: 0 });
    expect(await look()).toBeNull();
    const orders = await known();
    expect(orders?.offsets).toMatchObject({
      failure: null,
      value: {
        from: "topic",
        offsets: [{ partition: shop, offset: '{"lsn":3,"ts_usec":1}', committedAt: times[2] }],
      },
    });
    const commits = orders?.commits?.value?.partitions[0]?.commits ?? [];
    expect(commits.map((c) => c.at)).toEqual(times);
    expect(watch.connectors.get("orders")?.commits?.value).toEqual(orders?.commits?.value);
    expect(rest.asked.sort()).toEqual(["billing", "orders"]);

    rest.asked = [];
    brokers.reset();
    await look();
    await lookAtOffsets(watch, db);
    expect(rest.asked).toEqual([]);
    expect(brokers.asked).toEqual({ describe: 1, ends: 1, reads: [], listed: 0 });
    const at = commit(4);
    await look();
    expect(brokers.asked.reads).toEqual([`${TOPIC}/1 from 3`]);
    expect((await known())?.offsets?.value?.offsets[0]).toMatchObject({ committedAt: at });
    expect(await storedOf()).toHaveLength(4);
  });

  test("two candidates: unknown, a person is asked, and REST serves; named, it is followed", async () => {
    brokers.topic("other-offsets");
    commit(1);
    commit(1, { topic: "other-offsets" });
    expect(await look()).toMatchObject({
      kind: "not-configured",
      sentence: expect.stringMatching(/^two topics/),
    });
    await lookAtOffsets(watch, db);
    const orders = await known();
    expect(orders?.commits).toMatchObject({ value: null, failure: { kind: "not-configured" } });
    expect(orders?.offsets?.value?.from).not.toBe("topic");
    expect(orders?.offsets?.value?.offsets).toHaveLength(1);
    topics = open(TOPIC);
    expect(await look()).toBeNull();
    expect((await known())?.commits).toMatchObject({ failure: null, value: { topics: [TOPIC] } });
  });

  test("a deleted offset is absent, its deletion is kept", async () => {
    commit(1);
    await look();
    commit(null);
    await look();
    const orders = await known();
    expect(orders?.offsets?.value).toEqual({ from: "topic", offsets: [] });
    expect(orders?.commits?.value?.partitions[0]?.commits.map((c) => c.offset)).toEqual([
      '{"lsn":1,"ts_usec":1}',
      null,
    ]);
  });

  test("a topic made again is read again from its start, and says so once", async () => {
    commit(1);
    commit(2);
    await look();
    brokers.topic(TOPIC, { id: "another" });
    commit(5);
    commit(6);
    commit(8);
    const failure = await look();
    expect(failure?.sentence).toMatch(/was deleted and made again.*read again from its start/);
    rest.asked = [];
    await lookAtOffsets(watch, db);
    expect(rest.asked).toContain("orders");
    expect(await look()).toBeNull();
    expect(await storedOf()).toEqual([5, 6, 8].map((lsn) => `{"lsn":${lsn},"ts_usec":1}`));
    expect((await known())?.offsets?.value).toMatchObject({
      from: "topic",
      offsets: [{ offset: '{"lsn":8,"ts_usec":1}' }],
    });
  });

  test.each([
    ["what is stored of the rest stays", "the same", 2],
    ["where brokers give topics no id, it may be another one", null, 1],
  ])("a topic that lost its newest records is read again: %s", async (_, id, left) => {
    const topic = brokers.topic(TOPIC, { id });
    commit(1);
    commit(2);
    commit(3);
    await look();
    // Compaction removed the first one since.
    topic.partitions[1]?.shift();
    topic.partitions[1]?.pop();
    expect((await look())?.sentence).toMatch(/lost its newest records/);
    rest.offsets.set("orders", {
      value: { offsets: [{ partition: shop, offset: '{"lsn":2,"ts_usec":1}' }] },
    });
    expect(await look()).toBeNull();
    expect((await known())?.offsets?.value?.offsets[0]?.offset).toBe('{"lsn":2,"ts_usec":1}');
    expect(await storedOf()).toHaveLength(left);
  });

  test("records deleted before they were read: read again from what is left, and said", async () => {
    const topic = brokers.topic(TOPIC);
    commit(1);
    await look();
    commit(2);
    commit(3);
    topic.first = 2;
    expect((await look())?.sentence).toMatch(/were deleted before they could be read/);
    expect(await look()).toBeNull();
    expect((await known())?.offsets?.value?.offsets[0]?.offset).toBe('{"lsn":3,"ts_usec":1}');
  });

  test.each([
    [
      "not allowed to read it",
      (topic: { unreadable?: Failure }) => Object.assign(topic, { unreadable: forbidden }),
    ],
    [
      "a leader that is away",
      (topic: { away?: Failure }) => Object.assign(topic, { away: { ...forbidden, kind: "server-error" } }),
    ],
  ])("%s: REST takes over at its next look, and the topic when it can be read again", async (_, harm) => {
    const at = commit(1);
    await look();
    const topic = brokers.topics.get(TOPIC);
    if (!topic) throw new Error("there is a topic");
    harm(topic);
    commit(2);
    expect((await look())?.sentence).toBe(forbidden.sentence);
    await lookAtOffsets(watch, db);
    const orders = await known();
    expect(orders?.commits).toMatchObject({
      failure: { sentence: forbidden.sentence },
      value: { topics: [TOPIC] },
    });
    expect(orders?.commits?.value?.partitions[0]?.commits.map((c) => c.at)).toEqual([at]);
    expect(orders?.offsets?.value?.offsets).toEqual([{ partition: shop, offset: '{"lsn":2,"ts_usec":1}' }]);
    const since = orders?.offsets?.since;
    delete topic.unreadable;
    delete topic.away;
    expect(await look()).toBeNull();
    const healed = await known();
    expect(healed?.offsets).toMatchObject({
      since,
      value: { from: "topic", offsets: [{ offset: '{"lsn":2,"ts_usec":1}' }] },
    });
    expect(healed?.commits?.failure).toBeNull();
    rest.asked = [];
    await lookAtOffsets(watch, db);
    expect(rest.asked).toEqual([]);
  });

  test("brokers that are away: REST serves meanwhile", async () => {
    commit(1);
    await look();
    brokers.down = { kind: "unreachable", sentence: "none of the brokers can be reached", remedy: null };
    expect(await look()).toEqual(brokers.down);
    rest.asked = [];
    await lookAtOffsets(watch, db);
    expect(rest.asked.sort()).toEqual(["billing", "orders"]);
    brokers.down = null;
    expect(await look()).toBeNull();
  });

  test("a topic that disagrees with Connect is not followed: an offset that it lacks", async () => {
    commit(1);
    rest.offsets.set("orders", { value: { offsets: [{ partition: shop, offset: '{"lsn":99}' }] } });
    expect(await look()).toMatchObject({
      kind: "not-configured",
      sentence: expect.stringMatching(/connect-offsets is not the one.*Connect gives an offset of orders/),
    });
    expect(watch.followed.size).toBe(0);
    expect((await known())?.commits?.value).toBeNull();
  });

  test("a topic that disagrees with Connect is not followed, named or not: an offset that Connect does not know", async () => {
    commit(1);
    rest.offsets.clear();
    expect((await look())?.sentence).toMatch(/it holds an offset of orders .* that Connect does not know/);
    topics = open(TOPIC);
    expect((await look())?.remedy).toMatch(/^Correct clusters\[\].offsetTopic/);
    expect(watch.followed.size).toBe(0);
  });

  test("a commit between REST's answer and the topic is no disagreement", async () => {
    commit(1);
    const answer = rest.readOffsets;
    rest.readOffsets = async (connector) => {
      if (connector === "orders") commit(2);
      const look = await answer(connector);
      if (connector === "orders") commit(3);
      return look;
    };
    topics = open();
    expect(await look()).toBeNull();
    expect((await known())?.offsets?.value?.offsets[0]?.offset).toBe('{"lsn":3,"ts_usec":1}');
  });

  test.each([
    ["found", null],
    ["named", TOPIC],
  ])("a topic that the workers use no longer, %s, is noticed", async (_, named) => {
    const agreedForMs = 0;
    const { probe } = brokers;
    topics = openOffsetTopics({
      named,
      brokers: probe,
      readOffsets: rest.readOffsets,
      store: storedIn(db, "eu"),
      agreedForMs,
    });
    commit(1);
    for (let looks = 0; looks < 3; looks++) expect(await look()).toBeNull();
    rest.offsets.set("orders", { failure: forbidden });
    expect(await look()).toBeNull();
    rest.offsets.set("orders", {
      value: { offsets: [{ partition: shop, offset: '{"lsn":2,"ts_usec":1}' }] },
    });
    const failure = await look();
    expect(failure?.sentence).toContain("is not the one that Connect stores these offsets in");
    expect(watch.followed.has("orders")).toBe(false);
    await lookAtOffsets(watch, db);
    expect((await known())?.offsets?.value?.offsets[0]?.offset).toBe('{"lsn":2,"ts_usec":1}');
  });

  test("a topic that the workers use no longer is noticed by a connector that it never held", async () => {
    const { probe } = brokers;
    topics = openOffsetTopics({
      named: TOPIC,
      brokers: probe,
      readOffsets: rest.readOffsets,
      store: storedIn(db, "eu"),
      agreedForMs: 0,
    });
    commit(1);
    expect(await look()).toBeNull();
    rest.offsets.set("billing", {
      value: { offsets: [{ partition: shop, offset: '{"lsn":2,"ts_usec":1}' }] },
    });
    expect((await look())?.sentence).toContain("Connect gives an offset of billing");
  });

  test("while Connect cannot be asked, a topic that was found waits, one that was named does not", async () => {
    commit(1);
    const failure: Failure = {
      kind: "timeout",
      sentence: "Connect gave no answer within 10 s.",
      remedy: null,
    };
    for (const name of ["orders", "billing"]) rest.offsets.set(name, { failure });
    expect(await look()).toMatchObject({
      kind: "timeout",
      sentence: expect.stringContaining("could not be asked"),
    });
    topics = open(TOPIC);
    expect(await look()).toMatchObject({
      sentence: expect.stringMatching(/holds nothing of this connector/),
    });
    expect((await known())?.offsets?.value?.from).toBe("topic");
    // That nothing is stored is no fact yet.
    expect([...watch.followed]).toEqual(["orders"]);
    rest.offsets.set("billing", { value: { offsets: [] } });
    expect(await look()).toBeNull();
    expect([...watch.followed].sort()).toEqual(["billing", "orders"]);
  });

  test("a Connect too old to tell offsets has nothing to compare with", async () => {
    commit(1);
    const failure: Failure = {
      kind: "not-supported",
      sentence: "Connect 3.4.1 cannot tell offsets.",
      remedy: null,
    };
    for (const name of ["orders", "billing"]) rest.offsets.set(name, { failure });
    expect(await look()).toBeNull();
    expect((await known())?.offsets?.value?.offsets).toHaveLength(1);
  });

  test("a connector that comes later is read from the start of the topic", async () => {
    commit(1);
    const at = commit(41, { connector: "late" });
    await look();
    expect(await storedOf("late")).toEqual([]);
    rest.reports = [...rest.reports, report("late")];
    await lookAtConnectors(watch, db);
    expect(await look()).toBeNull();
    expect((await known("late"))?.offsets?.value?.offsets).toMatchObject([{ committedAt: at }]);
    expect(await storedOf("late")).toHaveLength(1);
    expect(await storedOf()).toHaveLength(1);
  });

  test.each([
    ["deleted and made again", async () => void watch.connectors.delete("orders")],
    [
      "whose configuration is not told for a while",
      async () => {
        rest.reports = [{ ...report("orders"), config: null }, report("billing")];
        await lookAtConnectors(watch, db);
      },
    ],
  ])("a connector %s still has what the topic holds of it", async (_, away) => {
    commit(1);
    commit(2, { server: "old" });
    await look();
    await away();
    commit(7, { connector: "billing" });
    await look();
    rest.reports = [report("orders"), report("billing")];
    await lookAtConnectors(watch, db);
    commit(3);
    expect(await look()).toBeNull();
    const stored = (await known())?.offsets?.value?.offsets.map((o) => o.offset);
    expect(stored?.sort()).toEqual([2, 3].map((lsn) => `{"lsn":${lsn},"ts_usec":1}`));
  });

  describe("a connector with an offset topic of its own", () => {
    const own = "own-offsets";
    beforeEach(async () => {
      rest.reports = [report("orders", { "offsets.storage.topic": own }), report("billing")];
      await lookAtConnectors(watch, db);
      brokers.topic(own);
      commit(1, { connector: "billing", partition: 2 });
    });

    test("is followed there alone, once Connect's answer agrees; its commits are stored once", async () => {
      commit(7, { server: "only in the workers' topic" });
      rest.offsets.delete("orders");
      commit(1, { topic: own });
      brokers.write(TOPIC, 1, keyOf("orders"), '{"lsn":1,"ts_usec":1}', start);
      const at = commit(2, { topic: own });
      expect(await look()).toBeNull();
      expect([...watch.followed]).toEqual(["billing"]);
      expect((await known())?.commits).toBeNull();
      await lookAtOffsets(watch, db);
      expect(await look()).toBeNull();
      const orders = await known();
      expect(orders?.commits?.value?.topics).toEqual([own]);
      expect(orders?.offsets?.value).toMatchObject({
        from: "topic",
        offsets: [{ partition: shop, offset: '{"lsn":2,"ts_usec":1}', committedAt: at }],
      });
      expect(await storedOf()).toHaveLength(2);
      rest.asked = [];
      await lookAtOffsets(watch, db);
      expect(rest.asked).toEqual([]);
    });

    test("that cannot be read has REST alone; the others stay with the workers' topic", async () => {
      commit(1, { topic: own });
      await lookAtOffsets(watch, db);
      expect(await look()).toBeNull();
      const topic = brokers.topics.get(own);
      if (topic) topic.away = forbidden;
      expect(await look()).toEqual(forbidden);
      expect([...watch.followed]).toEqual(["billing"]);
    });

    test("that lacks what Connect answers is not followed: it may lie on other brokers", async () => {
      commit(1, { topic: own });
      rest.offsets.set("orders", { value: { offsets: [{ partition: shop, offset: '{"lsn":99}' }] } });
      await lookAtOffsets(watch, db);
      expect((await look())?.sentence).toMatch(/own-offsets, which .* names, is not the one/);
      expect([...watch.followed]).toEqual(["billing"]);
    });

    test("needs no topic of the workers", async () => {
      rest.reports = rest.reports.slice(0, 1);
      for (let i = 0; i < 2; i++) await lookAtConnectors(watch, db);
      brokers.topics.delete(TOPIC);
      commit(1, { topic: own });
      await lookAtOffsets(watch, db);
      expect(await look()).toBeNull();
      expect([...watch.followed]).toEqual(["orders"]);
    });

    test("named by a reference is said to be out of reach", async () => {
      rest.reports = [report("orders", { "offsets.storage.topic": `\${file:/x:topic}` }), report("billing")];
      await lookAtConnectors(watch, db);
      expect((await look())?.sentence).toMatch(/is a reference that only the worker can resolve/);
      expect([...watch.followed]).toEqual(["billing"]);
    });
  });

  test("a newest record that cannot be read: REST for that connector, the topic for the others", async () => {
    commit(1);
    commit(2, { connector: "billing" });
    await look();
    brokers.write(TOPIC, 1, keyOf("orders"), "{", start);
    expect((await look())?.sentence).toMatch(
      /cannot be read \(topic connect-offsets, partition 1, offset 2\)/,
    );
    expect([...watch.followed]).toEqual(["billing"]);
  });

  test("a database that is away loses no commit, and holds none twice", async () => {
    commit(1);
    await look();
    const gone = () => Promise.reject(new Error("away"));
    const real = { run: db.run, transaction: db.transaction };
    Object.assign(db, { run: gone, transaction: gone });
    for (const lsn of [2, 3, 4]) {
      commit(lsn);
      await expect(look()).rejects.toThrow("away");
    }
    Object.assign(db, real);
    expect(watch.followed.size).toBe(0);
    expect(await look()).toBeNull();
    expect(await storedOf()).toEqual([1, 2, 3, 4].map((lsn) => `{"lsn":${lsn},"ts_usec":1}`));
    expect((await known())?.commits?.value?.partitions[0]?.commits).toHaveLength(4);
  });

  test("a collector that starts again adds nothing twice, and sees a topic made again meanwhile", async () => {
    for (const lsn of [1, 2, 3]) commit(lsn);
    await look();
    topics = open();
    commit(4);
    await look();
    expect(await storedOf()).toHaveLength(4);
    brokers.topic(TOPIC, { id: "another" });
    commit(5);
    topics = open();
    await look();
    expect(await storedOf()).toEqual(['{"lsn":5,"ts_usec":1}']);
  });

  test("a topic made again while nobody looked, and longer by now, leaves nothing of the old one", async () => {
    for (const lsn of [1, 2, 3]) commit(lsn);
    await look();
    brokers.topic(TOPIC, { id: "another" });
    for (const lsn of [5, 6, 7, 8, 9]) commit(lsn);
    topics = open();
    for (let looks = 0; looks < 2; looks++) await look();
    expect(await storedOf()).toEqual([5, 6, 7, 8, 9].map((lsn) => `{"lsn":${lsn},"ts_usec":1}`));
    const commits = (await known())?.commits?.value?.partitions[0]?.commits;
    expect(commits?.map((c) => c.kafkaOffset)).toEqual([0, 1, 2, 3, 4]);
  });

  test("a long topic is read in several looks, each of which says how far it is; REST serves until it is read", async () => {
    for (let lsn = 1; lsn <= 5; lsn++) commit(lsn);
    topics = openOffsetTopics({
      named: TOPIC,
      brokers: brokers.probe,
      readOffsets: rest.readOffsets,
      store: storedIn(db, "eu"),
      longestPollMs: 1_500,
    });
    const said: (string | undefined)[] = [];
    const now = Date.now;
    // Each glance at the clock takes a second.
    let glances = 0;
    Date.now = () => now() + 1_000 * glances++;
    try {
      while (said.at(-1) !== "done" && said.length < 20) said.push((await look())?.sentence ?? "done");
    } finally {
      Date.now = now;
    }
    expect(said[0]).toMatch(/connect-offsets is being read from its start: \d+ records so far/);
    expect(said.at(-1)).toBe("done");
    expect((await known())?.commits?.value?.partitions[0]?.commits).toHaveLength(5);
    expect(await storedOf()).toHaveLength(5);
  });

  test("a collector that is stopped in the middle of a read leaves what was known as it was", async () => {
    commit(1);
    await look();
    const before = await known();
    const stopping = new AbortController();
    topics = openOffsetTopics({
      named: TOPIC,
      brokers: brokers.probe,
      readOffsets: rest.readOffsets,
      store: storedIn(db, "eu"),
      signal: stopping.signal,
    });
    stopping.abort();
    await expect(look()).rejects.toThrow("aborted");
    expect(await known()).toEqual(before);
  });

  test("nothing committed yet is no failure of the loop; without brokers nothing is", async () => {
    expect(await look()).toBeNull();
    expect((await known())?.commits).toMatchObject({ value: null, failure: { kind: "not-found" } });
    commit(1);
    expect(await look()).toBeNull();
    expect((await known())?.commits?.failure).toBeNull();
    expect(await lookAtOffsetTopics(watch, null, db)).toBeNull();
    expect((await known())?.commits?.failure?.kind).toBe("not-configured");
  });

  test("a search that found nothing is not repeated at each look", async () => {
    topics = open(null, 60_000);
    for (let i = 0; i < 5; i++) await look();
    expect(brokers.asked.listed).toBe(1);
  });

  test("the first commits of a new cluster are found within seconds, and what is never there is looked for each minute", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    try {
      topics = open(null, 60_000);
      const searches: number[] = [];
      for (let second = 0; second < 300; second++) {
        const before = brokers.asked.listed;
        await look();
        if (brokers.asked.listed > before) searches.push(second);
        vi.setSystemTime(Date.now() + 1_000);
      }
      expect(searches).toEqual([0, 2, 6, 14, 30, 62, 122, 182, 242]);
    } finally {
      vi.useRealTimers();
    }
  });
});
