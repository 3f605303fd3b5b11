import { expect, test } from "vitest";
import { newPartitionTally } from "@/lab/deliveries";
import type { FoundReplay } from "@/lib/observed/duplicates";
import { differences } from "./duplicates-compare";

/** Changes 1 to 3 by run a; 2, 3 again and 4 by run b. */
const written = ["a 1", "a 2", "a 3", "b 2", "b 3", "b 4"];
const replay: FoundReplay = {
  topic: "shop.public.orders",
  topicId: null,
  partition: 0,
  firstOffset: 3,
  lastOffset: 4,
  count: 2,
  bound: "exact",
  firstPosition: null,
  lastPosition: null,
  firstCopyOf: 1,
  lastCopyOf: 2,
  runBefore: "a",
  runAfter: "b",
  writer: "shop",
  at: "2026-01-01T00:00:00.000Z",
  until: "2026-01-01T00:00:00.000Z",
  evidence: "run-id",
  causeInLog: null,
};

function compare(...replays: FoundReplay[]): string[] {
  const tally = newPartitionTally("shop.public.orders", 0);
  for (const [offset, text] of written.entries()) {
    const [run = "", number] = text.split(" ");
    const row = { id: Number(number), change_no: Number(number) };
    tally.add({ offset: String(offset), run, value: JSON.stringify({ op: "c", before: null, after: row }) });
  }
  return differences({
    truth: tally.truth,
    found: { to: tally.truth.end, replays, falls: [], notMeasurable: [] },
  });
}

test("what is right differs in nothing", () => {
  expect(compare(replay)).toEqual([]);
});

test.each([
  ["nothing found", [], ["0 found in 0 replays, 2 are there", "not found: 2 from 3 to 4"]],
  ["a last offset too far", [{ ...replay, lastOffset: 5 }], ["ends at 4"]],
  ["a first offset too early", [{ ...replay, firstOffset: 2 }], ["begins at 3"]],
  ["one too many", [{ ...replay, count: 3 }], ["3 found in 1 replays, 2 are there", "has 2"]],
  ["of another run", [{ ...replay, runAfter: "a" }], ["is none", "not found"]],
  ["no exact count", [{ ...replay, bound: "at-most" as const }], ["is at-most"]],
  ["another first copy", [{ ...replay, firstCopyOf: 0 }], ["its first lay first at 1, not at 0"]],
  ["found twice", [replay, replay], ["4 found in 2 replays, 2 are there"]],
])("%s is told", (_, replays, sentences) => {
  const told = compare(...replays);
  for (const sentence of sentences) expect(told.join("\n")).toContain(sentence);
});
