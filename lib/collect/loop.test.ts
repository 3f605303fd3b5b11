import { expect, test } from "vitest";
import type { LoopRun } from "@/lib/observed/process";
import { keepRunning } from "./loop";

test("a run that throws is recorded and the next one comes", async () => {
  const stop = new AbortController();
  const seen: LoopRun[] = [];
  let runs = 0;
  await keepRunning(
    {
      name: "offsets",
      cluster: "eu-1",
      intervalMs: 10,
      run: async () => {
        runs += 1;
        if (runs === 1) throw new Error("boom\nsecond line");
        return null;
      },
    },
    async (run) => {
      seen.push(run);
      if (seen.length === 3) stop.abort();
    },
    stop.signal,
  );
  expect(seen.map((r) => r.failure?.sentence ?? null)).toEqual(["boom", null, null]);
  expect(seen[2]).toMatchObject({ runs: 3, failures: 1 });
});

test("a steady loop keeps its interval after failures, and still counts them", async () => {
  const stop = new AbortController();
  const seen: LoopRun[] = [];
  const failure = { kind: "timeout" as const, sentence: "No answer.", remedy: null };
  await keepRunning(
    { name: "offsets", cluster: "eu-1", intervalMs: 1_000, steady: true, run: async () => failure },
    async (run) => {
      seen.push(run);
      if (seen.length === 2) stop.abort();
    },
    stop.signal,
  );
  expect(seen[1]).toMatchObject({ failures: 2, failure });
  const pause = (seen[1]?.nextAt?.getTime() ?? 0) - (seen[1]?.startedAt.getTime() ?? 0);
  expect(pause).toBeLessThanOrEqual(1_100);
});
