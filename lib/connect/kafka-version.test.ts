import { expect, test } from "vitest";
import { isAtLeast } from "./kafka-version";

// Confluent Platform 7.5 is Kafka 3.5, 7.4 is 3.4, 8.0 is 4.0, 6.2 is 2.8 (their table of versions).
test.each([
  ["3.5.0", true],
  ["3.4.1", false],
  ["2.8.2", false],
  ["4.4.0", true],
  ["10.0.0", true],
  ["3.7.0-IN1234", true],
  ["7.5.0-ccs", true],
  ["7.4.10-ce", false],
  ["6.2.0-ccs", false],
  ["8.0.0-ccs", true],
  ["unknown", null],
])("%s has what Kafka 3.5 has: %s", (version, expected) => {
  expect(isAtLeast(version, 3, 5)).toBe(expected);
});
