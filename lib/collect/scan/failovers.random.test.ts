import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { measurePartition } from "@/lib/collect/duplicates/measure-partition";
import { MadeUpLog } from "@/lib/collect/duplicates/testing/made-up-log";
import type { LogRecord } from "@/lib/kafka/log/record";
import { alone, histories, type Laid, lay, partitions } from "@/lib/measure/duplicates/testing/histories";
import { WholeCount } from "@/lib/measure/duplicates/whole-count";
import { scanTopic } from "./scan-topic";

const topic = "t";
const readBy = { topic, type: null, config: null, registry: null };

/** By the numbers of the changes, which no record tells. */
function duplicatesIn({ truth }: Laid): number {
  const changes = truth.filter((n) => n !== null);
  return changes.length - new Set(changes).size;
}

function counted({ records }: Laid) {
  const count = new WholeCount();
  for (const record of records) count.add(record);
  const { duplicates, rate, events, notMeasurable, keyOrderViolations, snapshotOverlap } =
    count.result(topic);
  return { duplicates, rate, events, notMeasurable, keyOrderViolations, snapshotOverlap };
}

function logsOf({ records, logged }: Laid): MadeUpLog[] {
  return Array.from({ length: partitions }, (_, partition) => {
    const own = logged.filter((_, i) => records[i]?.partition === partition) as LogRecord[];
    return new MadeUpLog(
      own.length,
      (at) => own[at] ?? null,
      (at) => own[at]?.timestamp ?? 0,
      4,
    );
  });
}

async function scanned(logs: readonly MadeUpLog[]) {
  const secret = Buffer.from("8 bytes!");
  const readers = logs.map((log) => log.reader());
  const [first] = readers;
  if (!first) throw new Error("no partition");
  const { result } = await scanTopic(
    { ...first, read: (ask) => (readers[ask.partition] ?? first).read({ ...ask }) },
    {
      ...readBy,
      secret,
      partitions: logs.map(({ end }, partition) => ({ partition, from: 0, to: end })),
    },
  );
  const { duplicates, rate, events, notMeasurable, keyOrderViolations, snapshotOverlap } = result;
  return { duplicates, rate, events, notMeasurable, keyOrderViolations, snapshotOverlap };
}

async function bisected(logs: readonly MadeUpLog[]) {
  const found = await Promise.all(
    logs.map(async (log, partition) => {
      const range = { partition, topicId: null, from: 0, to: log.end, carried: null, starts: [] };
      return (await measurePartition(log.reader(), { ...readBy, ...range, maxBytes: 2 ** 30 })).found;
    }),
  );
  const replays = found.flatMap((one) => one.replays);
  return {
    duplicates: replays.reduce((sum, { count }) => sum + count, 0),
    isExact: replays.every(({ bound }) => bound === "exact"),
    falls: found.flatMap(({ falls }) => falls),
  };
}

describe.each(["mysql", "mariadb"] as const)("%s, whose runs read from several servers", (database) => {
  test("a scan, a whole count and a bisection tell the same, exactly or as a bound", async () => {
    await fc.assert(
      fc.asyncProperty(
        histories,
        fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 8, maxLength: 8 }),
        fc.record({ runIds: fc.boolean(), metadata: fc.boolean() }),
        async (drawn, servers, options) => {
          const history = options.runIds ? drawn : alone(drawn);
          const laid = lay(history, database, { ...options, serverOf: (run) => servers[run] ?? 0 });
          const truth = duplicatesIn(laid);
          const whole = counted(laid);
          const unsure = whole.notMeasurable.reduce((sum, { count }) => sum + (count ?? 0), 0);
          expect(Math.abs(whole.duplicates - truth)).toBeLessThanOrEqual(unsure);
          const logs = logsOf(laid);
          expect(await scanned(logs)).toEqual(whole);
          const { duplicates, isExact, falls } = await bisected(logs);
          expect({ duplicates, isExact, falls }).toEqual({
            duplicates: whole.duplicates,
            isExact: unsure === 0,
            falls: [],
          });
        },
      ),
      { numRuns: process.env.TIDEMARK_LONG ? 2_000 : 60 },
    );
  });
});
