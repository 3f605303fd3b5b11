import { expect, test } from "vitest";
import { SeenTopics } from "./seen-topics";
import type { TopicLookFacts } from "./topic-look";

const look = (id: string, ...ends: number[]): TopicLookFacts => ({
  partitions: ends.map((end, partition) => ({
    topic: "t",
    partition,
    topicId: id,
    end,
    place: null,
    placeAt: null,
    since: null,
    before: null,
    earliest: null,
  })),
  appendTime: false,
  compacted: false,
  settings: null,
});
const failed = (kind: "not-found" | "forbidden"): TopicLookFacts => ({
  failure: { kind, sentence: "no", remedy: null },
});

test("a partition is quiet since the first look with the end that it has", () => {
  const seen = new SeenTopics(null);
  seen.add("t", look("x", 5, 7), 100);
  expect([...seen.add("t", look("x", 5, 8), 200).quietSince]).toEqual([
    [0, 100],
    [1, 200],
  ]);
  seen.add("t", failed("forbidden"), 300);
  expect(seen.add("t", look("x", 5, 8), 400)).toEqual({
    quietSince: new Map([
      [0, 100],
      [1, 200],
    ]),
    lost: null,
  });
});

test("a topic is lost when it is found gone, or made again, and that is not forgotten", () => {
  const seen = new SeenTopics(null);
  seen.add("t", look("x", 5), 100);
  const lost = { at: 200, quietSince: 100 };
  expect(seen.add("t", failed("not-found"), 200).lost).toEqual(lost);
  expect(seen.add("t", failed("not-found"), 300).lost).toEqual(lost);
  expect(seen.add("t", look("y", 1), 400)).toEqual({ quietSince: new Map([[0, 400]]), lost });
  expect(seen.add("t", look("z", 1), 500).lost).toEqual({ at: 500, quietSince: 400 });
});

test("what the last collector saw counts on: an end that is the same, and a topic that was gone", () => {
  const gone = { kind: "not-found" };
  const seen = new SeenTopics({
    at: 50,
    topics: [
      { topic: "t", end: 12, failure: null },
      { topic: "u", end: null, failure: gone },
      { topic: "v", end: 3, failure: null },
    ],
  });
  expect([...seen.add("t", look("x", 5, 7), 100).quietSince.values()]).toEqual([50, 50]);
  expect(seen.add("u", failed("not-found"), 100).lost).toEqual({ at: 50, quietSince: null });
  expect([...seen.add("v", look("x", 4), 100).quietSince.values()]).toEqual([100]);
});
