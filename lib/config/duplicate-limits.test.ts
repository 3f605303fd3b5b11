import { expect, test } from "vitest";
import { duplicateLimits } from "./duplicate-limits";
import { settingsSchema } from "./settings";

const rate = (checks: object) => duplicateLimits(settingsSchema.parse({ checks })).rate;

test("one change of a hundred may come twice, unless the settings say another share or none", () => {
  expect(rate({})).toBe(0.01);
  expect(rate({ duplicates: { rate: "0.25" } })).toBe(0.25);
  expect(rate({ duplicates: { rate: 0 } })).toBeNull();
  expect(rate({ duplicates: { rate: null } })).toBeNull();
});

test("a share is none above 1: whoever means percent is told", () => {
  const parsed = settingsSchema.safeParse({ checks: { duplicates: { rate: 5 } } });
  expect(parsed.error?.issues).toMatchObject([{ path: ["checks", "duplicates", "rate"], code: "too_big" }]);
});

test("scans are off, and sizes are text in the environment", () => {
  expect(settingsSchema.parse({}).scan).toEqual({
    enabled: false,
    maxBytesPerSecond: 2 ** 20,
    topicBytesPerSecond: 10 * 2 ** 20,
  });
  expect(settingsSchema.parse({ scan: { enabled: "true", maxBytesPerSecond: "2048" } }).scan).toMatchObject({
    enabled: true,
    maxBytesPerSecond: 2_048,
  });
});
