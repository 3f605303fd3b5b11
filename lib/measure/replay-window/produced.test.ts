import { describe, expect, test } from "vitest";
import { ProducedCounter } from "./produced";

const ends = (a: number | null, b: number | null, id = "1") => [
  { topic: "a", topicId: id, end: a },
  { topic: "b", topicId: "7", end: b },
];

describe("the count of produced records", () => {
  test("begins with nothing and grows as the topics do", () => {
    const counter = new ProducedCounter(null);
    expect(counter.add(ends(1_000, 50))).toBe(0);
    expect(counter.add(ends(1_010, 51))).toBe(11);
    expect(counter.add(ends(1_010, 51))).toBe(11);
  });

  test("a look that failed makes it unknown, and is made up for by the next", () => {
    const counter = new ProducedCounter(null);
    counter.add(ends(10, 10));
    expect(counter.add(ends(12, null))).toBeNull();
    expect(counter.add(ends(13, 15))).toBe(8);
  });

  test("a topic that was made again, cut off, or is new begins with nothing: the count never falls", () => {
    const counter = new ProducedCounter(null);
    counter.add(ends(100, 0));
    expect(counter.add(ends(3, 0, "2"))).toBe(0);
    expect(counter.add(ends(5, 0, "2"))).toBe(2);
    expect(counter.add(ends(4, 0, "2"))).toBe(2);
    expect(counter.add([...ends(4, 0, "2"), { topic: "c", topicId: null, end: 9 }])).toBe(2);
    expect(counter.add([...ends(4, 0, "2"), { topic: "c", topicId: null, end: 10 }])).toBe(3);
  });

  test("goes on where it stood when the collector last ran, with what was produced meanwhile", () => {
    const counter = new ProducedCounter({ produced: 500, ends: [{ topic: "a", end: 90 }] });
    expect(counter.add(ends(100, 40))).toBe(510);
  });

  test("a topic that left the list and came back begins with nothing", () => {
    const counter = new ProducedCounter(null);
    counter.add(ends(10, 10));
    counter.add([{ topic: "b", topicId: "7", end: 10 }]);
    expect(counter.add(ends(20, 10))).toBe(0);
  });
});
