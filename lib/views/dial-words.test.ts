import { describe, expect, test } from "vitest";
import type { DialPoint } from "@/lib/measure/replay-window/dial";
import { dialSentence, flushIntervalText } from "./dial-words";

function dial(
  worst: Readonly<Record<number, number | null>>,
  inForceMs: number | null,
  partitions = 1,
): DialPoint[] {
  return Object.entries(worst).map(([text, most]) => {
    const intervalMs = Number(text);
    const writesPerHour = (3_600_000 / intervalMs) * partitions;
    return { intervalMs, expected: null, worst: most, writesPerHour, inForce: intervalMs === inForceMs };
  });
}

const plain = (sentence: string | null) => sentence?.replaceAll("\u00a0", " ");

describe("the dial in words", () => {
  test("the longest shorter interval whose worst case is a tenth of today's", () => {
    const points = dial(
      { 1000: 900, 2000: 1_500, 5000: 3_400, 10000: 8_000, 60000: 41_000, 120000: 70_000 },
      60_000,
    );
    expect(plain(dialSentence(points))).toBe(
      "5 s instead of 60 s: worst case 3,400 instead of 41,000 events; 720 offset writes an hour instead of 60. It never reaches 0.",
    );
    expect(dialSentence(points)).toContain("5\u00a0s instead of 60\u00a0s");
  });

  test("several source partitions are written at each flush", () => {
    const points = dial({ 5000: 3_400, 60000: 41_000 }, 60_000, 3);
    expect(plain(dialSentence(points))).toContain("2,160 offset writes an hour instead of 180.");
  });

  test("half of it where no interval makes it a tenth", () => {
    const points = dial({ 1000: 9_000, 5000: 15_000, 10000: 19_000, 30000: 30_000, 60000: 41_000 }, 60_000);
    expect(plain(dialSentence(points))).toContain(
      "10 s instead of 60 s: worst case 19,000 instead of 41,000 events",
    );
  });

  test("bursts that are shorter than any interval", () => {
    const points = dial({ 1000: 38_000, 5000: 40_000, 60000: 41_000 }, 60_000);
    expect(plain(dialSentence(points))).toBe(
      "A shorter flush interval would help little: worst case 38,000 events at 1 s, 41,000 at 60 s, since they come in bursts that are shorter still. It never reaches 0.",
    );
  });

  test("an interval that is short already", () => {
    const points = dial({ 1000: 400, 2000: 700, 5000: 2_000, 60000: 9_000 }, 1_000);
    expect(plain(dialSentence(points))).toBe(
      "1 s is in force, as short as this dial goes: worst case 400 events, at up to 3,600 offset writes an hour. 5 s would make it 2,000, with 720 writes. It never reaches 0.",
    );
    const one = dial({ 500: 1, 1000: 1, 5000: 1 }, 500);
    expect(plain(dialSentence(one))).toBe(
      "500 ms is in force, as short as this dial goes: worst case 1 event, at up to 7,200 offset writes an hour. It never reaches 0.",
    );
  });

  test("an interval that is not known", () => {
    const points = dial({ 1000: 900, 5000: 3_400, 60000: 41_000, 300000: 90_000 }, null);
    expect(plain(dialSentence(points))).toBe(
      "Which flush interval is in force is not known. At 60 s the worst case is 41,000 events, at 5 s 3,400; 60 offset writes an hour against 720. It never reaches 0.",
    );
    const flat = dial({ 1000: 40_000, 5000: 41_000, 60000: 41_000 }, null);
    expect(plain(dialSentence(flat))).toBe(
      "Which flush interval is in force is not known. At 60 s the worst case is 41,000 events, and a shorter one would help little.",
    );
  });

  test("nothing moved, or nothing is known", () => {
    expect(dialSentence(dial({ 1000: 0, 60000: 0 }, 60_000))).toBe(
      "Nothing was produced in this time: with any flush interval a crash would have replayed nothing.",
    );
    expect(dialSentence(dial({ 1000: null, 60000: null }, 60_000))).toBeNull();
    expect(dialSentence([])).toBeNull();
  });

  test.each([
    [500, "500 ms"],
    [1_000, "1 s"],
    [60_000, "60 s"],
    [90_000, "90 s"],
    [300_000, "5 m"],
  ])("%d ms is %s", (ms, text) => {
    expect(plain(flushIntervalText(ms))).toBe(text);
  });
});
