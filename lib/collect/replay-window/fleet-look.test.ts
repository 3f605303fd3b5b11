import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import type { Isolation } from "@/lib/kafka/log/log-reader";
import {
  type FakeBroker,
  type FakePartition,
  type FakeTopic,
  startFakeBroker,
} from "@/lib/kafka/testing/fake-broker";
import type { PartitionLook } from "@/lib/measure/replay-window/topic-look";
import type { BrokerProbe, ClusterProbe } from "../cluster-probe";
import { openProbe } from "../open-probe";
import { type FleetQuestion, lookAtFleet, type TopicLook, type TopicQuestion } from "./fleet-look";

const opened: { close?(): Promise<void>; stop?(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await (one.close?.() ?? one.stop?.());
});

interface Fleet {
  nodes: FakeBroker[];
  brokers: BrokerProbe;
}

/** Three brokers that lead a third of the partitions each, unless a partition says otherwise. */
async function start(topics: Record<string, FakeTopic>): Promise<Fleet> {
  const nodes: FakeBroker[] = [];
  for (const id of [1, 2, 3]) nodes.push(await startFakeBroker({}, { id }));
  let next = 0;
  for (const topic of Object.values(topics))
    for (const partition of topic.partitions) partition.leader ??= (next++ % 3) + 1;
  const shared = new Map(Object.entries(topics));
  for (const node of nodes) {
    node.topics = shared;
    node.peers = nodes;
  }
  const probe: ClusterProbe = openProbe({
    name: "t",
    connect: { urls: ["http://localhost:1"] },
    kafka: { brokers: [nodes[0]?.address ?? ""], tls: false },
  });
  opened.push(...nodes, probe);
  if (!probe.brokers) throw new Error("it has brokers");
  return { nodes, brokers: probe.brokers };
}

/** A partition with a record at each offset from the first on, with these timestamps. */
const log = (timestamps: readonly number[], first = 0, more: Partial<FakePartition> = {}): FakePartition => ({
  earliest: BigInt(first),
  latest: BigInt(first + timestamps.length),
  times: timestamps.map((timestamp, i) => ({ offset: BigInt(first + i), timestamp: BigInt(timestamp) })),
  ...more,
});

const ask = (
  connector: string,
  topics: readonly (Partial<TopicQuestion> & { topic: string })[],
  more: Partial<FleetQuestion> = {},
): FleetQuestion => ({
  connector,
  isolation: "read_uncommitted",
  needsEarliest: false,
  topics: topics.map((t) => ({ after: null, since: null, before: null, ...t })),
  ...more,
});

async function look(brokers: BrokerProbe, questions: readonly FleetQuestion[]) {
  const { value, failure } = await lookAtFleet(brokers, questions);
  if (!value) throw new Error(failure?.sentence);
  return (connector: string, topic: string): TopicLook => {
    const found = value.get(connector)?.get(topic);
    if (!found) throw new Error(`no look at ${topic} for ${connector}`);
    return found;
  };
}

function partitions(look: TopicLook): PartitionLook[] {
  if ("failure" in look) throw new Error(look.failure.sentence);
  return look.partitions;
}

const recently = Date.now() - 60_000;
const offsetsAsked = ({ nodes }: Fleet) => nodes.map((n) => n.offsetsAsked);

describe("requests", () => {
  const topicsOf = (connectors: number): Record<string, FakeTopic> =>
    Object.fromEntries(
      Array.from({ length: connectors * 2 }, (_, i) => [
        `t${i}`,
        { partitions: [0, 1].map(() => log([recently, recently + 10])) },
      ]),
    );
  /** Each with two topics of its own and times of its own. */
  const questions = (connectors: number) =>
    Array.from({ length: connectors }, (_, i) =>
      ask(
        `c${i}`,
        [`t${2 * i}`, `t${2 * i + 1}`].map((topic) => ({ topic, after: recently + i, since: recently - i })),
      ),
    );

  test.each([3, 300])(
    "three ListOffsets requests a broker for %i connectors with times of their own",
    async (n) => {
      const fleet = await start(topicsOf(n));
      const at = await look(fleet.brokers, questions(n));
      expect(partitions(at("c2", "t5"))).toHaveLength(2);
      expect(offsetsAsked(fleet)).toEqual([3, 3, 3]);
    },
  );

  test("metadata is asked for once for each 500 topics", async () => {
    const fleet = await start(topicsOf(300));
    await look(fleet.brokers, questions(300));
    expect(fleet.nodes.flatMap((n) => n.metadataAsked.map((m) => m.topics.length)).sort()).toEqual([
      100, 500,
    ]);
    expect(fleet.nodes.some((n) => n.metadataAsked.some((m) => m.mayCreate))).toBe(false);
  });

  test("a topic of several connectors is asked about once for each time", async () => {
    const fleet = await start({ t: { partitions: [log([100, 200, 300], 0, { leader: 2 })] } });
    const asked = ["a", "b", "c", "d"].map((c) => ask(c, [{ topic: "t", after: 150, since: 100 }]));
    const at = await look(fleet.brokers, asked);
    expect(offsetsAsked(fleet)).toEqual([0, 4, 0]);
    expect(at("a", "t")).toEqual(at("d", "t"));
  });

  test("of a topic that many share, not all times are asked, and none is counted too little", async () => {
    const times = Array.from({ length: 100 }, (_, i) => recently + i * 10);
    const fleet = await start({ t: { partitions: [log(times, 0, { leader: 1 })] } });
    const asked = times.map((time, i) => ask(`c${i}`, [{ topic: "t", after: time, since: time }]));
    const at = await look(fleet.brokers, asked);
    expect(offsetsAsked(fleet)[0]).toBeLessThanOrEqual(9);
    times.forEach((_, i) => {
      const [p] = partitions(at(`c${i}`, "t"));
      expect(p?.end).toBe(100);
      expect(p?.place).toBeLessThanOrEqual(i + 1);
      expect(p?.since).toBeLessThanOrEqual(i);
      expect(p?.since).toBeGreaterThan(i - 30);
    });
  });

  test("first offsets only where they matter", async () => {
    const old = Date.now() - 3 * 3_600_000;
    const fleet = await start({
      fresh: { partitions: [log([recently], 5, { leader: 1 })] },
      quiet: { partitions: [log([old - 1], 5, { leader: 1 })] },
      late: { partitions: [log([old + 5], 5, { leader: 2 })] },
      none: { partitions: [log([1], 7, { leader: 3 })] },
    });
    const at = await look(fleet.brokers, [
      ask("a", [
        { topic: "fresh", after: recently - 5 },
        { topic: "quiet", after: old },
        { topic: "late", after: old },
      ]),
      ask("b", [{ topic: "none" }], { needsEarliest: true }),
    ]);
    const first = (c: string, t: string) => partitions(at(c, t))[0]?.earliest;
    expect([first("a", "fresh"), first("a", "quiet"), first("a", "late"), first("b", "none")]).toEqual([
      null,
      null,
      5,
      7,
    ]);
    expect(offsetsAsked(fleet)).toEqual([2, 3, 2]);
  });
});

describe("figures", () => {
  test("as one who reads every record finds them", async () => {
    const moment = fc.integer({ min: recently, max: recently + 40 });
    const partition = fc.record({ first: fc.nat(50), stamps: fc.array(moment, { maxLength: 12 }) });
    const question = fc.record({
      after: fc.option(moment),
      since: fc.option(moment),
      before: fc.option(moment),
    });
    const cases = fc.array(fc.tuple(fc.array(partition, { minLength: 1, maxLength: 3 }), question), {
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(cases, async (topics) => {
        const fleet = await start(
          Object.fromEntries(
            topics.map(([ps], i) => [`t${i}`, { partitions: ps.map((p) => log(p.stamps, p.first)) }]),
          ),
        );
        const at = await look(fleet.brokers, [
          ask(
            "c",
            topics.map(([, q], i) => ({ topic: `t${i}`, ...q })),
          ),
        ]);
        topics.forEach(([ps, q], i) => {
          const seen = partitions(at("c", `t${i}`));
          ps.forEach(({ first, stamps }, partition) => {
            const end = first + stamps.length;
            const place = (from: number | null) => {
              if (from === null) return null;
              const found = stamps.findIndex((stamp) => stamp >= from);
              return found < 0 ? end : first + found;
            };
            const later = (time: number | null) => (time === null ? null : time + 1);
            const found = stamps.find((stamp) => stamp > (q.after ?? Number.POSITIVE_INFINITY));
            expect(seen[partition]).toEqual({
              topic: `t${i}`,
              partition,
              topicId: null,
              end,
              place: place(later(q.after)),
              placeAt: found ?? null,
              since: place(q.since),
              before: q.since === null ? place(later(q.before)) : null,
              earliest: null,
            });
          });
        });
        for (const one of opened.splice(0)) await (one.close?.() ?? one.stop?.());
      }),
      { numRuns: 25 },
    );
  });

  test("for read-committed readers up to the last stable offset", async () => {
    const fleet = await start({ t: { partitions: [log([100, 200, 300, 400], 0, { stable: 2n })] } });
    const of = (connector: string, isolation: Isolation) =>
      ask(connector, [{ topic: "t", after: 250 }], { isolation });
    const at = await look(fleet.brokers, [of("a", "read_uncommitted"), of("b", "read_committed")]);
    expect(partitions(at("a", "t"))[0]).toMatchObject({ end: 4, place: 2, placeAt: 300 });
    expect(partitions(at("b", "t"))[0]).toMatchObject({ end: 2, place: 2, placeAt: null });
  });

  test("KAF-19: a topic that was made again has another id, and no place lies beyond its end", async () => {
    const topic: FakeTopic = { topicId: "a".repeat(32), partitions: [log([100, 200, 300], 0)] };
    const fleet = await start({ t: topic });
    const question = [ask("c", [{ topic: "t", after: 100 }])];
    const before = await look(fleet.brokers, question);
    topic.topicId = "b".repeat(32);
    Object.assign(topic.partitions[0] ?? {}, log([400], 0));
    const after = await look(fleet.brokers, question);
    const [was, is] = [before, after].map((at) => partitions(at("c", "t"))[0]);
    expect([was?.topicId?.[0], was?.end, was?.place]).toEqual(["a", 3, 1]);
    expect([is?.topicId?.[0], is?.end, is?.place]).toEqual(["b", 1, 0]);
  });
});

describe("what fails", () => {
  test("KAF-18: fails alone: a forbidden topic, one that is gone, one without a leader", async () => {
    const fleet = await start({
      good: { partitions: [log([100, 200])] },
      hidden: { partitions: [log([100])], metadataError: 29 },
      unread: { partitions: [log([100]), log([100], 0, { offsetError: 29 })] },
      headless: { partitions: [log([100], 0, { leader: -1 })] },
    });
    const names = ["good", "hidden", "unread", "headless", "gone"];
    const at = await look(fleet.brokers, [
      ask(
        "c",
        names.map((topic) => ({ topic, after: 100, since: 50 })),
      ),
    ]);
    expect(partitions(at("c", "good"))[0]).toMatchObject({ end: 2, place: 1, since: 0 });
    expect(at("c", "hidden")).toMatchObject({ failure: { kind: "forbidden" } });
    expect(at("c", "unread")).toMatchObject({ failure: { kind: "forbidden" } });
    expect(at("c", "gone")).toMatchObject({ failure: { kind: "not-found" } });
    expect(at("c", "headless")).toMatchObject({
      failure: { sentence: "partition 0 of topic headless has no leader" },
    });
    expect([...(fleet.nodes[0]?.topics.keys() ?? [])]).not.toContain("gone");
  });

  test("a broker that is away fails the topics it leads, and the others are told", async () => {
    const fleet = await start({
      a: { partitions: [log([100, 200], 0, { leader: 1 }), log([100], 0, { leader: 2 })] },
      b: { partitions: [log([100, 200], 0, { leader: 3 })] },
    });
    await fleet.nodes[2]?.stop();
    opened.splice(2, 1);
    const at = await look(fleet.brokers, [
      ask("c", [
        { topic: "a", after: 100, since: 1 },
        { topic: "b", after: 100, since: 1 },
      ]),
    ]);
    expect(partitions(at("c", "a")).map((p) => [p.end, p.place])).toEqual([
      [2, 1],
      [1, 1],
    ]);
    expect(at("c", "b")).toMatchObject({ failure: { kind: "unreachable" } });
  });

  test("no broker at all fails the look", async () => {
    const fleet = await start({ t: { partitions: [log([100])] } });
    for (const node of fleet.nodes) await node.stop();
    opened.splice(0, 3);
    const { failure } = await lookAtFleet(fleet.brokers, [ask("c", [{ topic: "t", after: 1 }])]);
    expect(failure?.kind).toBe("unreachable");
  });

  test("nothing asked is nothing looked at", async () => {
    const fleet = await start({});
    const { value } = await lookAtFleet(fleet.brokers, [ask("c", [])]);
    expect(value?.get("c")?.size).toBe(0);
    expect(fleet.nodes.flatMap((n) => n.metadataAsked)).toEqual([]);
  });
});

describe("settings of topics", () => {
  const settings = (cleanup: string, timestamps: string): FakeTopic => ({
    partitions: [log([100])],
    settings: {
      "cleanup.policy": { value: cleanup, source: 1 },
      "message.timestamp.type": { value: timestamps, source: 1 },
    },
  });

  test("KAF-17: are told, and unknown where they may not be read", async () => {
    const fleet = await start({
      plain: settings("delete", "CreateTime"),
      broker: settings("compact,delete", "LogAppendTime"),
      hidden: { ...settings("delete", "LogAppendTime"), settingsError: 29 },
    });
    const names = ["plain", "broker", "hidden"];
    const at = await look(fleet.brokers, [
      ask(
        "c",
        names.map((topic) => ({ topic, after: 1 })),
      ),
    ]);
    expect(at("c", "plain")).toMatchObject({ appendTime: false, compacted: false, settings: null });
    expect(at("c", "broker")).toMatchObject({ appendTime: true, compacted: true, settings: null });
    expect(at("c", "hidden")).toMatchObject({
      appendTime: null,
      compacted: null,
      settings: { kind: "forbidden", sentence: expect.stringContaining("DescribeConfigs on topic hidden") },
    });
  });

  test("are asked for once, of a new topic when it comes", async () => {
    const asked: string[][] = [];
    const fleet = await start({ a: settings("delete", "CreateTime"), b: settings("delete", "CreateTime") });
    const brokers: BrokerProbe = {
      ...fleet.brokers,
      readTopicSettings: (topics) => {
        asked.push([...topics]);
        return fleet.brokers.readTopicSettings(topics);
      },
    };
    for (const topics of [["a"], ["a"], ["a", "b"], ["b"]])
      await look(brokers, [
        ask(
          "c",
          topics.map((topic) => ({ topic })),
        ),
      ]);
    expect(asked).toEqual([["a"], ["b"]]);
  });
});
