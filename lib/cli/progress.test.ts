import { afterEach, expect, test, vi } from "vitest";
import { openProgress } from "./progress";

afterEach(() => vi.useRealTimers());

test("says nothing of what is quick, and what takes long every few seconds", () => {
  vi.useFakeTimers();
  const lines: string[] = [];
  const progress = openProgress("tidemark replay", (line) => lines.push(line));
  progress.stage("asking Kafka Connect");
  vi.advanceTimersByTime(2_000);
  progress.stage("reading the offset topic");
  expect(lines).toEqual([]);
  vi.advanceTimersByTime(4_000);
  expect(lines).toEqual([
    "tidemark replay: reading the offset topic (1 s)\n",
    "tidemark replay: reading the offset topic (4 s)\n",
  ]);
  progress.end();
  vi.advanceTimersByTime(60_000);
  expect(lines).toHaveLength(2);
});
