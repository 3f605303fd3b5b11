import fc from "fast-check";
import { expect, test } from "vitest";
import { typeOf } from "@/lib/debezium/config";
import type { FoundReplay } from "@/lib/observed/duplicates";
import { postgresChange, RunLog, readerOf, runIdAt } from "../restarts/testing/run-log";
import { takeStep } from "./measure-step";
import { nextStep, noProgress, type Progress } from "./stretches";

const TOPIC = "shop.public.orders";
const T = 1_800_000_000_000;
const config = {
  "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
  "topic.prefix": "shop",
};
const at = { topic: TOPIC, partition: 0, topicId: null };

/** A log that grows, with the offsets of those changes that had been there before. */
class GrowingLog {
  readonly log = new RunLog();
  readonly copies: number[] = [];
  readonly #seen = new Set<number>();
  #run = 0;
  #next = 0;

  /** Lets the task die and begin again `back` changes before, and write `count` changes. */
  run(back: number, count: number): void {
    this.#run += 1;
    this.#next = Math.max(0, this.#next - back);
    this.write(count);
  }

  /** Lets the run write on. */
  write(count: number): void {
    const runId = runIdAt(T + this.#run * 100_000);
    for (let i = 0; i < count; i++, this.#next++) {
      const { end } = this.log;
      if (this.#seen.has(this.#next)) this.copies.push(end);
      this.#seen.add(this.#next);
      this.log.append(postgresChange(this.#next, runId, T + this.#run * 100_000 + end));
    }
  }
}

/** All steps that there are, and what the store would hold then. */
async function measured(
  { log }: GrowingLog,
  progress: Progress,
  stored: Map<number, FoundReplay>,
  maxBytes: number,
): Promise<Progress> {
  const by = {
    log: readerOf(new Map([[TOPIC, log]])),
    type: typeOf(config),
    config,
    registry: null,
    starts: [],
    signal: new AbortController().signal,
  };
  let now = progress;
  for (let steps = 0; ; steps++) {
    const step = nextStep(now, log.end);
    if (!step) return now;
    if (steps > 500) throw new Error(`it does not end: ${JSON.stringify(step)}`);
    const taken = await takeStep(by, at, now, step, maxBytes);
    const { replaced } = taken;
    if (replaced)
      for (const offset of [...stored.keys()])
        if (offset >= replaced.from && offset < replaced.to) stored.delete(offset);
    for (const replay of taken.replays) stored.set(replay.firstOffset, replay);
    now = taken.progress;
  }
}

/** A replay's first and last offset and its count, from the copies: those that follow on each other in one run. */
function truthOf({ log, copies }: GrowingLog): [number, number, number][] {
  const all: [number, number, number][] = [];
  const runOf = (offset: number) => JSON.stringify(log.records[offset]?.headers[0]?.value);
  for (const offset of copies) {
    const last = all.at(-1);
    if (last && last[1] === offset - 1 && runOf(last[1]) === runOf(offset))
      all.splice(-1, 1, [last[0], offset, last[2] + 1]);
    else all.push([offset, offset, 1]);
  }
  return all;
}

const runs = fc.array(fc.record({ back: fc.nat(60), count: fc.integer({ min: 1, max: 120 }) }), {
  minLength: 1,
  maxLength: 6,
});

test("backwards in slices, then as it grows: the replays are those that a set of all changes tells", async () => {
  await fc.assert(
    fc.asyncProperty(runs, runs, fc.integer({ min: 5, max: 200 }), async (retained, later, slice) => {
      const growing = new GrowingLog();
      for (const { back, count } of retained) growing.run(back, count);
      const stored = new Map<number, FoundReplay>();
      let progress = await measured(growing, noProgress(null, 0, slice), stored, 4_000_000);
      for (const { back, count } of later) {
        growing.run(back, Math.ceil(count / 3));
        progress = await measured(growing, progress, stored, 4_000_000);
        growing.write(count);
        progress = await measured(growing, progress, stored, 4_000_000);
      }
      const found = [...stored.values()]
        .sort((a, b) => a.firstOffset - b.firstOffset)
        .map((replay) => [replay.firstOffset, replay.lastOffset, replay.count]);
      expect(found).toEqual(truthOf(growing));
      expect([...stored.values()].every(({ bound }) => bound === "exact")).toBe(true);
    }),
    { numRuns: 20 },
  );
});
