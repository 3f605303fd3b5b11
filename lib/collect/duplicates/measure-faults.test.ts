import { expect, test } from "vitest";
import { postgresChange, runIdAt } from "@/lib/collect/restarts/testing/run-log";
import { LogReadError, type LogReader } from "@/lib/kafka/log/log-reader";
import { measurePartition } from "./measure-partition";
import { failingOnce } from "./testing/failing-once";
import { MadeUpLog } from "./testing/made-up-log";

const topic = "shop.public.orders";
const T = 1_800_000_000_000;
/** Changes as they lie in the log: each run and the first it writes, up to before the next number. */
const runs = [
  [0, 0, 300],
  [1, 280, 500],
  [2, 495, 620],
] as const;
const changes = runs.flatMap(([run, first, end]) =>
  Array.from({ length: end - first }, (_, i) => ({ run, change: first + i })),
);
const starts = [300, 520].map((offset) => T + offset * 10);

function logOf(withIds: boolean): LogReader {
  const make = (offset: number) => {
    const { run, change } = changes[offset] ?? { run: 0, change: 0 };
    return postgresChange(change, withIds ? runIdAt(T + run * 1_000) : null, T);
  };
  return new MadeUpLog(changes.length, make, (offset) => T + offset * 10).reader();
}

async function measured(log: LogReader) {
  const { found } = await measurePartition(log, {
    ...{ topic, partition: 0, topicId: null, from: 0, to: changes.length, carried: null },
    ...{ type: null, config: null, starts, registry: null, maxBytes: 2 ** 28, wholeBytes: 0 },
  });
  const { replays, runs: seen, falls, notMeasurable, from, to, sure, spacing } = found;
  return { replays, runs: seen, falls, notMeasurable, from, to, sure, spacing };
}

test.each([true, false])(
  "whichever answer fails, nothing else is told than without (run ids: %s)",
  async (withIds) => {
    const calm = failingOnce(logOf(withIds), 0);
    const whole = await measured(calm.log);
    expect(whole.replays.map(({ firstOffset, count }) => [firstOffset, count])).toEqual([
      [300, 20],
      [520, 5],
    ]);
    let failed = 0;
    for (let at = 1; at <= calm.answers(); at++) {
      try {
        expect(await measured(failingOnce(logOf(withIds), at).log), `answer ${at}`).toEqual(whole);
      } catch (error) {
        if (!(error instanceof LogReadError)) throw error;
        failed += 1;
      }
    }
    expect(failed).toBeGreaterThan(10);
  },
);
