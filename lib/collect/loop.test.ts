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
