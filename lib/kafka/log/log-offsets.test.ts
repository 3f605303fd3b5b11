import { afterEach, describe, expect, test } from "vitest";
import type { FakePartition } from "../testing/fake-broker";
import { id } from "./testing/fake-log";
import { closeAll, connect, start } from "./testing/fake-reads";

afterEach(closeAll);

const partition = (latest: number, more: Partial<FakePartition> = {}): FakePartition => ({
  earliest: 2n,
  latest: BigInt(latest),
  stable: BigInt(latest - 1),
  times: [
    { offset: 3n, timestamp: 1_000n },
    { offset: 5n, timestamp: 2_000n },
  ],
  ...more,
});
const p = (topic: string, number = 0) => ({ topic, partition: number });

describe("ends", () => {
  test("in the order asked, whichever end", async () => {
    const broker = await start({
      a: { partitions: [partition(10), partition(20)] },
      b: { partitions: [partition(30)] },
    });
    const reader = connect(broker);
    const asked = [p("b"), p("a", 1), p("a")];
    expect(await reader.ends(asked, "latest")).toEqual([30, 20, 10]);
    expect(await reader.ends(asked, "last-stable")).toEqual([29, 19, 9]);
    expect(await reader.ends(asked, "earliest")).toEqual([2, 2, 2]);
    expect([broker.metadataAsked.length, broker.offsetsAsked]).toEqual([1, 3]);
    expect(await reader.ends([], "latest")).toEqual([]);
  });

  test("2,000 partitions of 250 topics, and a time for each: one request for what there is, one for each question", async () => {
    const names = Array.from({ length: 250 }, (_, i) => `t${i}`);
    const topics = names.map((name) => [
      name,
      { partitions: Array.from({ length: 8 }, () => partition(10)) },
    ]);
    const broker = await start(Object.fromEntries(topics));
    const reader = connect(broker);
    const all = names.flatMap((name) => Array.from({ length: 8 }, (_, i) => p(name, i)));
    expect(await reader.ends(all, "latest")).toEqual(all.map(() => 10));
    expect(await reader.offsetsForTime(all.map((one) => ({ ...one, timestamp: 1_500 })))).toEqual(
      all.map(() => ({ offset: 5, timestamp: 2_000 })),
    );
    expect([broker.metadataAsked.length, broker.offsetsAsked]).toEqual([1, 2]);
  });

  test("KAF-18: one partition's failure is its own, and nothing is made", async () => {
    const broker = await start({
      good: { partitions: [partition(10)] },
      denied: { partitions: [partition(10, { offsetError: 29 })] },
      hidden: { partitions: [partition(10)], metadataError: 29 },
    });
    const results = await connect(broker).ends(
      [p("good"), p("absent"), p("denied"), p("good", 4), p("hidden"), p("good")],
      "latest",
    );
    expect(results).toEqual([
      10,
      { kind: "not-found", sentence: "topic absent does not exist", remedy: null },
      expect.objectContaining({ kind: "forbidden", sentence: expect.stringContaining("read the offsets") }),
      { kind: "not-found", sentence: "topic good has no partition 4, only 1", remedy: null },
      expect.objectContaining({ kind: "forbidden", sentence: expect.stringContaining("needs Describe") }),
      10,
    ]);
    expect([...broker.topics.keys()]).toEqual(["good", "denied", "hidden"]);
    expect(broker.metadataAsked.every((m) => !m.mayCreate)).toBe(true);
  });

  test("a leader that moved meanwhile is found again; only its partitions are asked for again", async () => {
    const first = await start({ a: { partitions: [partition(10)] }, b: { partitions: [partition(20)] } });
    const second = await start({}, { id: 2 });
    second.topics = first.topics;
    first.peers = [first, second];
    second.peers = first.peers;
    const reader = connect(first);
    expect(await reader.ends([p("a"), p("b")], "latest")).toEqual([10, 20]);
    const moved = first.topics.get("b")?.partitions[0];
    if (moved) moved.leader = 2;
    expect(await reader.ends([p("a"), p("b")], "latest")).toEqual([10, 20]);
    expect([first.offsetsAsked, second.offsetsAsked]).toEqual([2, 1]);
    await second.stop();
    if (moved) moved.leader = 1;
    expect(await reader.ends([p("a"), p("b")], "latest")).toEqual([10, 20]);
  });

  test("a partition without a leader is waited for, and said to have none when it takes too long", async () => {
    const broker = await start({ a: { partitions: [partition(10, { leader: -1 }), partition(20)] } });
    expect(await connect(broker, 300).ends([p("a"), p("a", 1)], "latest")).toEqual([
      expect.objectContaining({ sentence: "partition 0 of topic a has no leader" }),
      20,
    ]);
  });

  test("brokers that cannot be reached fail each, within the time given", async () => {
    const broker = await start({});
    await broker.stop();
    const begun = performance.now();
    const [a, b] = await connect(broker, 300).ends([p("a"), p("b")], "latest");
    expect(a).toMatchObject({ kind: "unreachable" });
    expect(b).toEqual(a);
    expect(performance.now() - begun).toBeLessThan(2_000);
  });
});

describe("offsets for a time", () => {
  test("null when no record is that late", async () => {
    const broker = await start({ a: { partitions: [partition(10)] } });
    const at = (timestamp: number) => ({ ...p("a"), timestamp });
    const reader = connect(broker);
    const [third, fifth] = [
      { offset: 3, timestamp: 1_000 },
      { offset: 5, timestamp: 2_000 },
    ];
    expect(await reader.offsetsForTime([at(0)])).toEqual([third]);
    expect(await reader.offsetsForTime([at(-5)])).toEqual([third]);
    expect(await reader.offsetsForTime([at(1_000.5)])).toEqual([fifth]);
    expect(await reader.offsetsForTime([at(2_001)])).toEqual([null]);
  });

  test("several times of one partition, which a broker refuses in one request", async () => {
    const broker = await start({ a: { partitions: [partition(10), partition(10)] } });
    const asked = [1_000, 2_000, 3_000].map((timestamp) => ({ ...p("a"), timestamp }));
    const results = await connect(broker).offsetsForTime([...asked, { ...p("a", 1), timestamp: 500 }]);
    expect(results.map((r) => r && "offset" in r && r.offset)).toEqual([3, 5, null, 3]);
    expect(broker.offsetsAsked).toBe(3);
  });
});

describe("topics", () => {
  test("are described with partitions, leaders and ids", async () => {
    const broker = await start({
      a: { topicId: id("a"), partitions: [partition(1, { leaderEpoch: 7 }), partition(1, { leader: -1 })] },
      hidden: { partitions: [], metadataError: 29 },
    });
    const { value } = await connect(broker).describe(["a", "absent", "hidden", "a"]);
    expect(value?.get("a")).toEqual({
      topic: "a",
      topicId: id("a"),
      partitions: [
        { partition: 0, leader: 1, leaderEpoch: 7 },
        { partition: 1, leader: -1, leaderEpoch: 0 },
      ],
    });
    expect(value?.get("absent")).toMatchObject({ kind: "not-found" });
    expect(value?.get("hidden")).toMatchObject({ kind: "forbidden" });
    expect(broker.metadataAsked).toEqual([{ topics: ["a", "absent", "hidden"], mayCreate: false }]);
  });

  test("by brokers that know neither ids nor epochs", async () => {
    const broker = await start({ a: { partitions: [partition(1)] } }, { newest: { metadata: 6 } });
    const { value } = await connect(broker).describe(["a"]);
    expect(value?.get("a")).toMatchObject({ topicId: null, partitions: [{ leaderEpoch: null }] });
  });

  test("not at all, when no broker can be asked", async () => {
    const broker = await start({});
    await broker.stop();
    expect((await connect(broker).describe(["a"])).failure).toMatchObject({ kind: "unreachable" });
  });
});
