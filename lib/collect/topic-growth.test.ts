import { expect, test } from "vitest";
import { nextTopicEnd } from "./topic-growth";

const at = (second: number) => new Date(Date.UTC(2026, 10, 29, 12, 0, second));
const look = (end: bigint) => ({
  topic: "shop.public.orders",
  role: "table" as const,
  look: { partitions: 8, end },
});

test("growth and rate come from two looks", () => {
  const first = nextTopicEnd(null, look(100n), at(0), null);
  expect(first).toMatchObject({
    end: "100",
    grewAt: null,
    perSecond: null,
    watchedSince: at(0).toISOString(),
  });
  const second = nextTopicEnd(first, look(150n), at(10), 10_000);
  expect(second).toMatchObject({ end: "150", grewAt: at(10).toISOString(), perSecond: 5 });
  const third = nextTopicEnd(second, look(150n), at(20), 10_000);
  expect(third).toMatchObject({
    grewAt: at(10).toISOString(),
    perSecond: 0,
    watchedSince: at(0).toISOString(),
  });
});

test("a failed look keeps what was known and claims no rate", () => {
  const first = nextTopicEnd(null, look(100n), at(0), null);
  const failure = { kind: "forbidden" as const, sentence: "may not be described", remedy: null };
  const next = nextTopicEnd(first, { ...look(0n), look: { failure } }, at(10), 10_000);
  expect(next).toMatchObject({ end: "100", partitions: 8, perSecond: null, failure });
});

test("a topic made again starts its watch again, without a negative rate", () => {
  const first = nextTopicEnd(null, look(100n), at(0), null);
  expect(nextTopicEnd(first, look(3n), at(10), 10_000)).toMatchObject({
    end: "3",
    perSecond: null,
    watchedSince: at(10).toISOString(),
  });
});
