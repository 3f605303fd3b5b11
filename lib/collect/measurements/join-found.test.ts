import { expect, test } from "vitest";
import { partitionDuplicatesSchema } from "@/lib/observed/duplicates";
import { partitionFound, replayAt } from "@/lib/store/sample-duplicates";
import { bounded, joinFound, totals } from "./join-found";

const note = (slug: string, count: number | null) => ({ slug, reason: `${slug}.`, count, remedy: null });
const run = (firstOffset: number) => ({
  runId: null,
  taskId: null,
  firstOffset,
  at: "2026-05-29T12:00:00.000Z",
});

test("stretches that follow each other are one: what both tell of is told once, and the least sure of them counts", () => {
  const [a, b, c] = [replayAt(1), replayAt(2), replayAt(3)];
  const joined = joinFound([
    partitionFound("t", 3, {
      ...{ from: 10, to: 20, replays: [a, b], runs: [run(10)], sure: "whole", spacing: 5 },
      notMeasurable: [note("registry", 2), note("flattened", 1)],
      uncommittedCopies: 4,
    }),
    partitionFound("t", 3, {
      ...{
        from: 20,
        to: 45,
        replays: [{ ...b, count: 99 }, c],
        runs: [run(10), run(30)],
        sure: "known-starts",
      },
      notMeasurable: [note("registry", 3), note("flattened", null)],
    }),
  ]);
  expect(partitionDuplicatesSchema.safeParse(joined).error).toBeUndefined();
  expect(joined).toMatchObject({ partition: 3, from: 10, to: 45, sure: "known-starts", spacing: 5 });
  expect(joined.replays.map(({ count }) => count)).toEqual([10, 99, 10]);
  expect(joined.runs).toEqual([run(10), run(30)]);
  expect(joined.notMeasurable).toEqual([note("registry", 5), note("flattened", null)]);
  expect(joined).toMatchObject({ uncommittedCopies: 4, bytesRead: 24_690, reads: 14 });
  expect(totals([joined, joined])).toEqual({ replays: 6, duplicates: 238 });
});

test("what was never looked for is not known, never none", () => {
  expect(joinFound([partitionFound("t", 0), partitionFound("t", 0)])).toMatchObject({
    uncommittedCopies: null,
    spacing: null,
  });
});

test("of very many replays the newest are listed, and those that are not are told of", () => {
  const many = (topic: string) => Array.from({ length: 3_000 }, (_, i) => replayAt(i, { topic }));
  const [first, second] = bounded([
    partitionFound("t", 0, { replays: many("t") }),
    partitionFound("t", 1, { replays: many("t") }),
  ]);
  expect(first?.replays.length).toBe(3_000);
  expect(first?.notMeasurable).toEqual([]);
  expect(second?.replays).toEqual(many("t").slice(1_000));
  expect(second?.notMeasurable).toMatchObject([{ slug: "not-listed", count: 10_000 }]);
});
