import { expect, test } from "vitest";
import { z } from "zod";
import { recordTime } from "./record-time";

const isTime = (text: string) => z.iso.datetime().safeParse(text).success;

test("a record's time is told to the millisecond", () => {
  expect(recordTime(1_790_000_000_123)).toBe("2026-09-21T14:13:20.123Z");
});

test("any 64 bits that a producer takes for a time are told as one that can be stored", () => {
  const wrong = [
    -1,
    Number(-(2n ** 63n)),
    Number(2n ** 63n - 1n),
    1.79e15,
    8.64e15,
    8.64e15 + 1,
    2.534023008e11 * 1_000,
  ];
  for (const millis of wrong) expect(recordTime(millis)).toSatisfy(isTime);
  expect(recordTime(-1)).toBe("1970-01-01T00:00:00.000Z");
  expect(recordTime(1.79e15)).toBe("9999-12-01T00:00:00.000Z");
});
