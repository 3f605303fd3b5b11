import { expect, test } from "vitest";
import { identityBytesFor } from "./identity-bytes";

const MB = 1024 * 1024;

test.each([
  [0, 256 * MB],
  [256 * MB, 256 * MB],
  [257 * MB, MB / 4],
  [2_000 * MB, MB],
  [64_000 * MB, 32 * MB],
  [1_000_000 * MB, 32 * MB],
])("of %d bytes a replay may take %d to be counted by identity", (range, bytes) => {
  expect(identityBytesFor(range)).toBe(bytes);
});
